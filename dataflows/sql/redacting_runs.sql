-- one row per run whose record says that it redacts: its log names scrubbed paths, or a marker stands beside it
create or replace temp view redacting_runs as
select run_id from runs where redacted_paths > 0
union
select run_id from states where which = 'redaction'
