-- one row per unit that some model call went without, and the reason that is recorded; a result goes by its tool
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
),

named_tools as (
    select run_id, tool_call_id, min(tool_name) as tool_name
    from tool_calls
    group by all
),

named_units as (
    select
        run_id,
        unit_kind,
        case when unit_kind = 'tool-result' then coalesce(tool_name, 'a tool that is not named') else unit_id end as unit,
        available,
        available and not sent as dropped,
        drop_reason
    from context_units
    semi join reported using (run_id)
    left join named_tools on named_tools.run_id = context_units.run_id
        and named_tools.tool_call_id = context_units.unit_id
        and unit_kind = 'tool-result'
),

available_units as (
    select unit_kind, unit, count(distinct run_id) as available_runs
    from named_units
    where available
    group by all
)

select
    unit_kind,
    unit,
    coalesce(drop_reason, 'none is recorded') as reason,
    count(distinct run_id) as dropped_runs,
    any_value(available_runs) as available_runs,
    count(*) as calls,
    array_agg(distinct run_id order by run_id) as run_ids
from named_units
inner join available_units using (unit_kind, unit)
where dropped
group by unit_kind, unit, reason
order by dropped_runs desc, calls desc, unit_kind, unit, reason
