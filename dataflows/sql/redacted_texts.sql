-- one row per recorded JSON text of the runs asked about that holds a name under which its record redacts
with

redacting as (
    select run_id, redacted_names as names
    from runs
    where len(redacted_names) > 0 and list_contains($run_ids, run_id)
),

-- is_hidden: the whole text stands under such a name
recorded_texts as (
    select run_id, payload_json as recorded, '' as key
    from events
    semi join redacting using (run_id)

    union all
    select run_id, state_json, ''
    from states
    semi join redacting using (run_id)

    union all
    select run_id, manifest_json, ''
    from runs
    semi join redacting using (run_id)

    union all
    select run_id, unnest([overwrite_json, update_json]), key
    from writes
    semi join redacting using (run_id)
),

-- a name that JSON text may spell in more than one way is looked for by who reads the text
named_texts as (
    select
        recorded_texts.*,
        names,
        list_contains(names, regexp_extract(key, '[^\x1F.]*$')) as is_hidden
    from recorded_texts
    inner join redacting using (run_id)
    where recorded is not null
)

select run_id, names, recorded, is_hidden
from named_texts
where is_hidden
    or len(list_filter(names, lambda name: regexp_matches(name, '[^ -~]|["\\]') or contains(recorded, name))) > 0
order by run_id
