#!/usr/bin/env python3
"""How often the 80 % ranges of `queuecast score wait LOG --method best --predictions SAID.csv` held, by regime.

    experiments/when/regimes.py SAID.csv ...

2,000 jobs that started are drawn with a fixed seed. Sizes are thirds of them; the machine was busy for a job if its median wait was said
to be ten seconds or more.
"""
import csv
import random
import sys

DRAWN = 2_000


def held(rows):
    """The share of ranges that held, and how many there are."""
    if not rows:
        return "–"
    inside = sum(float(row["low"]) <= float(row["wait"]) <= float(row["high"]) for row in rows)
    return f"{100 * inside / len(rows):.1f} ({len(rows):,})"


def main():
    print("| log | all | small | medium | large | at once | within an hour | later |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in sys.argv[1:]:
        with open(name, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["method"] == "best" and row["outcome"] == "started"]
        random.Random(1).shuffle(rows)
        rows = rows[:DRAWN]
        sizes = sorted(int(row["procs"]) for row in rows)
        first, second = sizes[len(sizes) // 3], sizes[2 * len(sizes) // 3]
        groups = [rows]
        groups += [[row for row in rows if low < int(row["procs"]) <= high]
                   for low, high in ((0, first), (first, second), (second, sizes[-1]))]
        groups += [[row for row in rows if low <= float(row["p50"]) < high]
                   for low, high in ((0, 10), (10, 3_600), (3_600, float("inf")))]
        print("|", " | ".join([name.rsplit("/", 1)[-1].split("-1")[0], *map(held, groups)]), "|")


main()
