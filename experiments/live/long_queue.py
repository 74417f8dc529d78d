#!/usr/bin/env python3
"""Makes up a Slurm site with many waiting jobs, lets `queuecast collect --once` look at it, and tells how long questions about it take.

    experiments/live/long_queue.py QUEUECAST [--waiting 1000] [--nodes 100] [--history 3000] [--hours 48] [--rounds 5] [--cold]

Slurm's commands are programs that print prepared texts; no Slurm is needed. The past is a queue in order of submission on the same nodes,
so that accounting, running and waiting jobs go together. Needs nothing but Python.
"""

import argparse
import heapq
import os
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

CORES = 32
SCONTROL = """#!/bin/sh
case "$*" in
*config*) cat config.txt;;
*partition*) cat partitions.txt;;
*node*) cat nodes.txt;;
*) echo 'No reservations in the system';;
esac
"""
CONFIG = """Configuration data as of 2026
ClusterName = made
SchedulerType = sched/backfill
SchedulerParameters = SCHEDULER
SelectType = select/cons_tres
SelectTypeParameters = CR_CORE
PriorityType = priority/multifactor
PriorityWeightAge = 1000
PriorityMaxAge = 7-00:00:00
AccountingStorageType = accounting_storage/none
"""
HEAD = ("JobIDRaw JobID State Submit Eligible Start End ElapsedRaw TimelimitRaw ReqCPUS AllocCPUS NNodes User Account Partition NodeList "
        "JobName").split()


class Job:
    def __init__(self, number, submit, draw, users):
        self.number, self.submit = number, submit
        self.user = draw.choice(users)
        typical = 600 * (1 + hash_of(self.user) % 12)
        self.run = int(min(max(typical * draw.lognormvariate(0, 0.8), 30), 86_000))
        limits = [one for one in (600, 1800, 3600, 7200, 14_400, 43_200, 86_400) if one > self.run]
        self.limit = draw.choice(limits[:3])
        self.cores = draw.choices((1, 4, 8, 16, 32, 64, 128), (20, 20, 15, 15, 15, 10, 5))[0]
        self.start = self.end = None
        self.nodes = []


def hash_of(name):
    return sum(map(ord, name))


def placed(jobs, nodes, now):
    """Starts jobs in their order, each as soon as there is room; those that would start later than now wait."""
    free, running, at = [CORES] * nodes, [], 0
    for job in jobs:
        at = max(at, job.submit)
        whole, rest = divmod(job.cores, CORES)
        while True:
            while running and running[0][0] <= at:
                _, _, held = heapq.heappop(running)
                for node, cores in held:
                    free[node] += cores
            wanted = [CORES] * whole + ([rest] if rest else [])
            held = []
            for cores in wanted:
                found = next((node for node in range(nodes) if free[node] >= cores and node not in [one[0] for one in held]), None)
                if found is None:
                    break
                held.append((found, cores))
            if len(held) == len(wanted):
                break
            at = running[0][0]
        if at > now:
            return
        for node, cores in held:
            free[node] -= cores
        job.start, job.end, job.nodes = at, at + job.run, [node for node, _ in held]
        job.held = held
        heapq.heappush(running, (job.end, job.number, held))


def name(node):
    return f"n{node + 1:04}"


