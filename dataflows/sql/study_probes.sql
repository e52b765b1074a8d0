-- one row per probe run of the study
select subject_id, seed, run_id, similarity, flipped, loops, tokens, manifest_seen, error
from probe_runs
where study_id = $study_id
order by subject_id, seed
