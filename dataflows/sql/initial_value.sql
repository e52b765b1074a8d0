-- the value a key had before the first commit; no row where the record has no such state or key
select
    left(found, $characters) as value,
    length(found) as value_length
from (
    select json_extract(state_json, $pointer)::varchar as found
    from states
    where run_id = $run_id and which = 'initial'
)
where found is not null
