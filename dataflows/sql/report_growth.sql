-- one row per published snapshot, newest first
select
    snapshot_id as snapshot,
    strftime(created_at at time zone 'UTC', '%Y-%m-%d %H:%M:%S') as published_utc,
    code_version as derivations,
    (row_counts_json ->> 'runs')::bigint as runs,
    (row_counts_json ->> 'verdicts')::bigint as verdicts,
    list_sum(map_values(row_counts_json::json::map(varchar, bigint)))::bigint as rows_of_all_tables
from snapshots
order by snapshot_id::bigint desc
