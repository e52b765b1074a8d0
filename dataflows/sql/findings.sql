-- one row per sentence that holds for the store, in the order in which a person should read them
with

production as (
    select *
    from runs
    where study_id is null
),

-- what is named is shown by the first run that names it, one that redacts nothing before one that does
showing_runs as (
    select run_id, row_number() over (order by len(redacted_names) > 0, run_id) as showing
    from production
),

counted_runs as (
    select
        count(*) as all_runs,
        count(*) filter (answered) as answered_runs,
        count(*) filter (answered is null) as unclear_runs,
        count(*) filter (not answered) as unanswered_runs,
        count(*) filter (not reads_recorded) as runs_without_reads,
        count(*) filter (dropped_events > 0) as capped_runs,
        count(*) filter (odd_values > 0) as odd_runs
    from production
),

probes as (
    select count(*) as probe_runs
    from runs
    where study_id is not null
),

shown_standings as (
    select run_id, standing
    from standings
    semi join production using (run_id)
    where answered or standing = 'ask'
),

counted_standings as (
    select
        count(*) as all_standings,
        count(*) filter (standing in ('not-sure', 'ask')) as doubtful_runs,
        count(*) filter (standing = 'not-assessed') as runs_not_assessed
    from shown_standings
),

first_reasons as (
    select reason, count(distinct run_id) as runs
    from reasons
    semi join shown_standings using (run_id)
    group by reason
    order by runs desc, reason
    limit 3
),

missing as (
    select verdict, count(*) as runs
    from verdicts
    semi join production using (run_id)
    where kind = 'missing-context'
    group by verdict
),

withheld_skills as (
    select to_skill, count(*) as runs, min_by(run_id, showing) as shown_by
    from routing
    inner join showing_runs using (run_id)
    where delivered_verdict = 'not-delivered'
    group by to_skill
),

counted_variables as (
    select
        count(*) as all_variables,
        count(*) filter (coverage = 'exact') as exact_variables,
        count(*) filter (coverage = 'conservative') as conservative_variables,
        count(*) filter (coverage = 'unknown') as unknown_variables
    from variables
    semi join production using (run_id)
),

suspect_runs as (
    select
        suspect_kind,
        suspect_id,
        count(distinct run_id) as suspected_runs,
        min_by(run_id, showing) as shown_by
    from ablation_hooks
    inner join showing_runs using (run_id)
    group by suspect_kind, suspect_id
),

top_suspects as (
    select *
    from suspect_runs
    order by suspected_runs desc, suspect_kind, suspect_id
    limit 3
),

compared_arms as (
    select
        subject_id,
        json_extract_string(evidence_json, '$[0].baseline') as baseline,
        case verdict
            when 'differs' then 'differ from'
            when 'no-difference-seen' then 'show no difference from'
            else 'cannot be compared with'
        end as compares
    from verdicts
    where kind = 'observational'
),

sentences as (
    select 1 as place, format(
        '{:,} of {:,} {} gave an answer; {:,} gave none, and for {:,} the record cannot tell',
        answered_runs, all_runs, if(all_runs = 1, 'run', 'runs'), unanswered_runs, unclear_runs
    ) || if(probe_runs > 0, format(' ({:,} probe runs of studies are not counted here)', probe_runs), '') as sentence, []::varchar[] as shown_by
    from counted_runs cross join probes
    where all_runs > 0

    union all
    select 2, format(
        'of {:,} {} {:,} {} a reason for doubt{}; for {:,} the record holds nothing to judge by',
        all_standings, if(all_standings = 1, 'answer', 'answers'), doubtful_runs,
        if(doubtful_runs = 1, 'has', 'have'),
        coalesce(' (' || (
            select string_agg(format('{} in {:,}', reason, runs), ', ' order by runs desc, reason) from first_reasons
        ) || ')', ''),
        runs_not_assessed
    ), []
    from counted_standings
    where all_standings > 0

    union all
    select 3, format(
        'context that was available was not sent in {:,} {}; in {:,} the record cannot tell',
        coalesce(sum(runs) filter (verdict = 'dropped'), 0)::bigint,
        if(coalesce(sum(runs) filter (verdict = 'dropped'), 0) = 1, 'run', 'runs'),
        coalesce(sum(runs) filter (verdict = 'unknown'), 0)::bigint
    ), []
    from missing
    having count(*) > 0

    union all
    select 4, 'skills that were decided on and never reached the model: ' || string_agg(
        format('{} ({:,} {})', to_skill, runs, if(runs = 1, 'run', 'runs')), ', ' order by runs desc, to_skill
    ), array_agg(shown_by)
    from withheld_skills
    having count(*) > 0

    union all
    select 5, format(
        'what {:,} {} fed is recorded exactly for {:,}, conservatively for {:,}, and not known for {:,}',
        all_variables, if(all_variables = 1, 'variable', 'variables'),
        exact_variables, conservative_variables, unknown_variables
    ), []
    from counted_variables
    where all_variables > 0

    union all
    select 6, 'sources that most runs could be tested without: ' || string_agg(
        format('{} {} ({:,} {})', suspect_kind, suspect_id, suspected_runs, if(suspected_runs = 1, 'run', 'runs')), ', '
        order by suspected_runs desc, suspect_kind, suspect_id
    ), array_agg(shown_by)
    from top_suspects
    having count(*) > 0

    union all
    select 7, 'answers of recorded runs by arm, which were not dealt out at random: ' || string_agg(
        format('those of {} {} those of {}', subject_id, compares, baseline), ', ' order by subject_id
    ), []
    from compared_arms
    having count(*) > 0

    union all
    select 8, format(
        '{:,} {} no reads: who used a value there is not known',
        runs_without_reads, if(runs_without_reads = 1, 'run records', 'runs record')
    ), []
    from counted_runs
    where runs_without_reads > 0

    union all
    select 9, format(
        '{:,} {} totals are at least what is shown',
        capped_runs, if(capped_runs = 1, 'run lost its first events: its', 'runs lost their first events: their')
    ), []
    from counted_runs
    where capped_runs > 0

    union all
    select 10, format(
        '{:,} {} values of a wrong type, which read as absent',
        odd_runs, if(odd_runs = 1, 'run holds', 'runs hold')
    ), []
    from counted_runs
    where odd_runs > 0
)

select sentence, shown_by
from sentences
order by place
