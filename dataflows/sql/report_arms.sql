-- one row per arm that recorded runs match by their own manifests
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
)

select
    coalesce(arm_id, 'no arm matches') as arm,
    count(*) as runs,
    count(*) filter (runs.answered) as answered,
    count(*) filter (standing = 'ask' or (runs.answered and standing = 'not-sure')) as doubtful,
    array_agg(run_id order by run_id) as run_ids
from reported as runs
left join standings using (run_id)
where exists (from runs where arm_id is not null)
group by arm_id
order by arm_id nulls last
