-- the final state of a run; no row where none is recorded
select state_json
from states
where run_id = $run_id and which = 'shared'
