-- one row: what is said of the night
select
    night::varchar as night,
    outcome,
    coalesce(compared_with::varchar, 'none') as compared_with,
    runs,
    coalesce(nullif(array_to_string(doubts, ', '), ''), 'none') as doubts,
    coalesce(nullif(array_to_string(remarks, ', '), ''), 'none') as remarks,
    timezone,
    strftime(window_start at time zone 'UTC', '%Y-%m-%d %H:%M') as from_utc,
    strftime(window_end at time zone 'UTC', '%Y-%m-%d %H:%M') as until_utc
from night_reports
where night::varchar = $night
