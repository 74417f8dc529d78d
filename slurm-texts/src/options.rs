//! The options that `sbatch` has.

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionValue {
    None,
    /// Attached only: `--nice=5`.
    Optional,
    Required,
}

/// An option of `sbatch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SbatchOption {
    pub name: &'static str,
    pub short: Option<char>,
    pub value: OptionValue,
    /// Whether it never changes when or where a job starts: output, mail, steps.
    pub harmless: bool,
}

const fn option(name: &'static str, short: Option<char>, value: OptionValue) -> SbatchOption {
    SbatchOption { name, short, value, harmless: false }
}

const fn harmless(name: &'static str, short: Option<char>, value: OptionValue) -> SbatchOption {
    SbatchOption { name, short, value, harmless: true }
}

use OptionValue::{None as NoValue, Optional, Required};

/// All options, by name.
pub(super) const OPTIONS: [SbatchOption; 119] = [
    option("account", Some('A'), Required),
    harmless("acctg-freq", None, Required),
    option("array", Some('a'), Required),
    option("batch", None, Required),
    option("bb", None, Required),
    option("bbf", None, Required),
    option("begin", Some('b'), Required),
    option("burst-buffer", None, Required),
    harmless("chdir", Some('D'), Required),
    option("cluster-constraint", None, Required),
    option("clusters", Some('M'), Required),
    harmless("comment", None, Required),
    option("consolidate-segments", None, NoValue),
    option("constraint", Some('C'), Required),
    harmless("container", None, Required),
    harmless("container-id", None, Required),
    option("contiguous", None, NoValue),
    option("core-spec", Some('S'), Required),
    option("cores-per-socket", None, Required),
    harmless("cpu-freq", None, Required),
    option("cpus-per-gpu", None, Required),
    option("cpus-per-task", Some('c'), Required),
    option("deadline", None, Required),
    option("delay-boot", None, Required),
    option("dependency", Some('d'), Required),
    option("distribution", Some('m'), Required),
    harmless("error", Some('e'), Required),
    option("exclude", Some('x'), Required),
    option("exclusive", None, Optional),
    harmless("export", None, Required),
    harmless("export-file", None, Required),
    harmless("external-launcher", None, NoValue),
    harmless("extra", None, Required),
    option("extra-node-info", Some('B'), Required),
    harmless("get-user-env", None, Optional),
    harmless("gid", None, Required),
    harmless("gpu-bind", None, Required),
    harmless("gpu-freq", None, Required),
    option("gpus", Some('G'), Required),
    option("gpus-per-node", None, Required),
    option("gpus-per-socket", None, Required),
    option("gpus-per-task", None, Required),
    option("gres", None, Required),
    option("gres-flags", None, Required),
    harmless("help", Some('h'), NoValue),
    option("hint", None, Required),
    option("hold", Some('H'), NoValue),
    harmless("ignore-pbs", None, NoValue),
    harmless("input", Some('i'), Required),
    option("job-name", Some('J'), Required),
    option("kill-on-invalid-dep", None, Required),
    option("licenses", Some('L'), Required),
    harmless("mail-type", None, Required),
    harmless("mail-user", None, Required),
    option("mcs-label", None, Required),
    option("mem", None, Required),
    harmless("mem-bind", None, Required),
    option("mem-per-cpu", None, Required),
    option("mem-per-gpu", None, Required),
    option("mincpus", None, Required),
    harmless("network", None, Required),
    option("nice", None, Optional),
    harmless("no-kill", Some('k'), Optional),
    option("no-requeue", None, NoValue),
    option("nodefile", Some('F'), Required),
    option("nodelist", Some('w'), Required),
    option("nodes", Some('N'), Required),
    option("ntasks", Some('n'), Required),
    option("ntasks-per-core", None, Required),
    option("ntasks-per-gpu", None, Required),
    option("ntasks-per-node", None, Required),
    option("ntasks-per-socket", None, Required),
    harmless("oom-kill-step", None, Optional),
    harmless("open-mode", None, Required),
    harmless("output", Some('o'), Required),
    option("overcommit", Some('O'), NoValue),
    option("oversubscribe", Some('s'), NoValue),
    harmless("parsable", None, NoValue),
    option("partition", Some('p'), Required),
    option("power", None, Required),
    option("prefer", None, Required),
    option("priority", None, Required),
    harmless("profile", None, Required),
    harmless("propagate", None, Optional),
    option("qos", Some('q'), Required),
    harmless("quiet", Some('Q'), NoValue),
    option("reboot", None, NoValue),
    option("requeue", None, NoValue),
    option("reservation", None, Required),
    option("resv-ports", None, Optional),
    option("segment", None, Required),
    option("share", None, NoValue),
    harmless("signal", None, Required),
    option("sockets-per-node", None, Required),
    option("spread-job", None, NoValue),
    option("spread-segments", None, NoValue),
    harmless("stepmgr", None, NoValue),
    option("switches", None, Required),
    option("tasks-per-node", None, Required),
    option("test-only", None, NoValue),
    option("thread-spec", None, Required),
    option("threads-per-core", None, Required),
    option("time", Some('t'), Required),
    option("time-min", None, Required),
    option("tmp", None, Required),
    harmless("tres-bind", None, Required),
    option("tres-per-job", None, Required),
    option("tres-per-node", None, Required),
    option("tres-per-task", None, Required),
    option("uid", None, Required),
    harmless("usage", None, NoValue),
    option("use-min-nodes", None, NoValue),
    harmless("verbose", Some('v'), NoValue),
    harmless("version", Some('V'), NoValue),
    harmless("wait", Some('W'), NoValue),
    harmless("wait-all-nodes", None, Required),
    harmless("wckey", None, Required),
    harmless("wrap", None, Required),
    harmless("x11", None, Optional),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_letters_are_different() {
        assert!(OPTIONS.windows(2).all(|pair| pair[0].name < pair[1].name));
        for one in OPTIONS.iter().filter(|one| one.short.is_some()) {
            assert_eq!(OPTIONS.iter().filter(|other| other.short == one.short).count(), 1, "{}", one.name);
        }
    }
}
