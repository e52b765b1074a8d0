-- one row per refusal to read a skill, in the order of the run's refusals
select requested_skill, refused_by, form, event_idx, of_decided_skill
from routing_refusals
where run_id = $run_id
order by position
