-- one row per named call that a reason of a run rests on
select reason, tool_call_id, tool_name
from reason_calls
where run_id = $run_id
order by reason, position
