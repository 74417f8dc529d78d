"""The cluster of scripts/follow-slurm, followed by a collector, for the experiments of this folder."""

import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
LOADER = importlib.machinery.SourceFileLoader("follow_slurm", str(SCRIPTS / "follow-slurm"))
follow = importlib.util.module_from_spec(importlib.util.spec_from_loader("follow_slurm", LOADER))
LOADER.exec_module(follow)
PROCESSORS = 32


@contextlib.contextmanager
def followed(given):
    """Starts the cluster and a collector (`given`: queuecast, every, seed), and stops both."""
    cluster, site = follow.slurm.Cluster(follow.plan()), None
    try:
        cluster.start()
        site = follow.Followed(os.path.abspath(given.queuecast), cluster, random.Random(given.seed))
        line = [site.queuecast, "collect", "--every", given.every, "--history", "1d", "--store", site.store]
        with open(site.folder / "collector.log", "ab") as log:
            site.collector = subprocess.Popen(line, env=site.environment, stdout=log, stderr=log, cwd=site.folder)
        yield cluster, site
    finally:
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)
        if site and site.collector and site.collector.poll() is None:
            site.collector.kill()
            site.collector.wait()
        cluster.stop()


def end_collecting(site, keep):
    """Ends the collector in order, and copies its store to the file `keep`, if there is one to keep."""
    site.collector.send_signal(signal.SIGINT)
    site.collector.wait(60)
    if keep:
        shutil.copy(site.store, keep)
