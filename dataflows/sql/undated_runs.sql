-- one row: how many runs have no recorded start
select count(*) as runs
from runs
where started_at is null
