-- one row where production runs belong to no night: neither a start nor the clock of an event is recorded
select
    count(*) as runs,
    array_agg(run_id order by run_id) as run_ids
from runs
anti join nights using (run_id)
where study_id is null and exists (from night_reports)
having count(*) > 0
