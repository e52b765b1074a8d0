-- one row per run that passes every filter that is not NULL, latest start first
with

passing_runs as (
    select *
    from runs
    inner join (select run_id, withheld, question as shown_question from shown_questions) using (run_id)
    where ($id_prefix is null or starts_with(run_id, $id_prefix))
        and ($question is null or contains(lower(shown_question), lower($question)))
        and ($verdict_kind is null or run_id in (
            select run_id from verdicts where kind = $verdict_kind and verdict = $verdict_word
        ))
        -- no standing is shown for a run that gave no answer and waits for nobody
        and ($verdict_kind is distinct from 'standing' or answered or $verdict_word = 'ask')
        and ($tool is null or run_id in (select run_id from tool_calls where tool_name = $tool))
        and ($skill is null or run_id in (
            select run_id from routing where to_skill = $skill
            union all
            select run_id
            from events
            where own
                and type = 'agentfootprint.context.injected'
                and json_extract_string(payload_json, '$.source') = 'skill'
                and json_extract_string(payload_json, '$.sourceId') = $skill
        ))
        and ($provider is null or provider = $provider)
        and ($model is null or model = $model)
        and ($arm is null or arm_id = $arm)
        and ($study is null or study_id = $study)
        and ($tenant is null or tenant = $tenant)
        and ($session is null or session_id = $session)
        and ($since::timestamptz is null or started_at >= $since::timestamptz)
        and ($until::timestamptz is null or started_at < $until::timestamptz)
),

called_tools as (
    select run_id, count(*) as tool_calls
    from tool_calls
    where run_id in (select run_id from passing_runs)
    group by run_id
)

select
    run_id,
    strftime(started_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%SZ') as started_at,
    withheld as question_withheld,
    shown_question as question,
    provider,
    model,
    loops,
    case when events is null then null else coalesce(tool_calls, 0) end as tool_calls,
    (input_tokens + output_tokens)::bigint as tokens,
    answered,
    complete,
    dropped_events,
    tenant,
    session_id,
    arm_id,
    study_id,
    count(*) over () as matching
from passing_runs
left join called_tools using (run_id)
order by passing_runs.started_at desc nulls last, run_id
limit $row_limit
