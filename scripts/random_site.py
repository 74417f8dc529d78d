"""Random but valid sites and workloads for scripts/record-slurm: the same seed gives the same folder.

A site is drawn from the top down: nodes, partitions over them, QOS and accounts with limits, settings of the scheduler, then
jobs, each for nodes that can hold it, and events. Sizes are such that the queue fills within minutes and drains within a
quarter of an hour. Jobs that Slurm would refuse, or that could never start, are drawn again; few are left.
"""
import csv
import dataclasses
import io
import math
import random

# Seconds during which jobs are submitted.
SUBMITTING = 400
# Work that is submitted, as a share of what the site can do in that time.
LOAD = (1.0, 1.3)
SUBMISSIONS = (150, 240)
# A job that takes such a share of the site is one of a few.
LARGE = 0.12
# Shares of users in what is submitted fall as 1/rank.
USERS = ["ada", "bob", "cleo", "dan", "eve", "finn", "gus", "hana", "ivo", "jana", "kim", "lea"]


class Dice(random.Random):
    """Draws."""

    def chance(self, probability):
        return self.random() < probability

    def pick(self, **weights):
        return self.choices(list(weights), list(weights.values()))[0]

    def part(self, of, low, high):
        """A share of a number between two bounds, as a whole number that is one at least."""
        return max(1, round(of * self.uniform(low, high)))

    def some(self, things, least=1):
        things = list(things)
        return sorted(self.sample(things, self.randint(min(least, len(things)), len(things))))


def setting(**values):
    """Key=value for all that are not None."""
    return [f"{key}={value}" for key, value in values.items() if value is not None]


def tres(limits):
    return ",".join(f"{name}={count}" for name, count in limits.items())


# Nodes ----------------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Kind:
    """Nodes that are all alike."""
    letter: str
    count: int
    sockets: int
    cores: int
    threads: int
    memory: int
    gpus: dict
    features: list
    weight: int
    spec_cores: int
    spec_memory: int

    def range(self, first=1, last=None):
        last = last or self.count
        return f"{self.letter}{first:02}" if first == last else f"{self.letter}[{first:02}-{last:02}]"

    def cpus(self):
        return self.sockets * self.cores * self.threads

    def usable_cpus(self):
        return self.cpus() - self.spec_cores * self.threads

    def usable_memory(self):
        return self.memory - self.spec_memory

    def gpu_count(self):
        return sum(self.gpus.values())

    def line(self):
        gres = ",".join(f"gpu:{kind}:{count}" if kind else f"gpu:{count}" for kind, count in self.gpus.items())
        return " ".join(setting(
            NodeName=self.range(), CPUs=self.cpus(), Sockets=self.sockets, CoresPerSocket=self.cores,
            ThreadsPerCore=self.threads, RealMemory=self.memory, Feature=",".join(self.features) or None,
            Gres=gres or None, Weight=self.weight, CoreSpecCount=self.spec_cores or None,
            MemSpecLimit=self.spec_memory or None, State="UNKNOWN"))

    def gres_lines(self):
        """Lines of gres.conf; the devices of a type come after those of the type before."""
        lines, first = [], 0
        for kind, count in self.gpus.items():
            files = f"/dev/nvidia{first}" if count == 1 else f"/dev/nvidia[{first}-{first + count - 1}]"
            lines.append(" ".join(setting(NodeName=self.range(), Name="gpu", Type=kind or None, File=files)))
            first += count
        return lines


