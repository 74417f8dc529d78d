//! A request as the arguments of `sbatch`: what [`sbatch`](super::sbatch) reads again.

use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{
    Begin, Dependency, DependencyKind, Exclusivity, FeatureExpr, GresRequest, JobArray, JobRequest,
    MemoryRequest, TimeLimit,
};

/// The arguments of a request that say more than its number of processors, its time limit and its first partition.
pub fn beyond_processors(request: &JobRequest) -> Vec<String> {
    let rest = JobRequest {
        name: None,
        tasks: None,
        cpus_per_task: None,
        time_limit: None,
        partitions: request.partitions.get(1..).unwrap_or_default().to_vec(),
        ..request.clone()
    };
    sbatch_arguments(&rest)
}

/// The arguments that ask for what a request asks for, the account left out.
pub(super) fn sbatch_arguments(request: &JobRequest) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut say = |name: &str, value: Option<String>| {
        arguments.extend(value.map(|value| format!("--{name}={value}")));
    };
    say("job-name", request.name.clone());
    say("qos", listed(&request.qos));
    say("partition", listed(&request.partitions));
    say("nodes", nodes(request));
    for (name, number) in [
        ("ntasks", request.tasks),
        ("cpus-per-task", request.cpus_per_task),
        ("ntasks-per-node", request.tasks_per_node),
        ("ntasks-per-socket", request.tasks_on.tasks_per_socket),
        ("ntasks-per-core", request.tasks_on.tasks_per_core),
        ("ntasks-per-gpu", request.tasks_on.tasks_per_gpu),
        ("mincpus", request.tasks_on.min_cpus_per_node),
        ("sockets-per-node", request.tasks_on.sockets_per_node),
        ("cores-per-socket", request.tasks_on.cores_per_socket),
        ("threads-per-core", request.tasks_on.threads_per_core),
        ("core-spec", request.tasks_on.spare_cores),
        ("cpus-per-gpu", request.gres.cpus_per_gpu),
        ("priority", request.terms.priority),
    ] {
        say(name, number.map(|number| number.to_string()));
    }
    match request.memory {
        Some(MemoryRequest::PerNode(mb)) => say("mem", Some(mb.to_string())),
        Some(MemoryRequest::PerCpu(mb)) => say("mem-per-cpu", Some(mb.to_string())),
        Some(MemoryRequest::PerGpu(mb)) => say("mem-per-gpu", Some(mb.to_string())),
        None => {}
    }
    say("gres", resources(&request.gres.per_node, true));
    say("gpus", resources(&request.gres.per_job, false));
    say("gpus-per-task", resources(&request.gres.per_task, false));
    say("gpus-per-socket", resources(&request.gres.per_socket, false));
    say("constraint", request.wishes.constraint.as_ref().map(features));
    say("prefer", request.wishes.prefer.as_ref().map(features));
    say("nodelist", listed(&request.wishes.node_list));
    say("exclude", listed(&request.wishes.exclude));
    say(
        "switches",
        request.wishes.switches.map(|(count, wait)| match wait {
            Some(wait) => format!("{count}@{}", clock(wait)),
            None => count.to_string(),
        }),
    );
    say(
        "time",
        request.time_limit.map(|limit| match limit {
            TimeLimit::Of(limit) => clock(limit),
            TimeLimit::Unlimited => "UNLIMITED".to_owned(),
        }),
    );
    say("time-min", request.terms.time_min.map(clock));
    say("begin", request.terms.begin.map(begin));
    say("deadline", request.terms.deadline.map(begin));
    say("dependency", request.dependency.as_ref().map(dependency));
    say("array", request.array.as_ref().map(array));
    say("nice", request.terms.nice.map(|nice| nice.to_string()));
    say("reservation", listed(&request.terms.reservations));
    say("licenses", resources(&request.gres.licenses, true));
    say("hint", request.tasks_on.one_thread_per_core.then(|| "nomultithread".to_owned()));
    for (name, is_said) in [
        ("overcommit", request.tasks_on.overcommit),
        ("contiguous", request.wishes.contiguous),
        ("spread-job", request.wishes.spread),
        ("use-min-nodes", request.wishes.use_min_nodes),
        ("hold", request.terms.hold),
        ("requeue", request.terms.requeue == Some(true)),
        ("no-requeue", request.terms.requeue == Some(false)),
    ] {
        arguments.extend(is_said.then(|| format!("--{name}")));
    }
    arguments.extend(request.wishes.exclusivity.map(|how| {
        match how {
            Exclusivity::Exclusive => "--exclusive",
            Exclusivity::User => "--exclusive=user",
            Exclusivity::Mcs => "--exclusive=mcs",
            Exclusivity::Topology => "--exclusive=topo",
            Exclusivity::Oversubscribe => "--oversubscribe",
        }
        .to_owned()
    }));
    arguments
}

