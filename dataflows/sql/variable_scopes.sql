-- one row per log of a run that knows a key, the run's own first
select scope, variables.writes + variables.reads as moments
from variables
left join scopes using (run_id, scope)
where run_id = $run_id and key = $key
order by scopes.position nulls last, scope
