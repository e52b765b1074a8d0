-- the one row of a variable, with what its run says that the life of any of its keys depends on
with

redacting_runs as (
    select run_id from runs where run_id = $run_id and redacted_paths > 0
    union
    select run_id from states where run_id = $run_id and which = 'redaction'
),

-- the key is redacted somewhere in the run: its text is not shown from any other place either
placeholders as (
    select run_id
    from writes
    where run_id = $run_id
        and key = $key
        and ['"REDACTED"', '"[REDACTED]"'] && [overwrite_json, update_json]
    union
    select run_id
    from states
    where run_id = $run_id
        and which = 'shared'
        and json_extract_string(state_json, $pointer) in ('REDACTED', '[REDACTED]')
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
    exists (from redacting_runs) as redacts,
    exists (from redacting_runs) and exists (from placeholders) as kept_out
from variables
inner join runs using (run_id)
inner join shown_questions using (run_id)
where run_id = $run_id and scope = $scope and key = $key
