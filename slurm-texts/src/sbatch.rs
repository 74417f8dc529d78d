//! The arguments of `sbatch`.

use std::fmt;

use super::expressions::{array, constraint, dependency};
use super::options::{OPTIONS, OptionValue, SbatchOption};
use super::request_values::{begin, gpus, gres_request, license_request, node_range, time_limit};
use super::values::{BareNumber, count32, digits, length, list, memory, words};
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{Exclusivity, JobRequest, MemoryRequest};
use queuecast_trace::hostlist::expanded;

/// What the arguments of a submission ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SbatchRequest {
    /// What is asked for.
    pub request: JobRequest,
    /// The user, where the arguments name one (`--uid`).
    pub user: Option<String>,
    /// Options that may change when or where the job starts and that the request does not represent, by name.
    pub not_modelled: Vec<String>,
}

/// Why arguments could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SbatchError {
    /// An option that `sbatch` does not have.
    #[error("sbatch has no option {0}")]
    UnknownOption(String),
    /// An abbreviation of several options.
    #[error("option {option} could be {}", several.join(" or "))]
    Ambiguous {
        /// As written.
        option: String,
        /// What it could be.
        several: Vec<String>,
    },
    /// An option without its value.
    #[error("option {0} needs a value")]
    NoValue(String),
    /// An option that takes no value.
    #[error("option {0} takes no value")]
    NeedlessValue(String),
    /// A value that is not as it should be.
    #[error("option {option}: {value:?} is not {expected}")]
    BadValue {
        /// The option.
        option: String,
        /// Its value, shortened.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A quote that does not end.
    #[error("a quote does not end")]
    OpenQuote,
}

/// Reads arguments in one text, separated as a shell does.
pub fn sbatch_line(text: &str) -> Result<SbatchRequest, SbatchError> {
    sbatch(&words(text).ok_or(SbatchError::OpenQuote)?)
}

/// Reads arguments. What follows the first argument that is no option is the script and its own arguments.
pub fn sbatch(arguments: &[String]) -> Result<SbatchRequest, SbatchError> {
    let mut read = SbatchRequest::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            break;
        } else if let Some(long) = argument.strip_prefix("--") {
            let (name, attached) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let option = long_option(name)?;
            let value = match (option.value, attached) {
                (OptionValue::None, Some(_)) => {
                    return Err(SbatchError::NeedlessValue(format!("--{}", option.name)));
                }
                (OptionValue::Required, None) => Some(
                    rest.next().ok_or_else(|| SbatchError::NoValue(format!("--{}", option.name)))?.as_str(),
                ),
                (_, attached) => attached,
            };
            take(&mut read, option, value)?;
        } else if argument.len() > 1 && argument.starts_with('-') {
            for (at, letter) in argument[1..].char_indices() {
                let option = OPTIONS.iter().find(|option| option.short == Some(letter));
                let option = option.ok_or_else(|| SbatchError::UnknownOption(format!("-{letter}")))?;
                let attached = &argument[1 + at + letter.len_utf8()..];
                let value = match option.value {
                    OptionValue::None => {
                        take(&mut read, option, None)?;
                        continue;
                    }
                    OptionValue::Optional => Some(attached).filter(|value| !value.is_empty()),
                    OptionValue::Required if attached.is_empty() => {
                        let value = rest.next().ok_or_else(|| SbatchError::NoValue(format!("-{letter}")))?;
                        Some(value.as_str())
                    }
                    OptionValue::Required => Some(attached),
                };
                take(&mut read, option, value)?;
                break;
            }
        } else {
            // Of a heterogeneous job the first part counts.
            if argument == ":" {
                read.not_modelled.push("heterogeneous-jobs".to_owned());
            }
            break;
        }
    }
    // No job has more nodes than tasks: sbatch says "can't run 1 processes on 2 nodes, setting nnodes to 1".
    let JobRequest { min_nodes, tasks, .. } = &mut read.request;
    if let (Some(nodes), Some(tasks)) = (min_nodes.as_mut(), tasks) {
        *nodes = (*nodes).min((*tasks).max(1));
    }
    Ok(read)
}

/// The option of a long name or of the begin of one, if only one begins so.
fn long_option(name: &str) -> Result<&'static SbatchOption, SbatchError> {
    if let Some(exact) = OPTIONS.iter().find(|option| option.name == name) {
        return Ok(exact);
    }
    let begun: Vec<&SbatchOption> =
        OPTIONS.iter().filter(|option| !name.is_empty() && option.name.starts_with(name)).collect();
    match begun[..] {
        [one] => Ok(one),
        [] => Err(SbatchError::UnknownOption(format!("--{}", super::notes::short(name)))),
        _ => Err(SbatchError::Ambiguous {
            option: format!("--{name}"),
            several: begun.iter().map(|option| format!("--{}", option.name)).collect(),
        }),
    }
}

