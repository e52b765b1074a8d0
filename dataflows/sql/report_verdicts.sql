-- one row per kind, tier and word of claims; those of studies are of no night and are all counted
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
),

-- words of one run are told from those of a study by its run
claims as (
    select kind, tier, verdict, verdict_id, false_rate, run_id
    from verdicts
    semi join reported using (run_id)

    union all
    select kind, tier, verdict, verdict_id, false_rate, probe_runs.run_id
    from verdicts
    left join probe_runs using (study_id, subject_id)
    where verdicts.run_id is null
)

select
    kind,
    tier,
    verdict,
    case
        when verdict <> 'confirmed' then 'not asked'
        else coalesce('up to ' || round(100 * max(false_rate), 1) || ' %', 'not known')
    end as false_rate,
    count(distinct verdict_id) as claims,
    count(distinct run_id) as runs,
    array_agg(distinct run_id order by run_id) filter (run_id is not null) as run_ids
from claims
group by kind, tier, verdict
order by kind, tier, claims desc, verdict
