-- one row per metric of the night beside that of the night it is compared with; the bounds are of the difference
with

compared as (
    select unnest(changes_json::json[]) as change
    from night_reports
    where night::varchar = $night
)

select
    change ->> 'metric' as metric,
    change ->> 'verdict' as verdict,
    (change ->> 'before')::double as before,
    (change ->> 'now')::double as now,
    (change ->> 'low')::double as low,
    (change ->> 'high')::double as high,
    (change ->> 'known_before')::bigint as known_before,
    (change ->> 'known')::bigint as known
from compared
order by list_position(['worse', 'cannot-tell', 'better', 'no-difference-seen'], verdict), metric
