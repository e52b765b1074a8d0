-- one row per night with production runs, latest first; where no night was reported, per day of UTC on which runs began
with

dated as (
    select
        runs.*,
        if(
            exists (from nights),
            night::varchar,
            strftime(started_at at time zone 'UTC', '%Y-%m-%d')
        ) as day
    from runs
    left join nights using (run_id)
    where study_id is null
),

told as (
    select
        day,
        dated.run_id,
        dated.answered,
        standing in ('not-sure', 'ask') as is_doubtful,
        standing is not null and standing <> 'not-assessed' as is_judged,
        missing.verdict = 'dropped' as is_missing,
        missing.verdict <> 'unknown' as shows_units,
        delivered_verdict = 'not-delivered' as is_not_delivered,
        delivered_verdict is not null as shows_delivery,
        case when dropped_events = 0 then input_tokens + output_tokens end as tokens
    from dated
    left join standings on standings.run_id = dated.run_id and (standings.answered or standing = 'ask')
    left join verdicts as missing on missing.run_id = dated.run_id and missing.kind = 'missing-context'
    left join routing on routing.run_id = dated.run_id
)

select
    day,
    count(*) as runs,
    count(*) filter (answered) as answered,
    count(*) filter (is_doubtful and is_judged) as doubtful,
    count(*) filter (is_judged) as judged,
    count(*) filter (is_missing) as went_without,
    count(*) filter (shows_units) as units_shown,
    count(*) filter (is_not_delivered) as not_delivered,
    count(*) filter (shows_delivery) as delivery_shown,
    median(tokens) as tokens_median,
    array_agg(run_id order by run_id) as run_ids
from told
where day is not null and ($night is null or day <= $night)
group by day
order by day desc
