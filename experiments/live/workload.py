#!/usr/bin/env python3
"""Submits a stream of sleeping jobs to a throw-away Slurm: users, QOS, sizes, limits, arrays, chains, cancelled jobs, a drained node.

Needs root and a cluster with the partitions `short` (limit 10 min) and `long`, users that may use the QOS `high` and `small`, and
SLURM_CONF in the environment.

    experiments/live/workload.py USER... [--minutes 25] [--load 1.6] [--cpus 64] [--node node03] [--seed 1]

The load is what is submitted on average, in processors, over the processors that there are: with more than 1 the queue grows.
"""

import argparse
import random
import subprocess
import time

# Seconds that the jobs of a user run in the middle; the users take turns.
TYPICAL = [20, 40, 75, 120]
LIMITS = [1, 2, 5, 10, 15, 30]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("users", nargs="+")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--load", type=float, default=1.6)
    parser.add_argument("--cpus", type=int, default=64)
    parser.add_argument("--node", default="node03", help="is drained after a third of the time, and resumed a minute later")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def job(draw, number):
    """Arguments of sbatch, seconds of sleep, and processors times seconds. Jobs of a user are alike, limits are generous."""
    partition = draw.choices(["short", "long"], [2, 1])[0]
    cpus = draw.choices([1, 2, 4, 8, 16], [16, 10, 6, 2, 1])[0]
    typical = TYPICAL[number % len(TYPICAL)] * (1.5 if partition == "long" else 1)
    sleep = min(max(typical * draw.lognormvariate(0, 0.5), 5), 300)
    limits = [limit for limit in LIMITS if limit * 60 > sleep and (partition == "long" or limit <= 10)]
    line = ["-p", partition, "-n", str(cpus), "-t", str(draw.choice(limits))]
    kind, tasks = draw.random(), 1
    if kind < 0.1:
        line += ["--qos", "high"]
    elif kind < 0.2 and cpus <= 2:
        line += ["--qos", "small"]
    elif kind > 0.95:
        line, tasks = line + ["--array=1-4"], 4
    return line, sleep, cpus * sleep * tasks


def submitted(user, line, sleep):
    """The number of the job; None if sbatch refused it."""
    line = ["runuser", "-u", user, "--", "sbatch", "--parsable", "-o", "/dev/null"] + line
    done = subprocess.run(line + ["--wrap", f"sleep {sleep:.0f}"], capture_output=True, text=True, cwd="/")
    if done.returncode != 0:
        print(f"refused: {' '.join(line)}: {done.stderr.strip()}", flush=True)
        return None
    return done.stdout.strip().split(";")[0]


def main():
    given = arguments()
    draw = random.Random(given.seed)
    states = [(given.minutes * 20, "DRAIN"), (given.minutes * 20 + 60, "RESUME")]
    begun, work, count = time.monotonic(), 0.0, 0
    while (now := time.monotonic() - begun) < given.minutes * 60:
        if states and now > states[0][0]:
            change = ["scontrol", "update", f"NodeName={given.node}", f"State={states.pop(0)[1]}", "Reason=test"]
            subprocess.run(change, check=True)
        if work > given.load * given.cpus * now + 20 * given.cpus:
            time.sleep(0.2)
            continue
        number = draw.randrange(len(given.users))
        user = given.users[number]
        line, sleep, area = job(draw, number)
        last = submitted(user, line, sleep)
        work, count, kind = work + area, count + 1, draw.random()
        if last and kind < 0.04:
            submitted(user, line + [f"--dependency=afterany:{last}"], sleep)
            work, count = work + area, count + 1
        elif last and kind < 0.07:
            subprocess.run(["scancel", last], check=False)
    print(f"{count} submissions, {work / 3600:.1f} processor hours")


if __name__ == "__main__":
    main()
