-- one row per difference between groups of recorded runs, or pooled over studies; an association
select
    kind,
    coalesce(study_id, '') as study,
    subject_id as subject,
    tier,
    verdict,
    effect,
    effect_low,
    effect_high,
    q_value
from verdicts
where kind in ('observational', 'fleet')
order by verdict <> 'differs', kind, study, subject, verdict_id
