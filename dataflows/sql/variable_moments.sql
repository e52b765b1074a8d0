-- one row per moment of a variable, with the text that was committed by the write it is, or that it saw
with

committed_values as (
    select
        commit_idx as written_at,
        verb as written_by,
        case when verb = 'merge' then update_json else overwrite_json end as value_json
    from writes
    where run_id = $run_id and scope = $scope and key = $key
)

select
    moments.kind,
    moments.commit_idx,
    moments.runtime_stage_id,
    moments.stage_name,
    moments.verb,
    moments.from_write_idx,
    moments.loop_index,
    moments.suspect_kind,
    moments.suspect_id,
    committed_values.written_by,
    left(committed_values.value_json, $characters) as value,
    length(committed_values.value_json) as value_length
from moments
left join committed_values
    on committed_values.written_at = if(moments.kind = 'write', moments.commit_idx, moments.from_write_idx)
where run_id = $run_id and scope = $scope and key = $key
order by moments.position
