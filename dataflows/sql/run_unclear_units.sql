-- one row per kind of unit of which some call of a run does not show a side: listed on the one, and the other not told
select
    unit_kind,
    array_agg(distinct iteration order by iteration) filter (available is null) as unclear_available,
    array_agg(distinct iteration order by iteration) filter (sent is null) as unclear_sent
from context_units
where run_id = $run_id and (available is null or sent is null)
group by unit_kind
order by unit_kind
