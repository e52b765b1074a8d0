-- one row per tool call of a run, in the order in which the record shows them
with

names_in_history as (
    select tool_call_id, min(tool_name) as name_in_history
    from messages
    where run_id = $run_id and tool_name is not null
    group by tool_call_id
    having count(distinct tool_name) = 1
)

select
    iteration::bigint as iteration,
    tool_call_id,
    tool_name,
    case when tool_name is null then name_in_history end as name_in_history,
    status,
    duration_ms,
    start_event_idx,
    end_event_idx,
    left(args_json, $characters) as args,
    length(args_json) as args_length,
    left(result_json, $characters) as result,
    length(result_json) as result_length,
    left(error, $characters) as error,
    length(error) as error_length
from tool_calls
left join names_in_history using (tool_call_id)
where run_id = $run_id
order by coalesce(start_event_idx, end_event_idx), occurrence
