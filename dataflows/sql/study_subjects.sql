-- one row per subject that has a verdict, with what is said of its cost beside it
with

answers as (
    from verdicts
    where study_id = $study_id and kind in ('ablation', 'restoration', 'arm')
),

costs as (
    select
        subject_id,
        verdict as cost_verdict,
        loops_saved,
        tokens_saved,
        cost_stable,
        evidence_json as cost_evidence_json
    from verdicts
    where study_id = $study_id and kind = 'cost'
)

select
    subject_id,
    subject_kind,
    verdict,
    samples,
    flips,
    similarity_mean,
    similarity_min,
    similarity_max,
    flip_rate_low,
    flip_rate_high,
    false_rate,
    outside_null_band,
    manifests_seen,
    manifest_checked,
    manifest_applied,
    suspect_class,
    evidence_json,
    costs.cost_verdict,
    costs.loops_saved,
    costs.tokens_saved,
    costs.cost_stable,
    costs.cost_evidence_json
from answers
left join costs using (subject_id)
order by subject_id
