-- queuecast at submission: says when a job that is submitted will likely start.
--
-- Slurm's cli_filter/lua runs this in sbatch, salloc and srun. It reads one small file that `queuecast collect` keeps, and starts
-- no program: whatever is in the options, no text of theirs is printed, looked up in a shell or used as a name of a file. Whatever
-- goes wrong, the submission goes on: every function here returns slurm.SUCCESS.
--
-- Install: copy to cli_filter.lua beside slurm.conf and set CliFilterPlugins=lua there. A site that has a cli_filter.lua keeps it,
-- puts this file beside it and calls queuecast.tell(options) at the end of its own slurm_cli_pre_submit (see the guide).

queuecast = queuecast or {}

-- What `queuecast collect --submission-tables` keeps. Put it on a local disk.
local STARTS = "@STARTS@"

-- More is not read.
local LONGEST = 1024 * 1024
-- Lines that are read at most.
local MOST_LINES = 20000
-- A limit beyond this is how Slurm shows that none is set (seconds).
local UNSET = 10 * 365 * 86400
-- A job starts "now" within this (seconds).
local SOON = 90
-- A shorter limit is told only if it gains this much (seconds), and this share of the wait.
local LEAST_GAIN, LEAST_SHARE = 600, 0.3

local function whole(text)
  local number = tonumber(text)
  if number and number == number and number >= 0 and number < 2 ^ 53 then
    return math.floor(number)
  end
  return nil
end

