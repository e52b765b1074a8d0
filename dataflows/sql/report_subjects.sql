-- one row per subject of a study: what seeded reruns say of it, and how often that word is said of nothing
with

ran as (
    select study_id, subject_id, array_agg(distinct run_id order by run_id) as run_ids
    from probe_runs
    group by all
),

costs as (
    select study_id, subject_id, verdict as cost
    from verdicts
    where kind = 'cost'
)

select
    study_id as study,
    kind,
    subject_id as subject,
    tier,
    verdict,
    case
        when verdict <> 'confirmed' then 'not asked'
        else coalesce('up to ' || round(100 * false_rate, 1) || ' %', 'not known')
    end as false_rate,
    flips,
    samples,
    flip_rate_low,
    flip_rate_high,
    coalesce(cost, 'not asked') as cost,
    coalesce(suspect_class, 'none') as class,
    run_ids
from verdicts
left join costs using (study_id, subject_id)
left join ran using (study_id, subject_id)
where kind in ('ablation', 'restoration', 'arm')
order by verdict <> 'confirmed', verdict, study, subject
