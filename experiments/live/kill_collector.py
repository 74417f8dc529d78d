#!/usr/bin/env python3
"""Submits jobs to a real Slurm while `queuecast collect` is killed with SIGKILL at random moments and begun anew.

Needs a throw-away cluster (SLURM_CONF in the environment), root, a user to submit as, and cli_filter/lua with the script of
`queuecast collect --submission-tables TABLES --print-lua cli-filter` installed. At the end every job of `sacct` is looked for in the store.

    experiments/live/kill_collector.py QUEUECAST FOLDER USER [--kills 50] [--jobs 300] [--seed 1]
"""

import argparse
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queuecast")
    parser.add_argument("folder")
    parser.add_argument("user")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def begin(given):
    """A collector that looks every second; accounting every ten."""
    store = os.path.join(given.folder, "store.sqlite")
    tables = os.path.join(given.folder, "tables")
    line = [given.queuecast, "collect", "--every", "1s", "--history", "1d", "--store", store, "--submission-tables", tables]
    log = open(os.path.join(given.folder, "collector.log"), "ab")
    return subprocess.Popen(line, stdout=log, stderr=log)


def submit(given, draw):
    """One submission: whether it succeeded, how long it took, and whether it was told something."""
    cpus, minutes, sleep = draw.choice([1, 1, 2, 4, 8]), draw.choice([1, 2, 5, 10]), draw.uniform(1, 25)
    kind = draw.random()
    more = ["--array=1-3"] if kind < 0.05 else ["--hold"] if kind < 0.08 else []
    wrap = f"sleep {sleep:.1f}; exit {1 if draw.random() < 0.1 else 0}"
    line = ["runuser", "-u", given.user, "--", "sbatch", "--parsable", "-o", "/dev/null", "-n", str(cpus), "-t", str(minutes)]
    begun = time.monotonic()
    done = subprocess.run(line + more + ["--wrap", wrap], capture_output=True, text=True, cwd="/")
    took = time.monotonic() - begun
    return done.returncode == 0, took, "queuecast: likely" in done.stderr, done.stdout.strip()


def accounted():
    """The jobs of sacct: (number, submission) to (state, start, end)."""
    line = ["sacct", "-a", "-X", "-D", "-P", "-n", "--delimiter=\x1f", "-S", "now-1days", "-E", "now"]
    line += ["-s", "BF,CA,CD,DL,F,NF,OOM,PD,PR,R,RQ,RS,RV,S,TO", "--format=JobIDRaw,Submit,State,Start,End"]
    text = subprocess.run(line, capture_output=True, text=True, env={**os.environ, "SLURM_TIME_FORMAT": "%s"}, check=True).stdout
    rows = [row.split("\x1f") for row in text.splitlines() if row]
    return {(int(row[0]), int(row[1])): tuple(row[2:]) for row in rows}


def remembered(store):
    """The same of a store."""
    connection = sqlite3.connect(store)
    titles = dict(connection.execute("SELECT number, text FROM titles"))
    found = {}
    for number, submit_, title, row in connection.execute("SELECT id, submit, titles, row FROM job"):
        names, cells = titles[title].split("\x1f"), row.split("\x1f")
        found[number, submit_] = tuple(cells[names.index(name)] for name in ("State", "Start", "End"))
    return found, connection.execute("PRAGMA integrity_check").fetchone()[0]


def main():
    given = arguments()
    draw = random.Random(given.seed)
    os.makedirs(given.folder, exist_ok=True)
    collector, kills, results = begin(given), 0, []
    next_kill = time.monotonic() + draw.uniform(0, 2)
    while len(results) < given.jobs or kills < given.kills:
        if len(results) < given.jobs:
            results.append(submit(given, draw))
            if draw.random() < 0.05 and results[-1][3].isdigit():
                subprocess.run(["scancel", results[-1][3]], capture_output=True)
        else:
            time.sleep(0.05)
        if kills < given.kills and time.monotonic() >= next_kill:
            collector.send_signal(signal.SIGKILL)
            collector.wait()
            collector, kills = begin(given), kills + 1
            next_kill = time.monotonic() + draw.uniform(0, 4)
    subprocess.run(["scancel", "-t", "PD", "-u", given.user], capture_output=True)
    store, differing = os.path.join(given.folder, "store.sqlite"), None
    for _ in range(60):
        time.sleep(3)
        expected, (found, integrity) = accounted(), remembered(store)
        differing = [key for key, value in expected.items() if found.get(key) != value]
        is_over = all(value[0].split()[0] not in ("PENDING", "RUNNING", "COMPLETING") for value in expected.values())
        if is_over and not differing:
            break
    is_up = collector.poll() is None
    collector.send_signal(signal.SIGINT)
    collector.wait()
    times = sorted(one[1] for one in results)
    print(f"{len(results)} submissions, {sum(one[0] for one in results)} accepted, {sum(one[2] for one in results)} told when they likely start")
    print(f"sbatch took {1000 * statistics.median(times):.0f} ms in the median, {1000 * times[int(0.99 * len(times))]:.0f} in 99 of 100")
    print(f"collector killed {kills} times; running at the end: {is_up}; store: {integrity}")
    print(f"{len(expected)} jobs by sacct, {len(differing)} of them missing or different in the store")
    sys.exit(0 if is_up and integrity == "ok" and not differing and all(one[0] for one in results) else 1)


main()