-- Seconds of a limit as Slurm shows it: D-HH:MM:SS, HH:MM:SS, MM:SS, minutes, or D-HH. nil if there is none.
function queuecast.seconds(text)
  if type(text) ~= "string" or #text > 40 then
    return nil
  end
  local days, rest = text:match("^(%d+)%-([%d:]+)$")
  rest = rest or text
  local parts = {}
  for part in rest:gmatch("[^:]+") do
    parts[#parts + 1] = whole(part)
  end
  if not rest:match("^[%d:]+$") or #parts == 0 or #parts > 3 or #rest > 20 or (days and #days > 9) then
    return nil
  end
  local total
  if days then
    total = whole(days) * 86400 + parts[1] * 3600 + (parts[2] or 0) * 60 + (parts[3] or 0)
  elseif #parts == 3 then
    total = parts[1] * 3600 + parts[2] * 60 + parts[3]
  else
    total = parts[1] * 60 + (parts[2] or 0)
  end
  if total <= 0 or total > UNSET then
    return nil
  end
  return total
end

-- An option of the job; nil where it is not set.
local function option(options, name)
  local value = options[name]
  if type(value) ~= "string" or value == "" or value == "unset" or value == "Unknown" then
    return nil
  end
  return value
end

local function count(options, name)
  local value = option(options, name)
  local number = value and whole(value:match("^%d+"))
  if number and number > 0 and number < 1e9 then
    return number
  end
  return nil
end

-- Reads the table: its moment, how long it holds, and the partitions by name.
function queuecast.read(path)
  local file = io.open(path, "r")
  if not file then
    return nil
  end
  local text = file:read(LONGEST)
  file:close()
  -- A table that is cut off is not used.
  if not text or not text:match("^queuecast starts 1\n") or not text:match("\nend\n$") then
    return nil
  end
  local found = { partitions = {} }
  local partition, lines = nil, 0
  for line in text:gmatch("[^\n]+") do
    lines = lines + 1
    if lines > MOST_LINES then
      break
    end
    local word, rest = line:match("^(%a+) ?(.*)$")
    if word == "at" then
      found.at = whole(rest)
    elseif word == "valid" then
      found.valid = whole(rest)
    elseif word == "partition" then
      local names, node, longest, default, is_default = rest:match("^(%S+) (%d+) (%d+) (%d+) (%d)$")
      if names then
        partition = { node = whole(node), longest = whole(longest), default = whole(default), cells = {} }
        found.partitions[names] = partition
        if is_default == "1" then
          found.default = names
        end
      end
    elseif partition and not word then
      local procs, limit, low, median, high, reliable = line:match("^(%d+) (%d+) (%d+) (%d+) (%d+) (%d)$")
      if procs then
        local cells = partition.cells
        cells[#cells + 1] = { procs = whole(procs), limit = whole(limit), low = whole(low), median = whole(median), high = whole(high), reliable = reliable == "1" }
      end
    end
  end
  if not found.at or not found.valid then
    return nil
  end
  return found
end

-- What is asked for: processors by a partition's nodes.
local function processors(options, node)
  local tasks, per_task = count(options, "ntasks"), count(options, "cpus-per-task") or 1
  local nodes, on_node = count(options, "nodes"), count(options, "ntasks-per-node")
  if nodes and option(options, "exclusive") == "exclusive" then
    return nodes * node
  end
  if nodes and on_node then
    return nodes * on_node * per_task
  end
  return math.max(tasks or 1, nodes or 1) * per_task
end

-- The cell of the fewest processors and the shortest limit that are enough.
local function cell_of(partition, procs, limit)
  local best = nil
  for _, one in ipairs(partition.cells) do
    if one.procs >= procs and one.limit >= limit then
      if not best or one.procs < best.procs or (one.procs == best.procs and one.limit < best.limit) then
        best = one
      end
    end
  end
  return best
end

-- A shorter limit of the same size whose start is clearly sooner; the longest such limit.
local function shorter_of(partition, cell)
  local best = nil
  for _, one in ipairs(partition.cells) do
    -- Advice is withheld where such ranges have not held lately.
    if cell.reliable and one.reliable and one.procs == cell.procs and one.limit < cell.limit then
      local gain = cell.median - one.median
      local is_sooner = gain >= LEAST_GAIN and gain >= LEAST_SHARE * cell.median and one.high <= cell.high
      if is_sooner and (not best or one.limit > best.limit) then
        best = one
      end
    end
  end
  return best
end

local function length(seconds)
  if seconds % 86400 == 0 and seconds >= 2 * 86400 then
    return string.format("%dd", seconds / 86400)
  elseif seconds % 3600 == 0 then
    return string.format("%dh", seconds / 3600)
  end
  return string.format("%dmin", math.ceil(seconds / 60))
end

local function clock(at, now)
  if at <= now + SOON then
    return "now"
  elseif os.date("%Y%m%d", at) == os.date("%Y%m%d", now) then
    return os.date("%H:%M", at)
  elseif at - now < 6 * 86400 then
    return os.date("%a %H:%M", at)
  end
  return os.date("%Y-%m-%d", at)
end

local function range(cell, at, now)
  local low, high = clock(at + cell.low, now), clock(at + cell.high, now)
  if low == high then
    return low
  end
  return low .. "-" .. high
end

-- Of these the table knows nothing.
local UNKNOWN = { "gres", "gpus", "gpus-per-node", "gpus-per-task", "mem", "mem-per-cpu", "constraint", "nodelist", "exclude", "licenses", "qos" }
-- With these the queue does not decide when it starts.
local OTHERWISE = { "begin", "hold", "dependency", "reservation", "clusters", "test-only" }

-- The line for a job, or nil where nothing is known of it.
function queuecast.line(options, path, now)
  -- A step within a job is no submission; and a user may ask for quiet.
  local is_step = option(options, "type") == "srun" and os.getenv("SLURM_JOB_ID") ~= nil
  if is_step or (option(options, "quiet") or "0") ~= "0" then
    return nil
  end
  for _, name in ipairs(OTHERWISE) do
    if option(options, name) then
      return nil
    end
  end
  local known = queuecast.read(path)
  if not known or now - known.at > known.valid or known.at > now + 60 then
    return nil
  end
  local wanted = option(options, "partition") or known.default
  if not wanted then
    return nil
  end
  -- Of several partitions, the one where it likely starts first.
  local best, within = nil, nil
  for name in wanted:gmatch("[^,]+") do
    local partition = known.partitions[name]
    if partition then
      local limit = queuecast.seconds(option(options, "time"))
      if not limit then
        limit = partition.default > 0 and partition.default or partition.longest
      end
      local cell = cell_of(partition, processors(options, partition.node), limit)
      if cell and (not best or cell.median < best.median) then
        best, within = cell, partition
      end
    end
  end
  if not best then
    return nil
  end
  local said = "queuecast: likely " .. range(best, known.at, now)
  local shorter = shorter_of(within, best)
  if shorter then
    local asked = queuecast.seconds(option(options, "time")) or best.limit
    said = said .. string.format("; with -t %s instead of %s: %s", length(shorter.limit), length(asked), range(shorter, known.at, now))
  end
  local unknown = {}
  for _, name in ipairs(UNKNOWN) do
    if option(options, name) then
      unknown[#unknown + 1] = "--" .. name
    end
  end
  if #unknown > 0 then
    said = said .. " (whatever " .. table.concat(unknown, ", ") .. ")"
  end
  return said
end

-- Tells of a job that is submitted. Never fails.
function queuecast.tell(options)
  local done, line = pcall(queuecast.line, options, STARTS, os.time())
  if done and type(line) == "string" then
    pcall(slurm.log_info, "%s", line)
  end
end

if slurm_cli_pre_submit == nil then
  function slurm_cli_setup_defaults(options, early)
    return slurm.SUCCESS
  end

  function slurm_cli_pre_submit(options, offset)
    queuecast.tell(options)
    return slurm.SUCCESS
  end

  function slurm_cli_post_submit(offset, job, step)
    return slurm.SUCCESS
  end
end

return slurm.SUCCESS