def draw_kinds(dice):
    """Two to five kinds of nodes, 8 to 40 in all."""
    kinds = []
    total = dice.randint(8, 40)
    number = dice.randint(2, min(5, total // 3))
    cuts = sorted(dice.sample(range(1, total), number - 1))
    has_threads = dice.chance(0.4)
    types = dice.sample(["a100", "v100", "t4", "l40"], 3)
    is_typed = dice.chance(0.6)
    for place, (low, high) in enumerate(zip([0, *cuts], [*cuts, total])):
        sockets, cores = dice.choice([(1, 4), (2, 2), (1, 8), (2, 4), (2, 6), (2, 8)])
        threads = 2 if has_threads and dice.chance(0.6) else 1
        cpus = sockets * cores * threads
        gpus = {}
        if place and dice.chance(0.5):
            count = dice.choice([1, 2, 4])
            if is_typed and count > 1 and dice.chance(0.2):
                gpus = {types[0]: count // 2, types[1]: count // 2}
            else:
                gpus = {dice.choice(types) if is_typed else "": count}
        memory = cpus * dice.choice([1000, 2000, 3000, 4000, 8000])
        features = [f"k{place}"] + dice.some(["ib", "ssd", "new"], 0)
        kinds.append(Kind(
            "cdefg"[place], high - low, sockets, cores, threads, memory, gpus, features,
            weight=dice.choice([1, 10, 10, 20, 50]),
            spec_cores=dice.choice([0, 0, 0, 0, 1, 2]) if sockets * cores > 4 else 0,
            spec_memory=dice.choice([0, 0, 0, 500, 1000]) if memory > 4000 else 0))
    return kinds


# Partitions -----------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Partition:
    name: str
    kinds: list
    # The last node of each kind that is in it.
    upto: dict
    max_time: int
    default_time: int | None
    settings: dict
    is_whole: bool = False
    max_nodes: int = 10_000
    max_cpus_per_node: int = 10_000
    denied: str = ""
    # A QOS of its own.
    qos: object = None

    def cpus(self):
        return sum(kind.cpus() * self.upto[kind.letter] for kind in self.kinds)

    def line(self):
        nodes = ",".join(kind.range(last=self.upto[kind.letter]) for kind in self.kinds)
        return " ".join(setting(PartitionName=self.name, Nodes=nodes, MaxTime=self.max_time, DefaultTime=self.default_time,
                                **self.settings))


def draw_partitions(dice, kinds, has_memory, preempts):
    """Two to six partitions that overlap; the first, the default one, has at least half of the kinds."""
    names = ["batch", "short", "wide", "long", "gpu", "debug"]
    found = []
    count = dice.randint(2, 6)
    # Between partitions of one tier nothing makes way.
    tiers = dice.sample([1, 2, 3, 4, 5, 10], count) if preempts and dice.chance(0.5) else None
    for place, name in enumerate(names[:count]):
        has_gpus = [kind for kind in kinds if kind.gpus]
        if name == "gpu" and has_gpus:
            inside = has_gpus
        elif place == 0:
            inside = dice.sample(kinds, math.ceil(len(kinds) / 2))
        elif name == "wide":
            inside = kinds
        else:
            inside = dice.sample(kinds, dice.randint(1, len(kinds)))
        inside = sorted(inside, key=lambda kind: kind.letter)
        upto = {kind.letter: kind.count if dice.chance(0.7) else dice.part(kind.count, 0.5, 1) for kind in inside}
        max_time = {"short": 3, "debug": 2}.get(name) or dice.choice([5, 10, 15, 30, 60])
        share = dice.pick(NO=6, YES=1, EXCLUSIVE=1.5 if place else 0.5, FORCE=0.3)
        least = min(kind.usable_memory() // kind.usable_cpus() for kind in inside)
        settings = {
            "Default": "YES" if place == 0 else None,
            "PriorityTier": tiers[place] if tiers else dice.choice([None, None, 1, 2, 3]),
            "PriorityJobFactor": dice.choice([None, 1, 10, 25, 50, 100]),
            "OverSubscribe": {"NO": None, "YES": f"YES:{dice.randint(2, 4)}", "FORCE": "FORCE:1"}.get(share, share),
            "DefMemPerCPU": dice.part(least, 0.4, 0.9) if has_memory and dice.chance(0.3) else None,
            "LLN": "YES" if dice.chance(0.08) else None,
        }
        one = Partition(name, inside, upto, max_time, dice.choice([None, 1, 2, max_time]), settings, share == "EXCLUSIVE")
        if dice.chance(0.2):
            one.max_nodes = settings["MaxNodes"] = dice.part(sum(upto.values()), 0.3, 0.8)
        if dice.chance(0.12):
            one.max_cpus_per_node = settings["MaxCPUsPerNode"] = dice.part(min(kind.usable_cpus() for kind in inside), 0.5, 1)
        if has_gpus and inside == has_gpus and dice.chance(0.3):
            settings["DefCpuPerGPU"] = dice.choice([1, 2])
        if dice.chance(0.25):
            settings["TRESBillingWeights"] = f"CPU={dice.choice([1, 2])},Mem={dice.choice([0.1, 0.25, 0.5])}G" + (
                f",GRES/gpu={dice.choice([2, 4])}" if has_gpus else "")
        found.append(one)
    return found


# QOS and accounts -----------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Quality:
    """A QOS, with the limits that a job of it must not exceed by itself."""
    name: str
    settings: dict
    max_cpus: float = math.inf
    max_gpus: float = math.inf
    max_wall: float = math.inf


@dataclasses.dataclass
class Account:
    name: str
    parent: str
    settings: dict
    depth: int
    max_cpus: float = math.inf
    max_gpus: float = math.inf


def limits_of(dice, cpus, gpus, owner, low, high):
    """A limit of processors, and one of GPUs if there are some. What a single job may take is noted."""
    limits = {"cpu": dice.part(cpus, low, high)}
    owner.max_cpus = min(owner.max_cpus, limits["cpu"])
    if gpus > 1 and dice.chance(0.3):
        limits["gres/gpu"] = dice.part(gpus, 0.5, 1)
        owner.max_gpus = min(owner.max_gpus, limits["gres/gpu"])
    return tres(limits)


def draw_qualities(dice, cpus, gpus, preempts, partitions):
    found = []
    names = ["normal"] + dice.sample(["high", "low", "quick", "bulk"], dice.randint(1, 4))
    for name in names:
        priority = {"normal": 100, "high": 1000, "low": 10}.get(name, dice.choice([20, 200, 500]))
        one = Quality(name, {"Priority": priority})
        if name != "normal" and dice.chance(0.5):
            one.settings["MaxTRESPerUser"] = limits_of(dice, cpus, gpus, one, 0.2, 0.6)
        if dice.chance(0.2):
            one.settings["GrpTRES"] = limits_of(dice, cpus, gpus, one, 0.4, 0.9)
        if dice.chance(0.2):
            one.settings["MaxJobsPerUser"] = dice.randint(4, 12)
        if dice.chance(0.1):
            one.settings["MaxJobsPerAccount"] = dice.randint(10, 20)
        if name == "quick":
            one.max_wall = one.settings["MaxWall"] = dice.choice([2, 4])
        if dice.chance(0.2):
            one.settings["UsageFactor"] = dice.choice([0.5, 2])
        if dice.chance(0.1):
            one.settings["Flags"] = dice.choice(["NoReserve", "OverPartQOS"])
        found.append(one)
    if preempts == "qos":
        order = sorted(found, key=lambda one: one.settings["Priority"])
        for place, one in enumerate(order):
            if place and (place == len(order) - 1 or dice.chance(0.5)):
                one.settings["Preempt"] = ",".join(lower.name for lower in order[:dice.randint(1, place)])
            elif dice.chance(0.4):
                one.settings["PreemptMode"] = dice.choice(["cancel", "requeue"])
            if dice.chance(0.2):
                one.settings["GraceTime"] = dice.choice([5, 15])
    for partition in partitions:
        if dice.chance(0.3):
            one = Quality(f"of_{partition.name}", {})
            if dice.chance(0.6):
                one.settings["GrpTRES"] = limits_of(dice, cpus, gpus, one, 0.3, 0.8)
            else:
                one.settings[dice.choice(["MaxJobsPerUser", "GrpJobs"])] = dice.randint(8, 16)
            partition.settings["QOS"] = one.name
            partition.qos = one
            found.append(one)
        elif dice.chance(0.15):
            allowed = sorted({"normal", *dice.some(names)})
            partition.settings["AllowQos"] = ",".join(allowed)
    return found, names


def draw_accounts(dice, cpus, gpus):
    """Accounts up to three deep; those that are asked for before those below them."""
    found = []

    def add(name, parent, depth):
        one = Account(name, parent, {"Fairshare": dice.choice([1, 10, 20, 50, 100])}, depth)
        if dice.chance(0.15):
            one.settings["GrpTRES"] = limits_of(dice, cpus, gpus, one, 0.3, 0.7)
        if dice.chance(0.07):
            one.settings["GrpJobs"] = dice.randint(12, 25)
        if dice.chance(0.04):
            # Minutes of processors: about what a third of the site gives in the time of submissions.
            one.settings["GrpTRESMins"] = f"cpu={dice.part(cpus * SUBMITTING / 60, 0.3, 0.8)}"
        if dice.chance(0.1):
            one.settings["GrpTRESRunMins"] = f"cpu={dice.part(cpus * 10, 0.5, 1)}"
        if dice.chance(0.05):
            one.settings["GrpSubmitJobs"] = dice.randint(60, 100)
        found.append(one)
        if depth < 3 and dice.chance(0.6 if depth == 1 else 0.35):
            for number in range(1, dice.randint(2, 3)):
                add(f"{name}{'abc'[number - 1]}", name, depth + 1)

    for name in dice.sample(["physics", "biology", "chem", "law"], dice.randint(2, 3)):
        add(name, "root", 1)
    return found


@dataclasses.dataclass
class Association:
    user: str
    account: str
    settings: dict
    max_cpus: float = math.inf


def draw_associations(dice, accounts, cpus):
    """Users in one or two accounts each, and some limits of their own."""
    found = []
    users = USERS[:dice.randint(5, len(USERS))]
    for user in users:
        for account in dice.sample(accounts, 2 if len(accounts) > 1 and dice.chance(0.25) else 1):
            one = Association(user, account.name, {"Fairshare": dice.choice(["1", "1", "2", "5", "parent"])})
            if dice.chance(0.1):
                one.settings["MaxJobs"] = dice.randint(5, 10)
            if dice.chance(0.1):
                one.max_cpus = dice.part(cpus, 0.3, 0.6)
                one.settings["MaxTRES"] = f"cpu={one.max_cpus}"
            if dice.chance(0.05):
                one.settings["MaxSubmitJobs"] = dice.randint(25, 40)
            if dice.chance(0.08):
                one.settings["GrpTRES"] = f"cpu={dice.part(cpus, 0.4, 0.7)}"
                one.max_cpus = min(one.max_cpus, int(one.settings["GrpTRES"].partition("=")[2]))
            found.append(one)
    return found


# Settings of the scheduler ---------------------------------------------------------------------------------------------

def draw_scheduler(dice, preempts):
    words = [f"bf_interval={dice.choice([5, 10, 15, 20, 30])}", f"bf_resolution={dice.choice([1, 10, 15, 30, 60])}",
             f"bf_window={dice.choice([30, 60, 120, 240])}"]
    for probability, word in (
        (0.75, "bf_continue"), (0.2, f"bf_max_job_test={dice.choice([20, 50, 100])}"),
        (0.2, f"bf_max_job_user={dice.choice([5, 10, 20])}"), (0.15, f"bf_max_job_part={dice.choice([10, 15, 40])}"),
        (0.1, f"bf_max_job_assoc={dice.choice([5, 10, 20])}"), (0.1, f"bf_max_job_start={dice.choice([2, 5, 10])}"),
        (0.1, f"bf_max_job_user_part={dice.choice([3, 6])}"), (0.1, f"bf_max_job_array_resv={dice.choice([1, 5])}"),
        (0.1, f"bf_min_age_reserve={dice.choice([10, 30, 60])}"), (0.08, f"bf_min_prio_reserve={dice.choice([500, 2000])}"),
        (0.1, "bf_busy_nodes"), (0.1, f"bf_window_linear={dice.choice([30, 60])}"),
        (0.1, f"bf_job_part_count_reserve={dice.choice([2, 5])}"), (0.1, "bf_one_resv_per_job"),
        (0.5, f"sched_interval={dice.choice([15, 20, 30])}"), (0.2, f"default_queue_depth={dice.choice([5, 20, 50])}"),
        (0.12, f"partition_job_depth={dice.choice([5, 10])}"), (0.1, f"sched_max_job_start={dice.choice([2, 5])}"),
        (0.2, f"batch_sched_delay={dice.choice([1, 5, 10])}"), (0.15, "defer"), (0.15, "assoc_limit_stop"),
        (0.08, "pack_serial_at_end"), (0.1, "sched_min_interval=2000000"),
        (0.3 if preempts else 0, "preempt_youngest_first"), (0.2 if preempts else 0, "preempt_strict_order"),
        (0.2 if preempts else 0, f"preempt_reorder_count={dice.choice([2, 3])}"),
    ):
        if dice.chance(probability):
            words.append(word)
    return ",".join(words)


def draw_priority(dice, has_gpus):
    if dice.chance(0.06):
        return {"PriorityType": "priority/basic"}
    flags = []
    is_classic = dice.chance(0.35)
    for probability, flag in ((is_classic, "NO_FAIR_TREE"), (0.12, "ACCRUE_ALWAYS"), (0.12, "CALCULATE_RUNNING"),
                              (0.12, "MAX_TRES"), (0.12, "SMALL_RELATIVE_TO_TIME"),
                              (0.25 if is_classic else 0, "DEPTH_OBLIVIOUS"), (0.06, "INCR_ONLY")):
        if dice.chance(probability):
            flags.append(flag)
    found = {
        "PriorityType": "priority/multifactor", "PriorityFlags": ",".join(flags) or None,
        "PriorityDecayHalfLife": f"00:{dice.choice([5, 10, 20, 30]):02}:00", "PriorityCalcPeriod": 1,
        "PriorityMaxAge": f"00:{dice.choice([5, 10, 20]):02}:00",
        "PriorityFavorSmall": dice.choice([None, None, "YES"]),
        "FairShareDampeningFactor": dice.choice([None, 2, 3]) if is_classic else None,
        "PriorityWeightAge": dice.choice([0, 1000, 2000, 3000, 5000]),
        "PriorityWeightFairshare": dice.choice([0, 2000, 5000, 10000]),
        "PriorityWeightJobSize": dice.choice([0, 500, 1000, 2000, 3000]),
        "PriorityWeightPartition": dice.choice([0, 500, 1000, 3000]),
        "PriorityWeightQOS": dice.choice([0, 1000, 2000, 5000]),
    }
    if dice.chance(0.5):
        found["PriorityWeightTRES"] = f"CPU={dice.choice([500, 2000])},Mem={dice.choice([0, 1000])}" + (
            f",GRES/gpu={dice.choice([1000, 3000])}" if has_gpus else "")
    if dice.chance(0.15):
        found["PriorityWeightAssoc"] = 1000
    return found


# Jobs -----------------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Job:
    """A submission. `cost` is what it takes of the site for each second that it runs, as a share of one."""
    args: list
    user: str
    account: str
    cost: float = 0.0
    tasks: int = 0
    limit: int = 0
    run: object = 0
    at: int = 0
    key: str = ""
    is_endless: bool = False


class Refused(Exception):
    """A job that cannot be: it is drawn again."""


class Site:
    """All of a folder."""

    def __init__(self, seed):
        dice = self.dice = Dice(seed)
        self.seed = seed
        self.kinds = draw_kinds(dice)
        self.cpus = sum(kind.cpus() * kind.count for kind in self.kinds)
        self.gpus = sum(kind.gpu_count() * kind.count for kind in self.kinds)
        self.preempts = dice.pick(no=4, partition=3, qos=3)
        self.draw_selection()
        preempts = self.preempts != "no"
        self.partitions = draw_partitions(dice, self.kinds, self.has_memory, self.preempts == "partition")
        self.qualities, self.job_qos = draw_qualities(dice, self.cpus, self.gpus, self.preempts, self.partitions)
        self.accounts = draw_accounts(dice, self.cpus, self.gpus)
        self.associations = draw_associations(dice, self.accounts, self.cpus)
        self.users = list(dict.fromkeys(one.user for one in self.associations))
        if dice.chance(0.3):
            barred = dice.choice(self.partitions[1:])
            barred.denied = barred.settings["DenyAccounts"] = dice.choice(self.accounts).name
        self.licenses = {name: dice.randint(2, 8) for name in dice.some(["matlab", "ansys"], 0)}
        self.settings = self.draw_settings(preempts)
        self.has_topology = dice.chance(0.15)
        self.events = []
        self.jobs = []
        self.draw_jobs()
        self.draw_reservations()
        self.draw_events()
        self.user_priorities = {}
        if self.settings.get("PriorityWeightAssoc"):
            self.user_priorities = {user: dice.choice([10, 50, 100]) for user in dice.some(self.users, 2)[:3]}

    # The configuration

    def draw_selection(self):
        dice = self.dice
        self.is_linear = dice.chance(0.08)
        self.has_memory = dice.chance(0.85)
        self.unit = "node" if self.is_linear else dice.pick(core=6, cpu=2, socket=1)
        if self.unit == "socket":
            # With cores set aside Slurm refuses most jobs then.
            for kind in self.kinds:
                kind.spec_cores = 0
        consumed = {"node": "CR", "core": "CR_Core", "cpu": "CR_CPU", "socket": "CR_Socket"}[self.unit]
        words = [consumed + "_Memory" * self.has_memory]
        if words == ["CR"]:
            words = []
        for probability, word in ((0.1, "CR_CORE_DEFAULT_DIST_BLOCK"), (0.08, "CR_ONE_TASK_PER_CORE"), (0.06, "CR_LLN"),
                                  (0.08, "CR_Pack_Nodes")):
            if self.is_linear or not dice.chance(probability):
                continue
            # Slurm takes one task a core with cores and sockets only.
            if word != "CR_ONE_TASK_PER_CORE" or self.unit != "cpu":
                words.append(word)
        self.selection = ",".join(words)
        # Full nodes of default memory fit.
        self.memory_per_cpu = min(kind.usable_memory() // kind.cpus() for kind in self.kinds)

    def draw_settings(self, preempts):
        dice = self.dice
        found = {
            "ClusterName": f"random{self.seed}", "SchedulerType": "sched/backfill",
            "SchedulerParameters": draw_scheduler(dice, preempts),
            "SelectType": "select/linear" if self.is_linear else "select/cons_tres",
            "SelectTypeParameters": self.selection or None,
            "AccountingStorageEnforce": "associations,limits,qos" + ",safe" * dice.chance(0.2),
            "DependencyParameters": "kill_invalid_depend" if dice.chance(0.6) else None,
            "EnforcePartLimits": dice.choice([None, None, "ALL", "ANY"]),
            "KillWait": dice.choice([None, 5, 30]), "CompleteWait": dice.choice([None, None, None, 4]),
            "OverTimeLimit": dice.choice([None, None, None, None, 1]),
            **draw_priority(dice, self.gpus),
        }
        if self.has_memory and dice.chance(0.9):
            found["DefMemPerCPU"] = dice.part(self.memory_per_cpu, 0.3, 0.8)
        if self.gpus:
            kinds = sorted({f"gres/gpu:{name}" for kind in self.kinds for name in kind.gpus if name})
            found["GresTypes"] = "gpu"
            found["AccountingStorageTRES"] = ",".join(["gres/gpu", *(kinds if dice.chance(0.5) else [])])
        if self.licenses:
            found["Licenses"] = ",".join(f"{name}:{count}" for name, count in self.licenses.items())
        if preempts:
            found["PreemptType"] = {"partition": "preempt/partition_prio", "qos": "preempt/qos"}[self.preempts]
            found["PreemptMode"] = dice.choice(["REQUEUE", "REQUEUE", "CANCEL"])
            found["PreemptExemptTime"] = dice.choice([None, None, "00:00:20"])
        return found

    def slurm_conf(self):
        lines = setting(**self.settings)
        if self.has_topology:
            lines.append("TopologyPlugin=topology/tree")
        lines += [kind.line() for kind in self.kinds]
        lines += [partition.line() for partition in self.partitions]
        return "\n".join(lines) + "\n"

    def topology_conf(self):
        """Each kind below one or two switches, and these below one."""
        lines, leaves = [], []
        for kind in self.kinds:
            half = kind.count // 2 if kind.count > 3 else 0
            for first, last in ([(1, half), (half + 1, kind.count)] if half else [(1, kind.count)]):
                leaves.append(f"s{len(leaves) + 1}")
                lines.append(f"SwitchName={leaves[-1]} Nodes={kind.range(first, last)}")
        return "\n".join([*lines, f"SwitchName=top Switches={','.join(leaves)}"]) + "\n"

    def accounting(self):
        lines = []
        for one in self.qualities:
            if one.name != "normal":
                lines.append(f"add qos {one.name}")
        for one in self.qualities:
            if one.settings:
                lines.append(f"modify qos where name={one.name} set {' '.join(setting(**one.settings))}")
        for one in self.accounts:
            lines.append(f"add account {one.name} parent={one.parent} {' '.join(setting(**one.settings))}")
        for one in self.associations:
            lines.append(f"add user {one.user} account={one.account} {' '.join(setting(**one.settings))}")
        lines.append(f"modify user where name={','.join(self.users)} set QOS={','.join(self.job_qos)} DefaultQOS=normal")
        lines += [f"modify user where name={user} set Priority={priority}" for user, priority in self.user_priorities.items()]
        return "\n".join(lines) + "\n"

    # Jobs

    def draw_jobs(self):
        """Jobs whose run times are stretched to the load that is asked for."""
        dice = self.dice
        count = dice.randint(*SUBMISSIONS)
        users = self.associations
        weights = [1 / (rank + 1) for rank in range(len(users))]
        while len(self.jobs) < count:
            who = dice.choices(users, weights)[0]
            try:
                self.jobs.append(self.draw_job(who))
            except Refused:
                continue
        self.stretch()
        times = self.draw_times()
        for number, (job, at) in enumerate(zip(self.jobs, times), 1):
            job.at, job.key = at, f"j{number:03}"
        self.draw_relations()

    def draw_times(self):
        """Seconds of submissions: a burst at the begin, then single ones and small bursts; at most three in a second."""
        dice, taken = self.dice, {}
        times = []
        while len(times) < len(self.jobs):
            burst = dice.chance(0.2)
            begin = dice.randrange(0, 30) if dice.chance(0.15) else dice.randrange(0, SUBMITTING)
            for number in range(dice.randint(2, 5) if burst else 1):
                at = begin + number // 2
                if taken.get(at, 0) < 3:
                    taken[at] = taken.get(at, 0) + 1
                    times.append(at)
        return sorted(times[:len(self.jobs)])

    def draw_job(self, who):
        dice = self.dice
        usable = [one for one in self.partitions if one.denied != who.account]
        partitions = dice.choices(usable, [one.cpus() for one in usable])
        if len(usable) > 1 and dice.chance(0.15):
            partitions = dice.sample(usable, dice.randint(2, min(3, len(usable))))
        # Nodes of one kind that all of the partitions have hold the job.
        kinds = [kind for kind in self.kinds if all(kind in one.kinds for one in partitions)]
        if not kinds:
            raise Refused
        kind = dice.choices(kinds, [kind.count * kind.cpus() for kind in kinds])[0]
        nodes = min(one.upto[kind.letter] for one in partitions)
        job = Job([], who.user, who.account)
        if [one.name for one in partitions] != [self.partitions[0].name] or dice.chance(0.3):
            job.args.append(f"-p {','.join(one.name for one in partitions)}")
        qos = self.draw_qos(job, partitions)
        self.draw_shape(job, kind, min(nodes, *(one.max_nodes for one in partitions)), partitions, who, qos)
        self.draw_limit(job, partitions, qos)
        self.draw_rest(job, kind)
        return job

    def draw_qos(self, job, partitions):
        dice = self.dice
        allowed = [one for one in self.qualities if one.name in self.job_qos]
        for partition in partitions:
            if "AllowQos" in partition.settings:
                allowed = [one for one in allowed if one.name in partition.settings["AllowQos"].split(",")]
        qos = dice.choice(allowed) if dice.chance(0.45) else next(one for one in allowed if one.name == "normal")
        if qos.name != "normal":
            job.args.append(f"-q {qos.name}")
        return qos

    def draw_shape(self, job, kind, nodes, partitions, who, qos):
        """What it asks for, so that nodes of a kind have it."""
        dice, args = self.dice, job.args
        per_node = min(kind.usable_cpus(), *(one.max_cpus_per_node for one in partitions))
        has_gpus = kind.gpus and dice.chance(0.6)
        form = dice.pick(tasks=3, threads=2, nodes=3, range=1, whole=0.7, spread=1)
        count = 1 if nodes == 1 or dice.chance(0.6) else dice.part(nodes, 0.1, 0.5)
        # Processors on each node.
        cpus = min(per_node, dice.choice([1, 1, 2, 2, 4, per_node // 2 or 1, per_node]))
        asked, count, most = self.draw_size(args, form, count, cpus, nodes, per_node)
        is_whole = form == "whole" or any(one.is_whole for one in partitions)
        if form == "whole" and per_node < kind.usable_cpus():
            raise Refused
        cpus = self.allotted(kind, kind.cpus() if form == "whole" else asked, is_whole)
        gpus = self.draw_gpus(args, kind, count, form) if has_gpus else 0
        share = max(cpus / kind.cpus(), self.draw_memory(args, kind, cpus, asked), gpus / max(1, kind.gpu_count()))
        caps = [who, qos, *(one.qos for one in partitions if one.qos), *self.chain(who.account)]
        if most * cpus > min(one.max_cpus for one in caps):
            raise Refused
        if most * gpus > min(getattr(one, "max_gpus", math.inf) for one in caps):
            raise Refused
        job.cost = count * share * kind.cpus() / self.cpus
        # Few large ones, so that there is time for others.
        if dice.random() * LARGE < job.cost - LARGE / 2:
            raise Refused
        # With processors that GPUs bring, Slurm 22.05 holds jobs of one thread a core.
        if kind.threads > 1 and not gpus and form in ("tasks", "nodes") and cpus * 2 <= per_node and dice.chance(0.2):
            args.append(dice.choice(["--hint=nomultithread", "--threads-per-core=1"]))
        if dice.chance(0.04) and kind.sockets > 1 and form == "nodes" and asked >= 2 and asked % 2 == 0:
            args.append(f"--ntasks-per-socket={asked // 2}")

    def draw_size(self, args, form, count, cpus, nodes, per_node):
        """Asks for nodes and tasks: processors on each node, nodes, and nodes at most."""
        dice = self.dice
        if form == "whole":
            args.append(f"-N {count} --exclusive")
            return 1, count, count
        if form == "tasks":
            args.append(f"-n {cpus}" if dice.chance(0.5) else f"-N 1 -n {cpus}")
            return cpus, 1, 1
        if form == "threads":
            threads = dice.choice([2, 3, 4])
            tasks = max(1, cpus // threads)
            threads = min(threads, per_node)
            args.append(f"-N 1 -n {tasks} -c {threads}" if dice.chance(0.5) else f"-n {tasks} -c {threads}")
            return tasks * threads, 1, 1
        if form == "nodes":
            args.append(f"-N {count} --ntasks-per-node={cpus}")
            return cpus, count, count
        if form == "range":
            most = min(nodes, count + dice.randint(1, 3))
            if most == count:
                raise Refused
            args.append(f"-N {count}-{most}")
            args.append(f"--ntasks-per-node={cpus}" if dice.chance(0.5) else f"-n {count * cpus}")
            return cpus, count, most
        # Tasks that need not be on one node, and need not fill their nodes.
        total = dice.part(count * cpus, 0.7, 1.2)
        if total > nodes * per_node:
            raise Refused
        args.append(f"-n {total}")
        return cpus, count, math.ceil(total / cpus)

    def allotted(self, kind, asked, is_whole):
        """Processors that a node gives for those that are asked for."""
        if is_whole or self.is_linear:
            return kind.cpus()
        step = {"core": kind.threads, "cpu": 1, "socket": kind.cores * kind.threads}[self.unit]
        if "CR_ONE_TASK_PER_CORE" in self.selection:
            asked *= kind.threads
        got = math.ceil(asked / step) * step
        if asked > kind.usable_cpus():
            raise Refused
        return got

    def draw_gpus(self, args, kind, count, form):
        """Asks for GPUs, and says how many on each node at most."""
        dice = self.dice
        name, most = dice.choice(list(kind.gpus.items()))
        number = dice.randint(1, most)
        named = f"{name}:{number}" if name and dice.chance(0.6) else str(number)
        if form in ("tasks", "threads") and dice.chance(0.4):
            args.append(f"--gpus={named}")
        elif form == "nodes" and dice.chance(0.15):
            args.append(f"--gpus={number * count}")
        elif dice.chance(0.3):
            args.append(f"--gpus-per-node={named}")
        else:
            args.append(f"--gres=gpu:{named}")
        if dice.chance(0.1) and self.has_memory:
            args.append(f"--mem-per-gpu={kind.usable_memory() // kind.gpu_count() // 2}")
        return number

    def draw_memory(self, args, kind, cpus, asked):
        """Asks for memory sometimes, and says what share of a node's it is."""
        dice = self.dice
        if not self.has_memory or any(word.startswith("--mem-per-gpu") for word in args):
            return 0
        default = self.settings.get("DefMemPerCPU")
        if dice.chance(0.25):
            memory = dice.part(kind.usable_memory(), 0.05, 0.5 if dice.chance(0.8) else 1)
            args.append(f"--mem={memory}")
        elif dice.chance(0.25):
            each = dice.part(kind.usable_memory() / max(cpus, asked), 0.2, 0.95 if cpus > kind.cpus() / 4 else 0.4)
            args.append(f"--mem-per-cpu={each}")
            memory = each * cpus
        elif default is None:
            # All that a node has.
            return 1
        else:
            memory = default * cpus
        if memory > kind.usable_memory():
            raise Refused
        return memory / kind.memory

    def chain(self, name):
        """An account and those above it."""
        by_name = {one.name: one for one in self.accounts}
        found = []
        while name in by_name:
            found.append(by_name[name])
            name = by_name[name].parent
        return found

    def draw_limit(self, job, partitions, qos):
        """A time limit in minutes; the run time for a load of one is drawn with it."""
        dice = self.dice
        longest = min(qos.max_wall, *(one.max_time for one in partitions))
        default = partitions[0].default_time
        if default and default <= longest and len(partitions) == 1 and dice.chance(0.1):
            job.limit = default
        else:
            job.limit = min(longest, dice.choice([1, 1, 2, 2, 3, 4, 5, 8, 10]))
            job.args.append(f"-t {job.limit}")
        job.is_endless = job.limit <= 2 and dice.chance(0.12)
        # Most jobs end well before their limit.
        job.run = dice.lognormvariate(0, 0.7)

    def draw_rest(self, job, kind):
        """Options that do not change what it takes."""
        dice = self.dice
        if dice.chance(0.12):
            mine = kind.features[1:]
            other = dice.choice([one.features[0] for one in self.kinds if one is not kind])
            spec = dice.choice([kind.features[0], f"{kind.features[0]}|{other}",
                                f"{kind.features[0]}&{mine[0]}" if mine else kind.features[0]])
            job.args.append(f"-C '{spec}'")
        elif dice.chance(0.02):
            job.args.append(f"-x {kind.letter}01" if kind.count > 2 else "")
        if self.licenses and dice.chance(0.12):
            name, count = dice.choice(list(self.licenses.items()))
            job.args.append(f"-L {name}:{dice.randint(1, max(1, count // 2))}")
        if dice.chance(0.08):
            job.args.append(f"--nice={dice.choice([50, 200, 1000])}")
        if dice.chance(0.04):
            job.args.append(f"--begin=now+{dice.randint(10, 90)}")
        if dice.chance(0.02):
            job.args.append("--contiguous")
        if dice.chance(0.02):
            job.args.append("--spread-job")
        if dice.chance(0.03):
            job.args.append("--no-requeue")
        if dice.chance(0.03):
            word = "-s" if dice.chance(0.5) else "--use-min-nodes"
            # Slurm takes a job for one that shares, or that has nodes of its own.
            if word != "-s" or not any("--exclusive" in one for one in job.args):
                job.args.append(word)
        if dice.chance(0.08):
            job.tasks = dice.randint(3, 8)
            throttle = f"%{dice.randint(1, 3)}" if dice.chance(0.4) else ""
            job.args.append(f"--array=0-{job.tasks - 1}{throttle}")
        job.args = [word for word in job.args if word]

    def stretch(self):
        """Sets run times so that the site is asked for as much as it should be."""
        dice = self.dice
        wanted = dice.uniform(*LOAD) * SUBMITTING

        def run_of(job, factor):
            if job.is_endless:
                return job.limit * 60 + 15
            return min(max(5, job.run * factor), job.limit * 60 - 5, 180)

        def asked(factor):
            return sum(job.cost * max(1, job.tasks) * run_of(job, factor) for job in self.jobs)

        low, high = 1.0, 2000.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if asked(middle) < wanted else (low, middle)
        for job in self.jobs:
            if job.is_endless:
                job.run = -1
            elif job.tasks and dice.chance(0.5):
                runs = [run_of(job, low) * dice.uniform(0.6, 1.4) for _ in range(job.tasks)]
                job.run = [round(min(max(5, run), job.limit * 60 - 5)) for run in runs]
            else:
                job.run = round(run_of(job, low))

    def draw_relations(self):
        """Dependencies on jobs that are submitted earlier."""
        dice = self.dice
        for place, job in enumerate(self.jobs):
            if place < 5 or not dice.chance(0.06) or any(word.startswith("--begin") for word in job.args):
                continue
            if dice.chance(0.2):
                job.args.append("--dependency=singleton")
                continue
            earlier = [one for one in self.jobs[max(0, place - 25):place] if one.at < job.at]
            if earlier:
                kind = dice.pick(afterok=2, afterany=4, after=1, afternotok=0.3)
                job.args.append(f"--dependency={kind}:@{dice.choice(earlier).key}")

    # Events

    def draw_reservations(self):
        """Reservations of nodes or cores, most with jobs in them."""
        dice = self.dice
        for number in range(dice.choice([0, 1, 1, 2, 3])):
            name = f"r{number + 1}"
            kind = dice.choice(self.kinds)
            begin = dice.randint(60, 240)
            length = dice.randint(2, 4)
            who = dice.choice(self.associations)
            words = [f"ReservationName={name}", f"StartTime=@T+{begin}", f"Duration=00:{length:02}:00"]
            words.append(f"Users={who.user}" if dice.chance(0.6) else f"Accounts={who.account}")
            partition = next((one for one in self.partitions if kind in one.kinds and one.denied != who.account), None)
            if partition is None:
                continue
            # On idle nodes at the begin, else whatever runs there.
            made = 0
            if not self.is_linear and dice.chance(0.3):
                cores = dice.part(kind.sockets * kind.cores, 0.3, 0.7)
                words += [f"Nodes={kind.letter}01", f"CoreCnt={cores}"]
                fits, nodes = cores * kind.threads, 1
            else:
                nodes = dice.part(partition.upto[kind.letter], 0.2, 0.6)
                words.append(f"Nodes={kind.range(last=nodes)}")
                fits = kind.usable_cpus()
                if dice.chance(0.4):
                    made = max(1, begin - dice.randint(5, 50))
                    words.append("Flags=IGNORE_JOBS" + ",MAINT" * dice.chance(0.2))
            self.events.append((made, f"scontrol create reservation {' '.join(words)}"))
            if dice.chance(0.15):
                self.events.append((begin + length * 30, f"scontrol delete ReservationName={name}"))
            if dice.chance(0.8):
                times = (made + 5, begin + length * 60 - 20)
                self.draw_reserved_jobs(name, who, partition, fits, nodes, times)
        self.jobs.sort(key=lambda job: job.at)

    def draw_reserved_jobs(self, name, who, partition, fits, nodes, times):
        """Jobs in a reservation, by its number of nodes and the processors of each. The limits of some go past its end."""
        dice = self.dice
        fits = min(fits, partition.max_cpus_per_node)
        nodes = min(nodes, partition.max_nodes)
        caps = [who, *self.chain(who.account), *([partition.qos] if partition.qos else [])]
        for _ in range(dice.randint(2, 5)):
            job = Job([f"-p {partition.name}", f"--reservation={name}"], who.user, who.account)
            cpus = dice.part(fits, 0.2, 0.6)
            count = dice.part(nodes, 0.3, 1)
            if count * cpus > min(one.max_cpus for one in caps):
                continue
            job.args.append(f"-N {count} --ntasks-per-node={cpus}")
            job.limit = min(partition.max_time, dice.choice([1, 2, 3, 5]))
            job.args.append(f"-t {job.limit}")
            job.run = min(dice.randint(15, 100), job.limit * 60 - 5)
            job.at = dice.randint(*times)
            job.key = f"{name}j{len(self.jobs) + 1:03}"
            self.jobs.append(job)

    def draw_events(self):
        """Nodes that are drained or fail, jobs that are cancelled, held and released, changed or requeued."""
        dice, events = self.dice, self.events
        for _ in range(dice.choice([0, 1, 1, 2])):
            kind = dice.choice(self.kinds)
            node = f"{kind.letter}{dice.randint(1, kind.count):02}"
            begin = dice.randint(40, SUBMITTING - 120)
            state = "DOWN" if dice.chance(0.25) else "DRAIN"
            events.append((begin, f"scontrol update NodeName={node} State={state} Reason=test"))
            events.append((begin + dice.randint(40, 120), f"scontrol update NodeName={node} State=RESUME"))
        named = {word.partition("@")[2] for job in self.jobs for word in job.args if "@" in word}
        free = [job for job in self.jobs if job.key not in named and not job.tasks and job.key.startswith("j")]
        for job in dice.sample(free, min(len(free), dice.randint(5, 14))):
            at = job.at + dice.randint(2, 40)
            what = dice.pick(cancel=4, hold=2, limit=1, nice=1, requeue=0.7, born_held=1)
            if what == "cancel":
                events.append((at, f"scancel @{job.key}"))
            elif what in ("hold", "born_held"):
                if what == "hold":
                    events.append((at, f"scontrol hold @{job.key}"))
                else:
                    job.args.append("-H")
                events.append((at + dice.randint(15, 90), f"scontrol release @{job.key}"))
            elif what == "limit":
                events.append((at, f"scontrol update JobId=@{job.key} TimeLimit={max(1, job.limit - 1)}"))
            elif what == "nice":
                events.append((at, f"scontrol update JobId=@{job.key} Nice={dice.choice([100, 500])}"))
            else:
                events.append((at, f"scontrol requeue @{job.key}"))
        events.sort(key=lambda event: event[0])

    # Files

    def files(self):
        """The texts of the folder by name."""
        found = {"slurm.conf": self.slurm_conf(), "sacctmgr.txt": self.accounting()}
        gres = [line for kind in self.kinds for line in kind.gres_lines()]
        if gres:
            found["gres.conf"] = "\n".join(gres) + "\n"
        if self.has_topology:
            found["topology.conf"] = self.topology_conf()
        found["jobs.csv"] = table(
            ["key", "submit", "user", "account", "run", "args"],
            [[job.key, job.at, job.user, job.account,
              str(job.run).replace(" ", "") if isinstance(job.run, list) else job.run, " ".join(job.args)] for job in self.jobs])
        if self.events:
            found["events.csv"] = table(["at", "command"], self.events)
        return found


def table(titles, rows):
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows(rows)
    return text.getvalue()


def write(seed, folder):
    """Writes the folder of a seed."""
    folder.mkdir(parents=True)
    site = Site(seed)
    for name, text in site.files().items():
        (folder / name).write_text(text)
    return site
