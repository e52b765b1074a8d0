-- one row, the null band of the study; none where it compares no arms
select mean, min, max, stdev, floor, degenerate, gates
from null_bands
where study_id = $study_id
