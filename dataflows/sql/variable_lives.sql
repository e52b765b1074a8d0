-- one row per life of a variable: the write that began it, and how many commits read it
select commit_idx, len(readers) as readers
from lives
where run_id = $run_id and scope = $scope and key = $key
