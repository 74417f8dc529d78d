"""Asks `queuecast when --list --site` about the job arrays of recorded runs, a second before each was submitted, and counts how often the
80 % ranges held: of the first start, of when half had ended, and of the last end. Arrays with a dependency or a begin time, with a task
that never started, or within the first two minutes of a run are left out.

    python3 experiments/when/site_campaigns.py target/release/queuecast 15 lib/tests/recordings/random-3 ...

The number is the most arrays of each run.
"""
import collections
import csv
import gzip
import io
import json
import re
import subprocess
import sys
import tempfile

MILESTONES = ["first_start", "half_ended", "last_end"]


def arrays(run):
    """The arrays of a run as user, submission, arguments and rows, in the order of submission."""
    with gzip.open(f"{run}/jobs.csv.gz", "rt") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    begin = min(float(row["submit"]) for row in rows)
    groups = collections.defaultdict(list)
    for row in rows:
        if re.search(r"--array|-a ", row["args"]):
            groups[(row["user"], float(row["submit"]), row["args"])].append(row)
    for (user, submit, args), tasks in sorted(groups.items(), key=lambda group: group[0][1]):
        is_whole = len(tasks) > 1 and all(task["start"] and task["end"] for task in tasks)
        if is_whole and submit - begin >= 120 and not re.search(r"-d |--dependency|--begin|-b ", args):
            yield user, submit, args, tasks


def asked(queuecast, run, user, submit, args, tasks):
    """Which ranges held of an array; None if the site would refuse it."""
    at = int(submit) - 1
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as listed:
        csv.writer(listed).writerows([["submit", "user", "args"], [0, user, args]])
        listed.flush()
        command = [queuecast, "when", run, "--site", run, "--at", str(at), "--list", listed.name]
        answer = subprocess.run([*command, "--format", "json", "--quiet"], capture_output=True, text=True)
    if answer.returncode:
        return None
    place = json.loads(answer.stdout)["places"][0]
    # The job is submitted at the end of the second.
    now = at + 0.999
    ends = sorted(float(task["end"]) for task in tasks)
    truths = [min(float(task["start"]) for task in tasks), ends[(len(ends) + 1) // 2 - 1], ends[-1]]
    # Recorded times are whole seconds.
    return [
        place[name] is not None and place[name]["low"] - 1 <= truth - now <= place[name]["high"] + 1
        for name, truth in zip(MILESTONES, truths)
    ]


def main():
    queuecast, most, runs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    held, count = collections.Counter(), 0
    for run in runs:
        for array in list(arrays(run))[:most]:
            found = asked(queuecast, run, *array)
            if found is not None:
                count += 1
                held.update(name for name, is_inside in zip(MILESTONES, found) if is_inside)
    print(f"{count} arrays")
    for name in MILESTONES:
        print(f"{name}: {held[name]} within the 80 % range")


main()
