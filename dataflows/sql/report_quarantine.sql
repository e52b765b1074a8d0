-- one row per reason for which documents were refused, with the first of them
select
    code,
    count(*) as documents,
    min_by(remedy, (source_uri, position)) as remedy,
    min_by(message, (source_uri, position)) as first_message,
    min(source_uri) as first_place
from quarantine
group by code
order by documents desc, code
