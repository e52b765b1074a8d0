-- one row per reason why the answer of a run is not known to stand
select
    reason,
    layer,
    class as reason_class,
    source_kind,
    unnamed,
    witnesses_json
from reasons
where run_id = $run_id
order by position
