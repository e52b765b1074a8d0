-- one row per metric of the night; NULL is not known
with

told as (
    select unnest(json_keys(metrics_json)) as metric, metrics_json::json as metrics
    from night_reports
    where night::varchar = $night
)

select
    metric,
    (metrics ->> metric)::double as value
from told
order by value is not null, metric
