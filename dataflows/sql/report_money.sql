-- one row per model and currency: what tokens cost at the prices in force; without a price nothing is said of the cost
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
)

select
    coalesce(provider, 'not recorded') as provider,
    coalesce(model, 'not recorded') as model,
    coalesce(currency, 'not priced') as currency,
    count(*) as runs,
    count(*) filter (priced and input_cost is null) as runs_not_told,
    if(bool_or(at_least is not false), 'at least', 'in all') as totals,
    sum(input_cost) filter (tokens_counted is not false) as input_cost,
    sum(output_cost) filter (tokens_counted is not false) as output_cost,
    array_agg(run_id order by run_id) as run_ids
from costs
inner join reported using (run_id)
left join conversations using (run_id)
where exists (from costs where priced)
group by provider, model, currency
order by input_cost desc nulls last, provider, model, currency
