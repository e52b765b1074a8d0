-- one row per kind of claim, or count, that some records cannot support, and what they lack
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
),

lacking as (
    select run_id, 'whether it answered' as about, 'the end of the events is not recorded' as lacks
    from reported
    where answered is null

    union all
    select run_id, 'how its answer stands', 'the state holds nothing to judge by'
    from standings
    semi join reported using (run_id)
    where answered and standing = 'not-assessed'

    union all
    select run_id, 'what it went without', case
        when events is null then 'events are missing'
        when dropped_events > 0 then 'the first events were lost'
        when chart = 'none' then 'no commit log'
        else 'a side of some kind is not recorded'
    end
    from verdicts
    inner join reported using (run_id)
    where kind = 'missing-context' and verdict = 'unknown'

    union all
    select run_id, 'how it was routed', unreachable_reason
    from routing
    semi join reported using (run_id)
    where check_state = 'unreachable'

    union all
    select run_id, 'who used a value', 'reads are not recorded'
    from reported
    where not reads_recorded

    union all
    select run_id, 'its totals: they are at least what is shown', 'the first events were lost'
    from reported
    where dropped_events > 0

    union all
    select run_id, 'its totals: they may be more than is shown', 'nothing says whether events were lost'
    from reported
    where dropped_events is null and events is not null

    union all
    select run_id, 'its tokens and calls', 'events are missing'
    from reported
    where events is null

    union all
    select run_id, 'values of a wrong type', 'they read as absent'
    from reported
    where odd_values > 0

    union all
    select run_id, 'values that the record redacts', 'they are not compared, scored or shown'
    from reported
    where redacted_paths > 0

    union all
    select run_id, 'when it began', 'no start is recorded'
    from reported
    where started_at is null
)

select
    about,
    lacks,
    count(distinct run_id) as runs,
    count(distinct run_id) / (select count(*) from reported) as share,
    array_agg(distinct run_id order by run_id) as run_ids
from lacking
group by all
order by runs desc, about, lacks
