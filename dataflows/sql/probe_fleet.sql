-- one row per production run that was asked for: how it stands, what can be asked again, what its record would show
with

shown_units as (
    select run_id, bool_and(grade <> 'unknown') as shows_units
    from missing_context_summary
    group by run_id
)

select
    run_id,
    case
        when standing = 'ask' or not runs.answered then true
        when runs.answered and standing = 'not-sure' then true
        when runs.answered and standing in ('known', 'consistent') then false
    end as is_doubtful,
    shown_questions.question,
    shown_questions.withheld as question_withheld,
    answer,
    case when coalesce(dropped_events, 0) = 0 then input_tokens + output_tokens end as tokens,
    chart = 'flat' and reads_recorded and loops > 0 as shows_suspects,
    coalesce(shows_units, false) as shows_units,
    manifest_json,
    run_id in (from redacting_runs) as redacts
from runs
semi join asked_runs using (run_id)
inner join shown_questions using (run_id)
left join standings using (run_id)
left join shown_units using (run_id)
where study_id is null
order by run_id
