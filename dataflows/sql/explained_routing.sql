-- the one row that tells how the question of a run was routed
select * exclude (run_id, unread, foreign_events)
from routing
where run_id = $run_id
