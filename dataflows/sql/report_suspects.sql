-- one row per source that runs could be tested without, and how many doubtful runs it stands beside: no cause
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
),

-- a run in doubt has no answer, or one with a reason for doubt; of the others nothing is known
judged as (
    select
        run_id,
        case
            when standing = 'ask' or not reported.answered then true
            when reported.answered and standing = 'not-sure' then true
            when reported.answered and standing in ('known', 'consistent') then false
        end as is_doubtful,
        chart = 'flat' and reads_recorded and loops > 0 as shows_suspects
    from reported
    left join standings using (run_id)
),

held as (
    select distinct suspect_kind, suspect_id, spec_json, run_id
    from ablation_hooks
    semi join reported using (run_id)
),

beside as (
    select
        suspect_kind,
        suspect_id,
        spec_json,
        count(*) as runs,
        count(*) filter (is_doubtful) as doubtful_with,
        count(is_doubtful) as judged_with,
        count(*) filter (is_doubtful and shows_suspects) as compared_doubtful,
        count(is_doubtful) filter (shows_suspects) as compared_judged,
        array_agg(run_id order by run_id) as run_ids
    from held
    inner join judged using (run_id)
    group by all
),

all_judged as (
    select count(*) filter (is_doubtful) as all_doubtful, count(is_doubtful) as all_known
    from judged
    where shows_suspects
),

compared as (
    select
        *,
        all_doubtful - compared_doubtful as doubtful_without,
        all_known - compared_judged as judged_without,
        doubtful_with / nullif(judged_with, 0) - doubtful_without / nullif(judged_without, 0) as difference
    from beside
    cross join all_judged
)

select
    suspect_kind as kind,
    suspect_id as suspect,
    spec_json as hook,
    runs,
    doubtful_with,
    judged_with,
    doubtful_without,
    judged_without,
    difference,
    run_ids
from compared
order by coalesce(judged_with * pow(greatest(difference, 0), 2), 0) desc, runs desc, kind, suspect, hook
