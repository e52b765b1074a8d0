-- one row per study that an id may mean: the study itself, else those it is a prefix of, else those spelled like it
with

exact as (
    select study_id, 0 as distance, 0 as unlikeness
    from studies
    where study_id = $id
),

longer as (
    select study_id, 1, 0
    from studies
    where starts_with(study_id, $id)
),

alike as (
    select study_id, 2, 1 - jaro_winkler_similarity(study_id, $id) as unlikeness
    from studies
    where jaro_winkler_similarity(study_id, $id) >= 0.7
    order by unlikeness, study_id
    limit 3
),

meant as (
    from exact
    union all
    from longer
    union all
    from alike
)

select study_id, distance, count(*) over () as candidates
from meant
where distance = (select min(distance) from meant)
order by unlikeness, study_id
limit 5
