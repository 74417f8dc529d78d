#!/usr/bin/env python3
"""How often 80 % ranges held for jobs by how many the user had submitted before: the first ones of users never seen are what nothing is
known of.

    queuecast score wait LOG --method trees,past --from 1000 --jobs 30000 --predictions OUT.csv
    experiments/when/first_jobs.py LOG OUT.csv

The predictions may be those of `score runtime`, too. Needs nothing but Python.
"""

import collections
import csv
import gzip
import sys

GROUPS = ((1, "first"), (5, "2nd to 5th"), (20, "6th to 20th"), (float("inf"), "later"))


def submitted_before(log):
    """By job, how many jobs its user had submitted before it, by the numbers of an SWF log."""
    so_far, before = collections.Counter(), {}
    with (gzip.open(log, "rt", errors="replace") if log.endswith(".gz") else open(log, errors="replace")) as lines:
        for line in lines:
            fields = line.split()
            if line.startswith(";") or len(fields) < 18:
                continue
            before[fields[0]] = so_far[fields[11]]
            so_far[fields[11]] += 1
    return before


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    before = submitted_before(sys.argv[1])
    tally = collections.defaultdict(lambda: [0, 0])
    with open(sys.argv[2]) as rows:
        for row in csv.DictReader(rows):
            time = row["run" if "run" in row else "wait"]
            if row["outcome"] != "started" or not time or row.get("asked_at", "submission") != "submission" or row["job"] not in before:
                continue
            group = next(name for most, name in GROUPS if before[row["job"]] < most)
            counted = tally[row["method"], group]
            counted[0] += 1
            # Times are whole seconds.
            counted[1] += float(row["low"]) - 1 <= float(time) <= float(row["high"]) + 1
    for (method, group), (jobs, inside) in sorted(tally.items()):
        print(f"{method}, {group}: {jobs} jobs, {100 * inside / jobs:.0f} % inside")


if __name__ == "__main__":
    main()
