#!/usr/bin/env python3
"""Follows a real Slurm of eight virtual nodes with `queuecast collect` through a rush of submissions that ends, until its queue is empty,
and shows how right the forecasts of waiting jobs were.

    experiments/live/rush_ends.py QUEUECAST [--minutes 10] [--load 1.9] [--every 10s] [--seed 1] [--keep STORE]     needs root

Forecasts are counted by when they were made, while jobs were submitted and after the last one, each of which the job has started: also
those whose ranges are not over, of which `score live` counts none.
"""

import argparse
import sqlite3
import statistics
import subprocess
import time

from followed import PROCESSORS, end_collecting, follow, followed

# Seconds that the jobs of a user run in the middle.
TYPICAL = {follow.USERS[0]: 20, follow.USERS[1]: 60}


def work(site, draw, minutes, load):
    """Submits this many times what the machine can run; jobs of a user are alike, and limits are generous."""
    begun, submitted = time.monotonic(), 0.0
    while (now := time.monotonic() - begun) < minutes * 60:
        if submitted > load * PROCESSORS * now + 20 * PROCESSORS:
            time.sleep(0.2)
            continue
        user = draw.choice(follow.USERS)
        procs = draw.choices((1, 2, 4, 8, 16), (16, 10, 6, 2, 1))[0]
        sleep = int(min(max(TYPICAL[user] * draw.lognormvariate(0, 0.5), 5), 240))
        more = ["--array=1-4"] if draw.random() < 0.05 else ["-p", "short"] if sleep < 90 and draw.random() < 0.3 else []
        limit = 2 if "short" in more else draw.choice([one for one in (1, 2, 5, 10, 15, 30) if one * 60 > sleep])
        job = site.submit(user, "-n", str(procs), "-t", str(limit), *more, sleep=sleep)
        submitted += procs * sleep * (4 if "--array=1-4" in more else 1)
        if job and draw.random() < 0.03:
            site.cluster.call(["scancel", job])


def judged(store, last):
    """For forecasts made up to the last submission, and after it: how many, the share inside their ranges, the median error in seconds."""
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(forecast)")]
    rows = [dict(zip(columns, row)) for row in connection.execute("SELECT * FROM forecast WHERE started IS NOT NULL")]
    connection.close()
    groups = []
    for name, of in (("while jobs were submitted", lambda at: at <= last), ("after the last submission", lambda at: at > last)):
        some = [row for row in rows if of(row["at"])]
        waits = [(row["started"] - row["at"], row) for row in some]
        # A start that is seen at a look is known to the second by Slurm; ranges are of whole seconds, too.
        inside = sum(row["low"] - 1 <= wait <= row["high"] + 1 for wait, row in waits)
        errors = [abs(wait - row["median"]) for wait, row in waits]
        share = f"{100 * inside / len(some):.0f} %" if some else "none"
        error = f"{statistics.median(errors):.0f} s" if some else "none"
        groups.append(f"{name}: {len(some)} forecasts, {share} inside, median error {error}")
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queuecast")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--load", type=float, default=1.9)
    parser.add_argument("--every", default="10s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a file to copy the store to")
    given = parser.parse_args()
    with followed(given) as (cluster, site):
        work(site, site.draw, given.minutes, given.load)
        last = int(time.time())
        print(f"{len(site.jobs)} submissions; the rush ends", *site.wrong[:3], sep="\n", flush=True)
        while cluster.call(["squeue", "-h"]).stdout.strip():
            time.sleep(5)
        # Accounting is asked for once more, by which the last starts are known.
        print(f"the queue is empty {(time.time() - last) / 60:.0f} min later", flush=True)
        time.sleep(150)
        end_collecting(site, given.keep)
        print(*judged(site.store, last), sep="\n", flush=True)
        subprocess.run([site.queuecast, "score", "live", "--store", site.store], env=site.environment, check=True)


if __name__ == "__main__":
    main()
