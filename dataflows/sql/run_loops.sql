-- one row per loop of a run: a model call of its events, a frame of its log, or both
with

own_calls as (
    select
        event_idx,
        runtime_stage_id,
        payload_json,
        type,
        try_cast(json_extract_string(payload_json, '/iteration') as double) as iteration
    from events
    where run_id = $run_id
        and own
        and type in ('agentfootprint.stream.llm_start', 'agentfootprint.stream.llm_end')
),

started_calls as (
    select iteration, max(event_idx) as start_event_idx, arg_max(runtime_stage_id, event_idx) as runtime_stage_id
    from own_calls
    where type = 'agentfootprint.stream.llm_start'
    group by iteration
),

ended_calls as (
    select iteration, max(event_idx) as end_event_idx, arg_max(payload_json, event_idx) as payload_json
    from own_calls
    where type = 'agentfootprint.stream.llm_end'
    group by iteration
),

contexts as (
    select *
    from missing_context_summary
    where run_id = $run_id and iteration > 0
),

run_frames as (
    select loop_index, scope, llm_call_id, incomplete_sources
    from loops
    where run_id = $run_id
),

committed_answers as (
    select
        scope,
        runtime_stage_id,
        max(overwrite_json) filter (key = 'llmLatestContent') as content_json,
        max(overwrite_json) filter (key = 'llmLatestToolCalls') as calls_json
    from writes
    where run_id = $run_id and key in ('llmLatestContent', 'llmLatestToolCalls')
    group by all
),

told_loops as (
    select
        iteration,
        loop_index,
        coalesce(run_frames.llm_call_id, started_calls.runtime_stage_id) as step,
        start_event_idx,
        end_event_idx,
        payload_json is not null as told_by_event,
        case
            when payload_json is not null then json_extract_string(payload_json, '/content')
            when json_type(content_json) = 'VARCHAR' then json_extract_string(content_json, '$')
        end as said,
        json_extract_string(payload_json, '/stopReason') as stop_reason,
        case
            when payload_json is not null then try_cast(json_extract_string(payload_json, '/toolCallCount') as bigint)
            when json_type(calls_json) = 'ARRAY' then json_array_length(calls_json)::bigint
        end as asked_calls,
        case
            when payload_json is null and json_type(calls_json) = 'ARRAY' then json_extract_string(calls_json, '$[*].name')
        end as asked_tools,
        try_cast(json_extract_string(payload_json, '/usage/input') as double) as input_tokens,
        try_cast(json_extract_string(payload_json, '/usage/output') as double) as output_tokens,
        incomplete_sources,
        contexts.iteration is not null as context_told,
        available_count,
        sent_count,
        dropped_count,
        grade
    from contexts
    full join run_frames using (loop_index)
    left join started_calls using (iteration)
    left join ended_calls using (iteration)
    left join committed_answers
        on committed_answers.scope = run_frames.scope and committed_answers.runtime_stage_id = run_frames.llm_call_id
)

select
    told_loops.* exclude (iteration, said),
    iteration::bigint as iteration,
    left(said, $characters) as said,
    length(said) as said_length
from told_loops
order by
    coalesce(iteration, max(iteration) over (order by loop_index nulls last, iteration)) nulls first,
    loop_index nulls last
