-- one row per run that an id may mean: the run itself, else those it is a prefix of, else those spelled like it
with

exact as (
    select run_id, 0 as distance, 0 as unlikeness
    from runs
    where run_id = $id
),

longer as (
    select run_id, 1, 0
    from runs
    where starts_with(run_id, $id)
),

alike as (
    select run_id, 2, 1 - jaro_winkler_similarity(run_id, $id) as unlikeness
    from runs
    where jaro_winkler_similarity(run_id, $id) >= 0.7
    order by unlikeness, run_id
    limit 3
),

meant as (
    from exact
    union all
    from longer
    union all
    from alike
)

select run_id, distance, count(*) over () as candidates
from meant
where distance = (select min(distance) from meant)
order by unlikeness, run_id
limit 5
