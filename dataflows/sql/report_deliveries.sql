-- one row per outcome of routing, with the reason where the record cannot tell
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
)

select
    coalesce(delivered_verdict, check_state) as outcome,
    coalesce(unreachable_reason, 'nothing') as lacks,
    count(*) as runs,
    array_agg(run_id order by run_id) as run_ids
from routing
semi join reported using (run_id)
group by all
order by runs desc, outcome, lacks
