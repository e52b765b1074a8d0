-- one row per error that an own event of a run tells
select
    event_idx,
    type,
    left(told, $characters) as error,
    length(told) as error_length
from (
    select event_idx, type, coalesce(json_extract_string(payload_json, '/error'), payload_json) as told
    from events
    where run_id = $run_id and own and starts_with(type, 'agentfootprint.error.')
)
order by event_idx