struct GivenOption<'a> {
    option: &'a SbatchOption,
    value: &'a str,
}

impl GivenOption<'_> {
    /// What was read, or why it could not be.
    fn must<T>(&self, read: Option<T>, expected: &'static str) -> Result<T, SbatchError> {
        read.ok_or_else(|| SbatchError::BadValue {
            option: self.to_string(),
            value: super::notes::short(self.value),
            expected,
        })
    }

    fn number(&self) -> Result<Option<u32>, SbatchError> {
        self.must(count32(self.value), "a whole number").map(Some)
    }

    fn memory(&self) -> Result<u64, SbatchError> {
        self.must(memory(self.value), "an amount of memory such as 4G")
    }

    fn nodes(&self) -> Result<Vec<String>, SbatchError> {
        self.must(expanded(self.value), "a list of nodes such as n[01-04]")
    }
}

impl fmt::Display for GivenOption<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}", self.option.name)
    }
}

fn take(
    read: &mut SbatchRequest,
    option: &'static SbatchOption,
    value: Option<&str>,
) -> Result<(), SbatchError> {
    let given = GivenOption { option, value: value.unwrap_or_default() };
    let SbatchRequest { request, user, not_modelled } = read;
    if sizes(request, &given)? || places(request, &given)? || times(request, &given)? {
        return Ok(());
    }
    match option.name {
        "job-name" => request.name = Some(given.value.to_owned()),
        "account" => request.account = Some(given.value.to_owned()),
        "qos" => request.qos = list(given.value),
        "partition" => request.partitions = list(given.value),
        "uid" => *user = Some(given.value.to_owned()),
        "dependency" => {
            request.dependency = Some(given.must(dependency(given.value), "a dependency such as afterok:12")?)
        }
        "array" => request.array = Some(given.must(array(given.value), "an array such as 0-9%4")?),
        "hold" => request.terms.hold = true,
        "nice" if value.is_none() => request.terms.nice = Some(100),
        "nice" => request.terms.nice = Some(given.must(given.value.parse().ok(), "a whole number")?),
        "priority" => {
            // TOP is the highest that the user's own jobs allow.
            if given.value.eq_ignore_ascii_case("top") {
                not_modelled.push("--priority=TOP".into());
            } else {
                request.terms.priority = given.number()?;
            }
        }
        "requeue" => request.terms.requeue = Some(true),
        "no-requeue" => request.terms.requeue = Some(false),
        "licenses" => {
            if given.value.contains('|') {
                not_modelled.push("--licenses=a|b".to_owned());
            }
            request.gres.licenses = given.must(license_request(given.value), "licenses such as matlab:2")?
        }
        _ if option.harmless => {}
        _ => {
            let name = format!("--{}", option.name);
            if !not_modelled.contains(&name) {
                not_modelled.push(name);
            }
        }
    }
    Ok(())
}

fn sizes(request: &mut JobRequest, given: &GivenOption<'_>) -> Result<bool, SbatchError> {
    match given.option.name {
        "nodes" => {
            (request.min_nodes, request.max_nodes) =
                given.must(node_range(given.value), "a number of nodes such as 2-4")?
        }
        "ntasks" => request.tasks = given.number()?,
        "cpus-per-task" => request.cpus_per_task = given.number()?,
        "ntasks-per-node" | "tasks-per-node" => request.tasks_per_node = given.number()?,
        "ntasks-per-socket" => request.tasks_on.tasks_per_socket = given.number()?,
        "ntasks-per-core" => request.tasks_on.tasks_per_core = given.number()?,
        "ntasks-per-gpu" => request.tasks_on.tasks_per_gpu = given.number()?,
        "mincpus" => request.tasks_on.min_cpus_per_node = given.number()?,
        "sockets-per-node" => request.tasks_on.sockets_per_node = given.number()?,
        "cores-per-socket" => request.tasks_on.cores_per_socket = given.number()?,
        "threads-per-core" => request.tasks_on.threads_per_core = given.number()?,
        "extra-node-info" => {
            let mut parts = given.value.split(':');
            let mut next = || -> Result<Option<u32>, SbatchError> {
                match parts.next() {
                    None | Some("*" | "") => Ok(None),
                    Some(number) => given.must(count32(number), "numbers such as 2:8:1").map(Some),
                }
            };
            request.tasks_on.sockets_per_node = next()?;
            request.tasks_on.cores_per_socket = next()?;
            request.tasks_on.threads_per_core = next()?;
        }
        "hint" => match given.value {
            "nomultithread" => request.tasks_on.one_thread_per_core = true,
            "multithread" => request.tasks_on.one_thread_per_core = false,
            "compute_bound" | "memory_bound" => {}
            _ => return given.must(None, "compute_bound, memory_bound, multithread or nomultithread"),
        },
        "overcommit" => request.tasks_on.overcommit = true,
        "core-spec" => request.tasks_on.spare_cores = given.number()?,
        "mem" => request.memory = Some(MemoryRequest::PerNode(given.memory()?)),
        "mem-per-cpu" => request.memory = Some(MemoryRequest::PerCpu(given.memory()?)),
        "mem-per-gpu" => request.memory = Some(MemoryRequest::PerGpu(given.memory()?)),
        "gres" => request.gres.per_node.extend(given.must(gres_request(given.value), GRES)?),
        "gpus-per-node" => request.gres.per_node.extend(given.must(gpus(given.value), GPUS)?),
        "gpus" => request.gres.per_job = given.must(gpus(given.value), GPUS)?,
        "gpus-per-task" => request.gres.per_task = given.must(gpus(given.value), GPUS)?,
        "gpus-per-socket" => request.gres.per_socket = given.must(gpus(given.value), GPUS)?,
        "cpus-per-gpu" => request.gres.cpus_per_gpu = given.number()?,
        _ => return Ok(false),
    }
    Ok(true)
}

