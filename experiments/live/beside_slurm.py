#!/usr/bin/env python3
"""Follows a real Slurm of eight virtual nodes with `queuecast collect` while jobs are submitted, and shows how far its simulated scheduler
decides as the real one.

    experiments/live/beside_slurm.py QUEUECAST [--minutes 9] [--after 7.5] [--every 20s] [--seed 5] [--keep STORE]     needs root
    experiments/live/beside_slurm.py QUEUECAST --store STORE --wrong FROM TO

The second form is a control: it compares once more by a store that was kept, with a text of the site's description read wrong.

The cluster is that of scripts/follow-slurm with longer periods of its schedulers. Comparisons need accounting of five minutes later, so the
collector goes on for some minutes after the last submission.
"""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib

from followed import PROCESSORS, end_collecting, follow, followed


def work(site, draw, minutes):
    """Submits 1.4 times what the machine can run, after a rush of ten seconds' work."""
    begun, submitted = time.monotonic(), 0.0
    while (now := time.monotonic() - begun) < minutes * 60:
        if submitted > 1.4 * PROCESSORS * now + 10 * PROCESSORS:
            time.sleep(0.5)
            continue
        procs = draw.choice((1, 1, 2, 4, 4, 8))
        sleep = int(min(max(45 * draw.lognormvariate(0, 0.7), 8), 240))
        more = ["--array=1-3"] if draw.random() < 0.06 else ["-p", "short"] if sleep < 100 and draw.random() < 0.3 else []
        if draw.random() < 0.05:
            more += ["--exclusive"]
        limit = 2 if "short" in more else max(sleep // 60 + 1, draw.choice((2, 3, 5, 10)))
        job = site.submit(draw.choice(follow.USERS), "-n", str(procs), "-t", str(limit), *more, sleep=sleep)
        submitted += procs * sleep * (3 if "--array=1-3" in more else 1)
        if job and draw.random() < 0.04:
            site.cluster.call(["scancel", job])
        time.sleep(0.3)


def compare_wrong(queuecast, store, wrong):
    """Compares the decisions of a store anew, with a text in what describes the site replaced."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "store.sqlite")
        shutil.copy(store, copy)
        connection = sqlite3.connect(copy)
        connection.executescript("UPDATE cluster SET shadow_begun = NULL, shadow_until = NULL; DELETE FROM shadow; DELETE FROM shadow_miss")
        changed = 0
        for name, first, body in connection.execute("SELECT name, first, body FROM site_text").fetchall():
            text = zlib.decompress(body).decode()
            if wrong[0] in text:
                body = zlib.compress(text.replace(*wrong).encode())
                connection.execute("UPDATE site_text SET body = ? WHERE name = ? AND first = ?", (body, name, first))
                changed += 1
        cluster = connection.execute("SELECT name FROM cluster").fetchone()[0]
        connection.commit()
        connection.close()
        if not changed:
            sys.exit(f"no text of the site has {wrong[0]!r}")
        line = [queuecast, "collect", "--compute", "forecast", "--cluster", cluster, "--store", copy]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([queuecast, "score", "shadow", "--store", copy], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queuecast")
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--after", type=float, default=7.5)
    parser.add_argument("--every", default="20s")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--keep", help="a file to copy the store to")
    parser.add_argument("--store")
    parser.add_argument("--wrong", nargs=2)
    given = parser.parse_args()
    if given.store and given.wrong:
        compare_wrong(os.path.abspath(given.queuecast), given.store, given.wrong)
        return
    follow.CONF = follow.CONF.replace("bf_interval=2,", "bf_interval=10,").replace("sched_interval=3", "sched_interval=20")
    with followed(given) as (_, site):
        work(site, site.draw, given.minutes)
        time.sleep(given.after * 60)
        end_collecting(site, given.keep)
        print(f"{len(site.jobs)} submissions", *site.wrong[:3], sep="\n", flush=True)
        subprocess.run([site.queuecast, "score", "shadow", "--store", site.store], env=site.environment, check=True)


if __name__ == "__main__":
    main()
