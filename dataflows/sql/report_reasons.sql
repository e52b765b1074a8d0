-- one row per reason for doubt and tool behind it, over the runs whose standing is shown
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
),

shown_reasons as (
    from reasons
    semi join reported using (run_id)
    semi join (from standings where answered or standing = 'ask') using (run_id)
)

select
    reason,
    class,
    coalesce(tool_name, case
        when source_kind = 'calls' then 'calls that are not named'
        else 'no call: the ' || source_kind
    end) as behind_it,
    count(distinct run_id) as runs,
    array_agg(distinct run_id order by run_id) as run_ids
from shown_reasons
left join reason_calls using (run_id, reason)
group by all
order by runs desc, reason, behind_it
