-- one row per source that a variable's values introduced, with the spec that would remove it
select writer_id, suspect_kind, suspect_id, spec_json
from ablation_hooks
where run_id = $run_id and scope = $scope and key = $key
order by position
