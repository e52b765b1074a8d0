-- one row per finding that nobody muted, with what the night says of it
with

asked_night as (
    select night, outcome, compared_with
    from night_reports
    where night::varchar = $night
),

tested as (
    select study_id, subject_id, array_agg(distinct run_id order by run_id) as run_ids
    from probe_runs
    group by all
),

rated as (
    select study_id, kind, subject_id, false_rate
    from verdicts
    where verdict = 'confirmed'
),

told as (
    select
        findings.*,
        false_rate,
        if(first_run_id is null, run_ids, [first_run_id]) as shown_by,
        case
            when findings.study_id is not null then 'of a study'
            when night is null then 'of all runs'
            when first_night is null then 'in runs without a night'
            when first_night = night and compared_with is null then 'no night to compare with'
            when first_night = night then 'new'
            when last_night = night then 'still there'
            when last_night > night then 'before it and after it'
            when outcome = 'inconclusive' then 'not seen, which says nothing'
            when last_night >= compared_with then 'vanished'
            else 'gone before it'
        end as news
    from findings
    left join asked_night on true
    left join rated on rated.study_id = findings.study_id
        and rated.kind = findings.kind
        and rated.subject_id = findings.subject_id
    left join tested on tested.study_id = findings.study_id and tested.subject_id = findings.subject_id
    where state <> 'muted' and (first_night is null or $night is null or first_night::varchar <= $night)
)

select
    news,
    state,
    kind,
    subject_kind,
    key_text(subject_id) as subject,
    coalesce(reason, 'none is recorded') as reason,
    verdict,
    tier,
    case
        when verdict <> 'confirmed' then 'not asked'
        else coalesce('up to ' || round(100 * false_rate, 1) || ' %', 'not known')
    end as false_rate,
    runs as runs_in_all,
    nights,
    coalesce(first_night::varchar, 'none') as first_night,
    coalesce(last_night::varchar, 'none') as last_night,
    coalesce(note, 'none') as note,
    finding_id,
    shown_by as run_ids
from told
order by
    state = 'gone',
    coalesce(list_position(['new', 'vanished', 'of a study', 'still there'], news), 9),
    runs_in_all desc,
    finding_id
