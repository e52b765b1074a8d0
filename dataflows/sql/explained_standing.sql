-- the one row that tells where the answer of a run stands
select assessment, standing, turn_from, kept_out
from standings
where run_id = $run_id
