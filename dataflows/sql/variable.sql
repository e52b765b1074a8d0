-- the one row of a variable, with what its run says that the life of any of its keys depends on
with

redaction as (
    select run_id from redacting_runs where run_id = $run_id
),

-- the key is redacted somewhere in the run: its text is not shown from any other place either
placeholders as (
    select run_id
    from writes
    where run_id = $run_id
        and key = $key
        and (is_placeholder(overwrite_json) or is_placeholder(update_json))
    union
    select run_id
    from states
    where run_id = $run_id
        and which = 'shared'
        and is_placeholder(json_extract(state_json, $pointer))
)

select
    variables.missing,
    variables.coverage,
    variables.writes,
    variables.reads,
    variables.notes,
    variables.keys_read_kind,
    variables.steps,
    variables.steps_with_reads,
    shown_questions.question,
    shown_questions.withheld as question_withheld,
    runs.chart,
    exists (from redaction) as redacts,
    exists (from redaction) and exists (from placeholders) as kept_out
from variables
inner join runs using (run_id)
inner join shown_questions using (run_id)
where run_id = $run_id and scope = $scope and key = $key
