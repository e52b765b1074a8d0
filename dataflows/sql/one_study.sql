-- one row: the study
from studies
where study_id = $study_id
