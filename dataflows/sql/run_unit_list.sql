-- one row where an application made a list of units for a run: how many were available, sent and left out
select available_count, sent_count, dropped_count
from missing_context_summary
where run_id = $run_id and iteration = 0