fn listed(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| names.join(","))
}

fn nodes(request: &JobRequest) -> Option<String> {
    Some(match (request.min_nodes, request.max_nodes) {
        (None, None) => return None,
        (Some(fewest), Some(most)) if fewest == most => fewest.to_string(),
        (Some(fewest), None) => format!("{fewest}-"),
        (fewest, Some(most)) => format!("{}-{most}", fewest.unwrap_or(1)),
    })
}

/// `gpu:a100:2,fpga:1`, or without the name where the option says it.
fn resources(all: &[GresRequest], is_named: bool) -> Option<String> {
    let one = |one: &GresRequest| {
        let kind = one.kind.as_ref().map_or(String::new(), |kind| format!("{kind}:"));
        let name = if is_named { format!("{}:", one.name) } else { String::new() };
        format!("{name}{kind}{}", one.count)
    };
    (!all.is_empty()).then(|| all.iter().map(one).collect::<Vec<_>>().join(","))
}

fn features(expression: &FeatureExpr) -> String {
    let part = |part: &FeatureExpr| match part {
        FeatureExpr::All(_) | FeatureExpr::Any(_) => format!("({})", features(part)),
        _ => features(part),
    };
    let joined = |parts: &[FeatureExpr], by: &str| parts.iter().map(part).collect::<Vec<_>>().join(by);
    match expression {
        FeatureExpr::Feature(name) => name.clone(),
        FeatureExpr::All(parts) => joined(parts, "&"),
        FeatureExpr::Any(parts) => joined(parts, "|"),
        FeatureExpr::SameOnAll(parts) => format!("[{}]", joined(parts, "|")),
        FeatureExpr::Counted(inner, count) => format!("{}*{count}", part(inner)),
    }
}

/// `D-HH:MM:SS`.
fn clock(length: Seconds) -> String {
    let seconds = length.0.max(0);
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!("{days}-{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60)
}

fn begin(begin: Begin) -> String {
    match begin {
        Begin::After(length) => format!("now+{}", length.0.max(0)),
        Begin::At(time) | Begin::Eligible(time) => time.0.to_string(),
        Begin::Clock(second) => {
            format!("{:02}:{:02}:{:02}", second.0 / 3_600, second.0 / 60 % 60, second.0 % 60)
        }
        Begin::Local(time) => jiff::Timestamp::from_second(time.0)
            .map(|time| jiff::tz::TimeZone::UTC.to_datetime(time).strftime("%Y-%m-%dT%H:%M:%S").to_string())
            .unwrap_or_default(),
    }
}

/// Jobs are meant by their keys, which a `@` says.
fn dependency(dependency: &Dependency) -> String {
    let one = |on: &queuecast_slurm_sim::cluster::DependencyOn| {
        let word = on.kind.word();
        if on.kind == DependencyKind::Singleton {
            return word.to_owned();
        }
        let delay = if on.delay > Seconds::ZERO { format!("+{}", on.delay.0 / 60) } else { String::new() };
        format!("{word}:@{}{delay}", on.job)
    };
    dependency.on.iter().map(one).collect::<Vec<_>>().join(if dependency.any { "?" } else { "," })
}

/// `0-9%4`, `1,3,5-9`.
fn array(array: &JobArray) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &index in &array.indices {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(index) => *last = index,
            _ => ranges.push((index, index)),
        }
    }
    let range = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let indices = ranges.iter().map(range).collect::<Vec<_>>().join(",");
    array.throttle.map_or(indices.clone(), |most| format!("{indices}%{most}"))
}

/// Arguments in one text, quoted where a shell would change them.
pub(super) fn shell_line(arguments: &[String]) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=+,.:/@%".contains(letter);
    let quoted = |one: &String| match !one.is_empty() && one.chars().all(is_plain) {
        true => one.clone(),
        // Within quotes of this kind nothing has a meaning but the quote.
        false => format!("'{}'", one.replace('\'', "'\"'\"'")),
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
