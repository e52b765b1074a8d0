-- the one row of a run, with what its record holds of each kind
with

called_tools as (
    select count(*) as tool_calls
    from tool_calls
    where run_id = $run_id
),

known_variables as (
    select
        count(*) as variables,
        count(*) filter (coverage = 'exact') as exact_variables,
        count(*) filter (coverage = 'conservative') as conservative_variables
    from variables
    where run_id = $run_id
)

select
    run_id,
    strftime(started_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%SZ') as started_at,
    strftime(ended_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%SZ') as ended_at,
    agent_id,
    provider,
    model,
    react_mode,
    tenant,
    session_id,
    study_id,
    arm_id,
    chart,
    complete,
    resumed_leg,
    loops,
    llm_calls,
    case when events is null then null else tool_calls end as tool_calls,
    input_tokens,
    output_tokens,
    events,
    dropped_events,
    foreign_events,
    unread_events,
    odd_values,
    replaced_characters,
    reads_recorded,
    variables,
    exact_variables,
    conservative_variables,
    redacted_paths,
    redacted_names,
    redacted_but_in_events,
    exists (from redacting_runs where redacting_runs.run_id = $run_id) as redacts,
    exists (from states where states.run_id = $run_id and which = 'shared') as state_recorded,
    withheld as question_withheld,
    left(shown_questions.question, $characters) as question,
    length(shown_questions.question) as question_length,
    answered,
    left(answer, $characters) as answer,
    length(answer) as answer_length
from runs
inner join shown_questions using (run_id)
cross join called_tools
cross join known_variables
where run_id = $run_id