const GRES: &str = "generic resources such as gpu:a100:2";
const GPUS: &str = "a number of GPUs such as 2 or a100:2";

fn places(request: &mut JobRequest, given: &GivenOption<'_>) -> Result<bool, SbatchError> {
    match given.option.name {
        "constraint" => {
            request.wishes.constraint = Some(given.must(constraint(given.value), "a constraint such as a&b")?)
        }
        "prefer" => {
            request.wishes.prefer = Some(given.must(constraint(given.value), "a constraint such as a&b")?)
        }
        "exclusive" => {
            request.wishes.exclusivity = Some(match given.value.to_ascii_lowercase().as_str() {
                "" => Exclusivity::Exclusive,
                "user" => Exclusivity::User,
                "mcs" => Exclusivity::Mcs,
                "topo" => Exclusivity::Topology,
                _ => return given.must(None, "user, mcs or topo"),
            });
        }
        "oversubscribe" | "share" => request.wishes.exclusivity = Some(Exclusivity::Oversubscribe),
        "nodelist" => request.wishes.node_list = given.nodes()?,
        "exclude" => request.wishes.exclude = given.nodes()?,
        "contiguous" => request.wishes.contiguous = true,
        "spread-job" => request.wishes.spread = true,
        "use-min-nodes" => request.wishes.use_min_nodes = true,
        "switches" => {
            let (count, wait) =
                given.value.split_once('@').map_or((given.value, None), |(count, wait)| (count, Some(wait)));
            let count = given.must(count32(count), "a number of switches such as 1@30")?;
            let wait = wait
                .map(|wait| given.must(length(wait, BareNumber::Minutes), "a length of time after the @"));
            request.wishes.switches = Some((count, wait.transpose()?));
        }
        "reservation" => request.terms.reservations = list(given.value),
        _ => return Ok(false),
    }
    Ok(true)
}

