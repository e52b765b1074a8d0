-- one row per sentence that holds for the store, in the order in which a person should read them
with

counted_runs as (
    select
        count(*) as all_runs,
        count(*) filter (answered) as answered_runs,
        count(*) filter (answered is null) as unclear_runs,
        count(*) filter (not answered) as unanswered_runs,
        count(*) filter (not reads_recorded) as runs_without_reads,
        count(*) filter (dropped_events > 0) as capped_runs,
        count(*) filter (odd_values > 0) as odd_runs
    from runs
),

counted_variables as (
    select
        count(*) as all_variables,
        count(*) filter (coverage = 'exact') as exact_variables,
        count(*) filter (coverage = 'conservative') as conservative_variables,
        count(*) filter (coverage = 'unknown') as unknown_variables
    from variables
),

suspect_runs as (
    select suspect_kind, suspect_id, count(distinct run_id) as suspected_runs
    from ablation_hooks
    group by all
),

top_suspects as (
    select *
    from suspect_runs
    order by suspected_runs desc, suspect_kind, suspect_id
    limit 3
),

sentences as (
    select 1 as place, format(
        '{:,} of {:,} {} gave an answer; {:,} gave none, and for {:,} the record cannot tell',
        answered_runs, all_runs, if(all_runs = 1, 'run', 'runs'), unanswered_runs, unclear_runs
    ) as sentence
    from counted_runs
    where all_runs > 0

    union all
    select 2, format(
        'what {:,} {} fed is recorded exactly for {:,}, conservatively for {:,}, and not known for {:,}',
        all_variables, if(all_variables = 1, 'variable', 'variables'),
        exact_variables, conservative_variables, unknown_variables
    )
    from counted_variables
    where all_variables > 0

    union all
    select 3, 'sources that most runs could be tested without: ' || string_agg(
        format('{} {} ({:,} {})', suspect_kind, suspect_id, suspected_runs, if(suspected_runs = 1, 'run', 'runs')), ', '
        order by suspected_runs desc, suspect_kind, suspect_id
    )
    from top_suspects
    having count(*) > 0

    union all
    select 4, format(
        '{:,} {} no reads: who used a value there is not known',
        runs_without_reads, if(runs_without_reads = 1, 'run records', 'runs record')
    )
    from counted_runs
    where runs_without_reads > 0

    union all
    select 5, format(
        '{:,} {} totals are at least what is shown',
        capped_runs, if(capped_runs = 1, 'run lost its first events: its', 'runs lost their first events: their')
    )
    from counted_runs
    where capped_runs > 0

    union all
    select 6, format(
        '{:,} {} values of a wrong type, which read as absent',
        odd_runs, if(odd_runs = 1, 'run holds', 'runs hold')
    )
    from counted_runs
    where odd_runs > 0
)

select sentence
from sentences
order by place
