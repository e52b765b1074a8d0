-- the one row of a variable, with what its run says that the life of any of its keys depends on
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
    runs.redacted_paths > 0 or exists (
        select 1 from states where states.run_id = $run_id and states.which = 'redaction'
    ) as redacts
from variables
inner join runs using (run_id)
inner join shown_questions using (run_id)
where run_id = $run_id and scope = $scope and key = $key