fn times(request: &mut JobRequest, given: &GivenOption<'_>) -> Result<bool, SbatchError> {
    match given.option.name {
        "time" => {
            request.time_limit =
                Some(given.must(time_limit(given.value), "a time limit such as 30, 2:00:00 or 1-0")?)
        }
        "time-min" => {
            let read = length(given.value, BareNumber::Minutes).filter(|&length| length > Seconds::ZERO);
            request.terms.time_min = Some(given.must(read, "a length of time such as 30 or 2:00:00")?);
        }
        "begin" => {
            request.terms.begin =
                Some(given.must(begin(given.value), "a time such as now+1hour or 2026-11-16T12:00")?)
        }
        "deadline" => {
            request.terms.deadline =
                Some(given.must(begin(given.value), "a time such as now+1day or 2026-11-16T12:00")?)
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether a text is the number of a job.
pub(super) fn job_number(text: &str) -> Option<u64> {
    digits(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{Begin, GresRequest, TimeLimit};

    fn read(text: &str) -> JobRequest {
        sbatch_line(text).unwrap_or_else(|error| panic!("{text}: {error}")).request
    }

    #[test]
    fn every_spelling_of_an_option() {
        let expected = JobRequest { min_nodes: Some(2), max_nodes: Some(4), ..JobRequest::default() };
        for text in ["-N 2-4", "-N2-4", "--nodes 2-4", "--nodes=2-4", "--node=2-4", "-N '2-4' job.sh -n 5"] {
            let text = text.replace("--node=", "--nodes=");
            assert_eq!(read(&text), expected, "{text}");
        }
        assert_eq!(read("--ntasks-per-n=3").tasks_per_node, Some(3));
        assert_eq!(read("-HOn 3").tasks, Some(3));
        assert!(read("-HOn 3").terms.hold && read("-HOn3").tasks_on.overcommit);
        assert_eq!(read("-- -n 3"), JobRequest::default());
    }

    #[test]
    fn sizes_memory_and_gpus() {
        let request = read(
            "-n 12 -c2 --ntasks-per-node=6 --mem-per-cpu=2G --gres=gpu:a100:2,craynetwork --gpus=4 --gpus-per-task=v100:1 -B 2:8",
        );
        assert_eq!(
            (request.tasks, request.cpus_per_task, request.tasks_per_node),
            (Some(12), Some(2), Some(6))
        );
        assert_eq!(request.memory, Some(MemoryRequest::PerCpu(2048)));
        let gres = |name: &str, kind: Option<&str>, count| GresRequest {
            name: name.into(),
            kind: kind.map(str::to_owned),
            count,
        };
        assert_eq!(request.gres.per_node, [gres("gpu", Some("a100"), 2), gres("craynetwork", None, 1)]);
        assert_eq!(
            (request.gres.per_job, request.gres.per_task),
            (vec![gres("gpu", None, 4)], vec![gres("gpu", Some("v100"), 1)])
        );
        assert_eq!(
            (
                request.tasks_on.sockets_per_node,
                request.tasks_on.cores_per_socket,
                request.tasks_on.threads_per_core
            ),
            (Some(2), Some(8), None)
        );
        // Unset and zero differ.
        assert_eq!((read("--mem=0").memory, read("-n 1").memory), (Some(MemoryRequest::PerNode(0)), None));
        assert_eq!((read("-N 1").max_nodes, read("-N 2-").max_nodes), (Some(1), None));
    }

    #[test]
    fn times_and_the_rest() {
        let request = read(
            "-t 1-2 --time-min=30 --begin=now+1hour -d afterok:12 -a 0-3%2 --nice -q high -p a,b -L matlab:2 --exclusive=user -w n[1-2] -x n3 --switches=1@10 --no-requeue --reservation=r",
        );
        assert_eq!(request.time_limit, Some(TimeLimit::Of(Seconds(93_600))));
        assert_eq!(
            (request.terms.time_min, request.terms.begin),
            (Some(Seconds(1800)), Some(Begin::After(Seconds(3600))))
        );
        assert_eq!(
            (request.terms.nice, request.terms.requeue, request.wishes.exclusivity),
            (Some(100), Some(false), Some(Exclusivity::User))
        );
        assert_eq!(
            (request.partitions.join(" "), request.wishes.node_list.join(" ")),
            ("a b".into(), "n1 n2".into())
        );
        assert_eq!(
            (request.wishes.switches, request.array.unwrap().throttle),
            (Some((1, Some(Seconds(600)))), Some(2))
        );
        assert_eq!(
            (read("-t 0").time_limit, read("-t 90").time_limit),
            (Some(TimeLimit::Unlimited), Some(TimeLimit::Of(Seconds(5400))))
        );
        assert_eq!(read("--nice=-5").terms.nice, Some(-5));
    }

    #[test]
    fn what_is_not_modelled_is_named_and_what_is_unknown_refused() {
        let read = sbatch_line(
            "-o out --mail-type=ALL --tmp=5G --gres-flags=enforce-binding --uid=ann --wrap 'sleep 1'",
        )
        .unwrap();
        assert_eq!(
            (read.not_modelled.join(" "), read.user),
            ("--tmp --gres-flags".into(), Some("ann".into()))
        );
        let odd = sbatch_line("-n 1 --licenses=a:2|b -t 2 : -n 2").unwrap();
        assert_eq!(odd.not_modelled, ["--licenses=a|b", "heterogeneous-jobs"]);
        assert_eq!((odd.request.tasks, odd.request.gres.licenses.len()), (Some(1), 1));
        for (text, part) in [
            ("--frobnicate=3", "--frobnicate"),
            ("-n 3 -£ 5", "-£"),
            ("--gpus-per 3", "--gpus-per-node or --gpus-per-socket"),
            ("--ntasks", "--ntasks needs a value"),
            ("--hold=3", "--hold takes no value"),
            ("-n x", "--ntasks: \"x\" is not a whole number"),
            ("-t tomorrow", "--time"),
            ("--exclusive=me", "--exclusive"),
            ("-J 'a", "quote"),
        ] {
            let error = sbatch_line(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
