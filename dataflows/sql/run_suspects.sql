-- one row per source that the values of a run name, with the spec of a rerun without it
select
    suspect_kind,
    suspect_id,
    spec_json,
    array_agg(distinct key order by key) as keys,
    count(distinct writer_id) as steps
from ablation_hooks
where run_id = $run_id
group by all
order by suspect_kind desc, suspect_id, spec_json