def clock(seconds):
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def make(folder, given):
    """Writes the site, and returns the numbers of jobs that wait and a user."""
    draw = random.Random(given.seed)
    users = [f"user{number}" for number in range(1, 41)]
    now = int(time.time())
    begun = now - given.hours * 3600
    # As much as the machine can run, and then the queue.
    submits = sorted(draw.uniform(begun, now) for _ in range(given.history))
    jobs = [Job(number, int(submit), draw, users) for number, submit in enumerate(submits, 1)]
    work = sum(job.cores * job.run for job in jobs)
    nodes = given.nodes or max(4, round(work / (given.hours * 3600) / CORES))
    first = now - 4 * 3600
    rush = sorted(draw.uniform(first, now) for _ in range(given.waiting))
    jobs += [Job(number, int(submit), draw, users) for number, submit in enumerate(rush, given.history + 1)]
    jobs.sort(key=lambda job: (job.submit, job.number))
    placed(jobs, nodes, now)
    held = [0] * nodes
    queue, rows = [], ["\x1f".join(HEAD)]
    for number, job in enumerate(jobs, 1):
        job.number = number
        ended, runs = job.start is not None and job.end <= now, job.start is not None and job.end > now
        state = "COMPLETED" if ended else "RUNNING" if runs else "PENDING"
        where = ",".join(map(name, job.nodes))
        many = max(1, len(job.nodes))
        start, end = job.start if job.start else "Unknown", job.end if ended else "Unknown"
        elapsed = (job.end if ended else now) - job.start if job.start else 0
        rows.append("\x1f".join(map(str, [
            number, number, state, job.submit, job.submit, start, end, elapsed, job.limit // 60, job.cores, job.cores if job.start else 0,
            many, job.user, "all", "batch", where or "None assigned", "job"])))
        if ended:
            continue
        if runs:
            for node, cores in job.held:
                held[node] += cores
        reason = "None" if runs else "Priority"
        queue.append("|".join(map(str, [
            number, state, job.cores, clock(job.limit), clock(elapsed), 1000 - number % 1000, job.user, job.submit, "batch", where, "all",
            "normal", "(null)", job.start or "N/A", "(null)", reason])))
    (folder / "sacct.txt").write_text("\n".join(rows) + "\n")
    (folder / "squeue.txt").write_text("\n".join(queue) + "\n")
    sinfo = [f"{name(node)}|{held[node]}/{CORES - held[node]}/0/{CORES}|batch|up|1-00:00:00|1-infinite|UNLIMITED|1|mixed" for node in range(nodes)]
    (folder / "sinfo.txt").write_text("\n".join(sinfo) + "\n")
    (folder / "config.txt").write_text(CONFIG.replace("SCHEDULER", given.scheduler))
    (folder / "partitions.txt").write_text(
        f"PartitionName=batch\n   AllocNodes=ALL Default=YES\n   Nodes=n[0001-{nodes:04}] State=UP MaxTime=1-00:00:00\n")
    (folder / "nodes.txt").write_text("\n".join(
        f"NodeName={name(node)} Arch=x86_64 CoresPerSocket={CORES}\n   CPUAlloc={held[node]} CPUTot={CORES} RealMemory=256000\n"
        "   Sockets=1 State=MIXED ThreadsPerCore=1\n" for node in range(nodes)))
    programs = {"squeue": "cat squeue.txt", "sinfo": "cat sinfo.txt", "sacct": "cat sacct.txt", "sshare": "exit 1", "sacctmgr": "exit 1"}
    for program, line in programs.items():
        (folder / program).write_text(f"#!/bin/sh\n{line}\n")
    (folder / "scontrol").write_text(SCONTROL)
    for program in [*programs, "scontrol"]:
        (folder / program).chmod(0o755)
    waiting = [job for job in jobs if job.start is None]
    running = [job for job in jobs if job.start is not None and job.end > now]
    print(f"{nodes} nodes of {CORES} processors, {len(jobs)} jobs: {len(running)} run, {len(waiting)} wait")
    return waiting


def asked(queuecast, folder, line, rounds=1):
    """How long a question takes: by the clock and of processor time, the medians, in seconds."""
    environment = dict(os.environ, PATH=f"{folder}:/bin:/usr/bin", HOME=str(folder))
    clocks, cpus = [], []
    for _ in range(rounds):
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([queuecast, *line.split()], cwd=folder, env=environment, capture_output=True, text=True)
        clocks.append(time.monotonic() - begun)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode:
            sys.exit(f"{line}: {done.returncode}\n{done.stderr}")
    print(f"{line}\n    {statistics.median(clocks):.3f} s by the clock, {statistics.median(cpus):.3f} CPU-s", flush=True)
    return done


def looked_at(queuecast, folder, hours):
    """Lets a collector look at the site once, and ends it before it has computed."""
    environment = dict(os.environ, PATH=f"{folder}:/bin:/usr/bin", HOME=str(folder))
    line = [queuecast, "collect", "--every", "600s", "--store", "store.sqlite", "--history", f"{hours}h", "--quiet"]
    with subprocess.Popen(line, cwd=folder, env=environment, start_new_session=True) as collector:
        try:
            end = time.monotonic() + 120
            while time.monotonic() < end:
                try:
                    connection = sqlite3.connect(f"file:{folder}/store.sqlite?mode=ro", uri=True)
                    found = connection.execute("SELECT count(*) FROM look").fetchone()[0]
                    connection.close()
                    if found:
                        return
                except sqlite3.Error:
                    pass
                time.sleep(0.1)
            sys.exit("the collector has not looked within two minutes")
        finally:
            os.killpg(collector.pid, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queuecast", type=os.path.abspath)
    parser.add_argument("--waiting", type=int, default=1000, help="jobs of the last four hours, most of which wait")
    parser.add_argument("--nodes", type=int, help="default: as many as the history keeps busy")
    parser.add_argument("--history", type=int, default=3000)
    parser.add_argument("--hours", type=int, default=48, help="how long the history is")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the site and its store, which is kept")
    parser.add_argument("--scheduler", default="bf_max_job_test=1000,bf_continue", help="SchedulerParameters of the site")
    parser.add_argument("--cold", action="store_true", help="ask before the collector has computed")
    given = parser.parse_args()
    folder = (given.keep or pathlib.Path(tempfile.mkdtemp())).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        waiting = make(folder, given)
        store = "--live --store store.sqlite"
        if given.cold:
            looked_at(given.queuecast, folder, given.hours + 1)
        else:
            asked(given.queuecast, folder, f"collect --once --store store.sqlite --history {given.hours + 1}h --quiet")
        load = " ".join(f"{one:.1f}" for one in os.getloadavg())
        print(f"load {load}; medians of {given.rounds}")
        user = waiting[0].user if waiting else "user1"
        for question in (f"when {store} -n 4 -t 60 -u {user}", f"pending {store} -u {user}", f"advise {store} -n 4 -t 60 -u {user}",
                         *([f"when {store} --job {waiting[len(waiting) // 2].number}"] if waiting else [])):
            asked(given.queuecast, folder, f"{question} --format json", given.rounds)
    finally:
        if not given.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
