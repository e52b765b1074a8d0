-- one row per run asked about: its question as people may see it, and as recorded where they may not
select
    run_id,
    shown_questions.question,
    shown_questions.withheld as question_withheld,
    runs.question as recorded_question,
    run_id in (from redacting_runs) as redacts
from runs
inner join shown_questions using (run_id)
where run_id in ($run_a, $run_b)
