-- one row per standing of the runs that gave an answer or wait for a person
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
)

select
    standing,
    count(*) as runs,
    count(*) / sum(count(*)) over () as share,
    array_agg(run_id order by run_id) as run_ids
from standings
semi join reported using (run_id)
where answered or standing = 'ask'
group by standing
order by runs desc, standing
