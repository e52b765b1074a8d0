-- one row per unit that a run asked about had or missed, in the order in which it was met: missed where some call was
with

missed as (
    select distinct run_id, unit_id
    from missing_context
    where list_contains($run_ids, run_id)
)

select
    run_id,
    unit_id,
    bool_or(missed.unit_id is not null) as is_missed
from context_units
left join missed using (run_id, unit_id)
where list_contains($run_ids, run_id) and (sent or missed.unit_id is not null)
group by run_id, unit_id
order by run_id, min((iteration, position))
