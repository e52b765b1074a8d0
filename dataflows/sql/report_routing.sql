-- one row per skill that was decided on and skill that reached the model; a run that got several counts for each
with

reported as (
    from runs
    where study_id is null
        and ($night is null or run_id in (select run_id from nights where night::varchar = $night))
),

decided as (
    select
        run_id,
        to_skill as decided,
        case
            when check_state <> 'reachable' then ['not known']
            when len(delivered_skills) = 0 then ['none']
            else delivered_skills
        end as delivered_skills
    from routing
    semi join reported using (run_id)
    where to_skill is not null
),

pairs as (
    select run_id, decided, unnest(delivered_skills) as delivered
    from decided
)

select
    decided,
    delivered,
    count(*) as runs,
    array_agg(run_id order by run_id) as run_ids
from pairs
group by all
order by decided, delivered
