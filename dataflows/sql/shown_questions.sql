-- one row per run: its question as people may see it; what the record redacts in state is not shown from an event
create or replace temp view shown_questions as
with

withheld_runs as (
    select run_id
    from runs
    where list_has_any(redacted_names, ['userMessage', 'userPrompt', 'history'])
    union
    select run_id
    from writes
    where scope = ''
        and key in ('userMessage', 'history')
        and is_placeholder(overwrite_json)
        and run_id in (from redacting_runs)
    union
    select run_id
    from states
    where which = 'shared'
        and run_id in (from redacting_runs)
        and (
            is_placeholder(json_extract(state_json, '/userMessage'))
            or is_placeholder(json_extract(state_json, '/history'))
        )
)

select
    runs.run_id,
    withheld_runs.run_id is not null as withheld,
    case when withheld_runs.run_id is null then runs.question end as question
from runs
left join withheld_runs using (run_id)
