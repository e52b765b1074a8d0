-- one row per unit that some call of a run, or its unit list, went without; iteration 0 stands for the list
select
    unit_kind,
    unit_id,
    drop_reason,
    json_extract_string(origin_json, '/reason') as recorded_reason,
    json_extract_string(origin_json, '/evicted_by') as evicted_by,
    grade,
    array_agg(iteration order by iteration) as iterations,
    left(min(content), $characters) as content,
    length(min(content)) as content_length
from context_units
where run_id = $run_id and available and not sent
group by all
order by min(iteration), min(position), unit_id, grade
