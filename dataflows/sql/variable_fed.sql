-- one row per value that a value of a variable fed, with the step that read the one and wrote the other
select
    fed_edges.from_commit_idx,
    fed_edges.to_key,
    fed_edges.to_commit_idx,
    fed_edges.basis,
    commits.stage_name,
    commits.runtime_stage_id
from fed_edges
left join commits
    on commits.run_id = fed_edges.run_id
    and commits.scope = fed_edges.scope
    and commits.commit_idx = fed_edges.to_commit_idx
where fed_edges.run_id = $run_id and fed_edges.scope = $scope and fed_edges.from_key = $key
order by fed_edges.to_commit_idx, fed_edges.to_key
