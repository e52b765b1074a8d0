-- one row per declared facet of an arm that one of its manifests contradicts
select arm_id as subject_id, facet, declared, observed
from arm_mismatches
where study_id = $study_id
order by subject_id, position
