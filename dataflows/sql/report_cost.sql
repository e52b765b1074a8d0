-- one row per model: tokens that its runs say they took; a turn's legs count once where they repeat each other
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
)

select
    coalesce(provider, 'not recorded') as provider,
    coalesce(model, 'not recorded') as model,
    count(*) as runs,
    count(*) filter (input_tokens is null) as runs_not_told,
    count(*) filter (dropped_events > 0 or dropped_events is null) as runs_at_least,
    case when runs_not_told + runs_at_least > 0 then 'at least' else 'in all' end as totals,
    sum(llm_calls) filter (tokens_counted is not false)::bigint as model_calls,
    sum(input_tokens) filter (tokens_counted is not false)::bigint as input_tokens,
    sum(output_tokens) filter (tokens_counted is not false)::bigint as output_tokens,
    array_agg(run_id order by run_id) as run_ids
from reported
left join conversations using (run_id)
group by provider, model
order by input_tokens desc nulls last, provider, model
