-- one row per check whose outcome the state of a run holds, from choosing the tools to the answer
select layer, check_name, ran, standing_checks.of as out_of
from standing_checks
where run_id = $run_id
order by layer, check_name
