-- one row per key of a run that is spelled like another, likest first
select key
from variables
where run_id = $run_id
group by key
having jaro_winkler_similarity(lower(key), lower($key)) >= 0.75 or contains(lower(key), lower($key))
order by jaro_winkler_similarity(lower(key), lower($key)) desc, key
limit 3
