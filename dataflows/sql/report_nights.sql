-- one row per reported night up to that of the report, latest first
select
    night::varchar as night,
    outcome,
    runs,
    (metrics_json::json ->> 'worse')::bigint as worse,
    (metrics_json::json ->> 'new_findings')::bigint as new_findings,
    (metrics_json::json ->> 'vanished_findings')::bigint as vanished_findings,
    (metrics_json::json ->> 'quarantined')::bigint as quarantined
from night_reports
where $night is null or night::varchar <= $night
order by night desc
