-- one row per study: what it asked, of how many runs, and by what it is judged
with

listed as (
    select study_id, array_agg(run_id order by run_id) as run_ids
    from study_runs
    group by study_id
)

select
    study_id as study,
    kind,
    coalesce(scenario, 'not stated') as scenario,
    comparator,
    embedder,
    case
        when baseline_stable then 'stable'
        when not baseline_stable then 'not stable'
        else 'not known'
    end as baseline,
    samples,
    runs_used as probe_runs,
    run_ids
from studies
left join listed using (study_id)
order by study
