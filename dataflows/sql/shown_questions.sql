-- one row per run: its question as people may see it; what the record redacts in state is not shown from an event
create or replace temp view shown_questions as
with

redacting_runs as (
    select run_id from runs where redacted_paths > 0
    union
    select run_id from states where which = 'redaction'
),

withheld_runs as (
    select run_id
    from writes
    where scope = ''
        and key in ('userMessage', 'history')
        and overwrite_json in ('"REDACTED"', '"[REDACTED]"')
        and run_id in (from redacting_runs)
    union
    select run_id
    from states
    where which = 'shared'
        and run_id in (from redacting_runs)
        and (
            json_extract_string(state_json, '/userMessage') in ('REDACTED', '[REDACTED]')
            or json_extract_string(state_json, '/history') in ('REDACTED', '[REDACTED]')
        )
)

select
    runs.run_id,
    withheld_runs.run_id is not null as withheld,
    case when withheld_runs.run_id is null then runs.question end as question
from runs
left join withheld_runs using (run_id)
