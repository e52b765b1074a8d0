-- one row per way a run can end: with an answer, without one, or as the record does not tell
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
)

select
    case when answered then 'answered' when not answered then 'no answer' else 'not known' end as ended,
    count(*) as runs,
    count(*) / sum(count(*)) over () as share,
    array_agg(run_id order by run_id) as run_ids
from reported
group by ended
order by ended
