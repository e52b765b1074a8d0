-- one row per state of findings
select state, count(*) as findings
from findings
group by state
order by state
