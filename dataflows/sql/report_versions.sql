-- one row per pair of versions of the libraries that recorded the runs
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
)

select
    coalesce(agentfootprint_version, 'not recorded') as agentfootprint,
    coalesce(footprintjs_version, 'not recorded') as footprintjs,
    count(*) as runs,
    array_agg(run_id order by run_id) as run_ids
from reported
group by all
order by runs desc, agentfootprint, footprintjs
