-- queuecast in slurmctld: a job without a time limit is given one, by what its user's last jobs ran for.
--
-- Slurm's job_submit/lua runs this in slurmctld. It reads one small file that `queuecast collect` keeps, at most once in ten
-- minutes, and starts no program. Whatever goes wrong, the job is submitted as it is: every function returns slurm.SUCCESS.
--
-- Install: copy to job_submit.lua beside slurm.conf and set JobSubmitPlugins=lua there. A site that has a job_submit.lua keeps it,
-- puts this file beside it and calls queuecast.limit(job_desc, part_list) in its own slurm_job_submit (see the guide).

queuecast = queuecast or {}

-- What `queuecast collect --submission-tables` keeps; SlurmUser must be able to read it. Put it on a local disk.
local LIMITS = "@LIMITS@"

-- More is not read.
local LONGEST = 4 * 1024 * 1024
-- The file is read again after this (seconds); a table that is older than HOLDS is not used.
local AGAIN, HOLDS = 600, 14 * 86400
-- How slurmctld shows that no limit is set.
local NO_VAL = 4294967294

local kept = { users = {}, at = 0, read = nil }

-- Reads the table: by user, minutes and how many jobs they are of.
function queuecast.read_limits(path)
  local file = io.open(path, "r")
  if not file then
    return nil
  end
  local text = file:read(LONGEST)
  file:close()
  if not text or not text:match("^queuecast limits 1\n") or not text:match("\nend\n$") then
    return nil
  end
  local found = { users = {}, at = tonumber(text:match("\nat (%d+)\n")) }
  for user, minutes, jobs in text:gmatch("\nuser (%S+) (%d+) (%d+)%f[\n]") do
    found.users[user] = { minutes = tonumber(minutes), jobs = tonumber(jobs) }
  end
  return found.at and found
end

-- The partitions of a job; the default one where it names none. Empty if one of them is not known.
function queuecast.partitions_of(job, partitions)
  local own = {}
  if type(job.partition) == "string" and job.partition ~= "" then
    for name in job.partition:gmatch("[^,]+") do
      local partition = partitions[name]
      if not partition then
        return {}
      end
      own[#own + 1] = partition
    end
    return own
  end
  for _, partition in pairs(partitions) do
    if partition.flag_default == 1 then
      own[#own + 1] = partition
    end
  end
  return own
end

-- The minutes for a job without a limit, and how many jobs they are of; nil to leave it to the partition.
function queuecast.minutes(job, partitions, path, now)
  if job.time_limit ~= NO_VAL then
    return nil
  end
  if not kept.read or now - kept.read >= AGAIN or now < kept.read then
    local found = queuecast.read_limits(path)
    kept = { users = found and found.users or {}, at = found and found.at or 0, read = now }
  end
  if now - kept.at > HOLDS or type(job.user_name) ~= "string" then
    return nil
  end
  local own = kept.users[job.user_name]
  if not own or own.minutes < 1 then
    return nil
  end
  -- Never more than what a partition allows, nor than what it gives by default.
  local there, least = queuecast.partitions_of(job, partitions), own.minutes
  if #there == 0 then
    return nil
  end
  for _, partition in ipairs(there) do
    for _, limit in pairs({ partition.max_time, partition.default_time }) do
      if type(limit) == "number" and limit > 0 and limit < NO_VAL and limit <= least then
        return nil
      end
    end
  end
  return least, own.jobs
end

-- Gives a job a limit where it has none. Never fails.
function queuecast.limit(job, partitions)
  local done, minutes, jobs = pcall(queuecast.minutes, job, partitions, LIMITS, os.time())
  if done and minutes then
    pcall(function()
      job.time_limit = minutes
      slurm.log_user("%s", string.format("queuecast: no time limit was given; it is set to %d min, by your last %d jobs (-t sets another)", minutes, jobs))
    end)
  end
end

if slurm_job_submit == nil then
  function slurm_job_submit(job, partitions, uid)
    queuecast.limit(job, partitions)
    return slurm.SUCCESS
  end

  function slurm_job_modify(job, record, partitions, uid)
    return slurm.SUCCESS
  end
end

return slurm.SUCCESS
