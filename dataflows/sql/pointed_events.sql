-- one row per event of a run at one of these positions
select event_idx, type, payload_json, event_run_id
from events
where run_id = $run_id and list_contains($indexes, event_idx)
