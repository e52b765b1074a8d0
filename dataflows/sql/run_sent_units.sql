-- one row per model call of a run and kind of unit that was sent with it, with the units in order
select iteration, unit_kind, array_agg(unit_id order by position) as unit_ids
from context_units
where run_id = $run_id and sent
group by iteration, unit_kind
order by iteration, unit_kind
