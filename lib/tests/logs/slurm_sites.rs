//! Sites and runs of real Slurm versions, read and compared with what else is known of them.
//!
//! Recordings of a real Slurm (`golden`) and outputs of three versions (`samples`) lie in `../slurm` beside the logs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use libtest_mimic::{Failed, Trial};
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    AssociationIndex, Cluster, ClusterAction, ClusterNode, MemoryAmount, MemoryRequest, PartitionIndex,
    PreemptAction, PreemptKind, SharedRequest, Sharing, SubmittedJob, TaskRun, TimeLimit, Topology,
};
use queuecast_slurm_texts::{SiteOptions, SiteReading, differing_settings, read_site, sbatch_line};

use crate::{fails, support};

pub fn slurm() -> Option<PathBuf> {
    support::traces().map(|traces| traces.join("../slurm")).filter(|path| path.is_dir())
}

/// The texts of a folder, compressed ones undone.
pub fn texts(folder: &Path) -> Result<BTreeMap<String, String>, Failed> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.is_file() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut bytes = fs::read(&path)?;
        if name.ends_with(".gz") {
            let mut plain = Vec::new();
            MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain)?;
            bytes = plain;
        }
        texts.insert(name.trim_end_matches(".gz").to_owned(), String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(texts)
}

pub fn read(texts: &BTreeMap<String, String>) -> SiteReading {
    read_site(texts, &SiteOptions::default())
}

/// A text without the files of these names.
fn without(texts: &BTreeMap<String, String>, names: &[&str]) -> BTreeMap<String, String> {
    texts
        .iter()
        .filter(|(name, _)| !names.contains(&name.as_str()))
        .map(|(a, b)| (a.clone(), b.clone()))
        .collect()
}

pub fn must(holds: bool, told: impl Into<String>) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(told.into().into()) }
}

pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: &T, other: &T) -> Result<(), Failed> {
    must(one == other, format!("{what}: {one:?} and {other:?}"))
}

const LIVE: [&str; 3] = ["scontrol-config.txt", "scontrol-node.txt", "scontrol-part.txt"];

/// A recorded run is read completely.
fn run_is_read(folder: &Path) -> Result<(), Failed> {
    let texts = texts(folder)?;
    let reading = read(&texts);
    same("misread", &reading.misread, &Vec::new())?;
    same("warnings", &reading.warnings, &Vec::new())?;
    let is_micro = folder.parent().is_some_and(|parent| parent.ends_with("micro"));
    same("not modelled", &reading.not_modelled, &Vec::new())?;
    if is_micro {
        micro(&reading.cluster)?
    } else {
        site(&reading.cluster)?
    }
    configuration_says_the_same(&texts, &reading)?;
    recording(&texts, &reading)
}

fn micro(cluster: &Cluster) -> Result<(), Failed> {
    let names: Vec<&str> = cluster.nodes.iter().map(|node| node.name.as_str()).collect();
    same("nodes", &names.join(" ").as_str(), &"b1 g1 m1 m2 m3 m4 n1 n2 n3 n4")?;
    let sizes: Vec<(u32, u32, u64)> =
        cluster.nodes.iter().map(|node| (node.cpus, node.sockets, node.memory_mb)).collect();
    same("big node", &sizes[0], &(12, 2, 512_000))?;
    must(sizes[1..].iter().all(|size| *size == (12, 2, 48_000)), format!("{sizes:?}"))?;
    same("classes", &cluster.classes.len(), &4)?;
    same("GPUs", &cluster.nodes[1].gres_count("gpu", None), &2)?;
    let leaves: Vec<(&str, usize)> =
        cluster.topology.leaves().map(|leaf| (leaf.name.as_str(), leaf.nodes.len())).collect();
    same("leaves", &leaves, &vec![("IBN", 4), ("IBM", 4), ("IBG", 2)])?;
    let [normal, debug] = &cluster.partitions[..] else { return Err("two partitions".into()) };
    same("nodes of partitions", &(normal.nodes.len(), debug.nodes.clone()), &(10, vec![6, 7]))?;
    same("memory", &normal.default_memory, &Some(MemoryAmount::PerCpu(2800)))?;
    let settings = &cluster.settings;
    let backfill = settings.backfill.as_ref().ok_or("backfilling")?;
    same(
        "tests",
        &(backfill.counts.max_job_test, backfill.counts.max_job_user, backfill.window.0),
        &(1200, 200, 86_400),
    )?;
    same(
        "weights",
        &(settings.priority.weights.job_size, settings.priority.max_age),
        &(200_000, Seconds(18_000)),
    )?;
    must(
        settings.select.block_distribution && settings.select.memory && !settings.jobs.job_requeue,
        "select",
    )?;
    same("version", &cluster.version, &Some((22, 5)))
}

fn site(cluster: &Cluster) -> Result<(), Failed> {
    same("nodes and classes", &(cluster.nodes.len(), cluster.classes.len()), &(16, 4))?;
    let weights: Vec<u32> = cluster.nodes.iter().map(|node| node.weight).collect();
    same("weights", &weights, &[vec![10; 6], vec![20; 6], vec![40; 2], vec![60; 2]].concat())?;
    same("memory", &(cluster.nodes[11].memory_mb, cluster.nodes[12].memory_mb), &(16_000, 64_000))?;
    same("GPUs", &cluster.nodes.iter().map(|node| node.gres_count("gpu", None)).sum::<u64>(), &4)?;
    same("topology", &cluster.topology, &Topology::Flat)?;
    let partitions: Vec<(&str, usize, u32, u32, i64, i64)> = cluster
        .partitions
        .iter()
        .map(|one| {
            let seconds = |length: Option<Seconds>| length.map_or(-1, |length| length.0);
            let (longest, default) = (seconds(one.max_time), seconds(one.default_time));
            (one.name.as_str(), one.nodes.len(), one.priority_tier, one.priority_job_factor, longest, default)
        })
        .collect();
    let expected = vec![
        ("short", 16, 20, 40, 240, 120),
        ("batch", 12, 10, 20, 1800, 600),
        ("long", 10, 10, 5, 7200, 1800),
    ];
    same("partitions", &partitions, &expected)?;
    same("default", &cluster.default_partition(), &Some(PartitionIndex(1)))?;
    let qos: Vec<(&str, u32, Option<u64>, Option<u32>)> = cluster
        .qos
        .iter()
        .map(|one| (one.name.as_str(), one.priority, one.per_user.tres.cpu(), one.per_user.jobs))
        .collect();
    same(
        "QOS",
        &qos,
        &vec![
            ("normal", 100, Some(80), None),
            ("high", 1000, Some(24), Some(3)),
            ("low", 10, Some(40), None),
        ],
    )?;
    let associations = &cluster.associations;
    same("associations", &associations.0.len(), &11)?;
    let gamma = associations.of_account("gamma").ok_or("gamma")?;
    same("users of gamma", &associations.children(gamma).count(), &2)?;
    same("children of root", &associations.children(AssociationIndex(0)).count(), &4)?;
    let settings = &cluster.settings;
    same(
        "period",
        &(settings.priority.calc_period, settings.priority.decay_half_life),
        &(Seconds(60), Seconds(1800)),
    )?;
    must(
        settings.jobs.kill_invalid_depend && settings.jobs.enforce.qos && !settings.jobs.enforce.safe,
        "enforcement",
    )?;
    same("memory of jobs", &settings.jobs.default_memory, &Some(MemoryAmount::PerCpu(1500)))?;
    must(
        differing_settings(cluster).iter().any(|one| one.name == "bf_interval" && one.value == "15"),
        "interval",
    )
}

/// Configuration files alone make the same cluster as live outputs; live outputs alone make nearly the same.
fn configuration_says_the_same(texts: &BTreeMap<String, String>, whole: &SiteReading) -> Result<(), Failed> {
    let conf = read(&without(texts, &LIVE));
    same("misread", &conf.misread, &Vec::new())?;
    let cluster = &whole.cluster;
    same("nodes", &conf.cluster.nodes, &cluster.nodes)?;
    same("partitions", &conf.cluster.partitions, &cluster.partitions)?;
    same("settings", &conf.cluster.settings, &cluster.settings)?;
    same("topology", &conf.cluster.topology, &cluster.topology)?;
    must(conf.missing.iter().any(|one| one.what == "scontrol show node"), "what is missing is said")?;
    let live = read(&without(texts, &["slurm.conf", "gres.conf", "topology.conf"]));
    same("misread", &live.misread, &Vec::new())?;
    // The recordings' lists of nodes lack memory and sockets, which CfgTRES and the processors replace.
    // They tell no lines of slurm.conf either.
    let without_lines = cluster.nodes.iter().map(|node| ClusterNode { line: None, ..node.clone() });
    same("nodes", &live.cluster.nodes, &without_lines.collect())?;
    same("partitions", &live.cluster.partitions, &cluster.partitions)?;
    same("settings", &live.cluster.settings, &cluster.settings)
}

fn without_name(job: &SubmittedJob) -> SubmittedJob {
    let mut unnamed = job.clone();
    unnamed.request.name = None;
    unnamed
}

fn recording(texts: &BTreeMap<String, String>, reading: &SiteReading) -> Result<(), Failed> {
    let run = reading.recording.as_ref().ok_or("a recording")?;
    let calls =
        |op: &str| texts["submitted.tsv"].lines().filter(|line| line.split('\t').nth(3) == Some(op)).count();
    same("submissions", &run.submissions.len(), &calls("submit"))?;
    same("events", &run.events.len(), &(calls("cancel") + calls("admin")))?;
    // Accounting tells each second independently.
    let mut sacct: BTreeMap<&str, [&str; 3]> = BTreeMap::new();
    for line in texts["sacct.psv"].lines().skip(1) {
        let cells: Vec<&str> = line.split('|').collect();
        sacct.insert(cells[0], [cells[9], cells[11], cells[12]]);
    }
    let jobs: BTreeMap<&str, &SubmittedJob> =
        run.submissions.iter().map(|job| (job.key.as_str(), job)).collect();
    let mut compared = 0;
    for outcome in &run.outcomes {
        let job =
            jobs.get(outcome.key.as_str()).ok_or_else(|| format!("{} was not submitted", outcome.key))?;
        same("submission", &job.submit.second(), &outcome.submit)?;
        let id = job.id.ok_or("a number")?;
        let number = outcome.task.map_or(id.to_string(), |task| format!("{id}_{task}"));
        let Some([submit, start, end]) = sacct.get(number.as_str()) else { continue };
        let unix = |text: &str| text.parse().ok().map(Time);
        same(
            "times",
            &[Some(outcome.submit), outcome.start, outcome.end],
            &[unix(submit), unix(start), unix(end)],
        )?;
        compared += 1;
    }
    must(compared * 10 > run.outcomes.len() * 9, format!("only {compared} jobs were compared"))?;
    // Without accounting the calls tell the same clock; names are then those of sbatch's arguments alone.
    let alone = read(&without(texts, &["sacct.psv"])).recording.ok_or("a recording")?;
    same("outcomes", &alone.outcomes, &run.outcomes)?;
    let unnamed: Vec<SubmittedJob> = run.submissions.iter().map(without_name).collect();
    same("jobs", &alone.submissions.iter().map(without_name).collect(), &unnamed)?;
    let listed = read(&without(texts, &["sacct.psv", "submitted.tsv"])).recording.ok_or("a recording")?;
    let requests = |jobs: &[SubmittedJob]| -> BTreeMap<String, (SharedRequest, usize)> {
        jobs.iter().map(|job| (job.key.clone(), (without_name(job).request, job.runs.len()))).collect()
    };
    same("requests", &requests(&listed.submissions), &requests(&run.submissions))?;
    let runs: usize = run.submissions.iter().map(|job| job.runs.len()).sum();
    same("tasks", &runs, &run.outcomes.len())?;
    resources(&texts["jobs.csv"], reading, &jobs)
}

/// What Slurm took a job to ask for follows from what was read of its arguments.
fn resources(list: &str, reading: &SiteReading, jobs: &BTreeMap<&str, &SubmittedJob>) -> Result<(), Failed> {
    let mut compared = 0;
    for line in list.lines().skip(1) {
        let key = line.split(',').next().unwrap_or_default();
        let job = jobs.get(key).or_else(|| jobs.get(key.rsplit_once('_')?.0));
        let job = job.ok_or_else(|| format!("{key} is unknown"))?;
        let told = line.split('"').find(|part| part.starts_with("billing=")).ok_or("reqtres")?;
        let amount = |name: &str| told.split(',').find_map(|part| part.strip_prefix(name));
        let request = &job.request;
        let nodes = request.min_nodes.unwrap_or(1);
        let tasks = request.tasks.or(request.tasks_per_node.map(|each| each * nodes)).unwrap_or(nodes);
        let cpus = tasks * request.cpus_per_task.unwrap_or(1);
        same(key, &amount("cpu="), &Some(cpus.to_string().as_str()))?;
        let partition = reading.cluster.partition(&request.partitions[0]).ok_or("partition")?;
        let default =
            reading.cluster[partition].default_memory.or(reading.cluster.settings.jobs.default_memory);
        let memory = match (request.memory, default) {
            (Some(MemoryRequest::PerNode(mb)), _) => mb * u64::from(nodes),
            (Some(MemoryRequest::PerCpu(mb)), _) | (None, Some(MemoryAmount::PerCpu(mb))) => {
                mb * u64::from(cpus)
            }
            other => return Err(format!("{other:?}").into()),
        };
        let told = amount("mem=").ok_or("memory")?;
        let told_mb = match told.strip_suffix('G') {
            Some(number) => (number.parse::<f64>()? * 1024.0).round() as u64,
            None => told.trim_end_matches('M').parse()?,
        };
        // Amounts in GB are rounded to hundredths.
        must(
            told_mb.abs_diff(memory) <= if told.ends_with('G') { 10 } else { 0 },
            format!("{key}: {told} is not {memory}"),
        )?;
        let TimeLimit::Of(limit) = request.time_limit.ok_or("a limit")? else { return Err("a limit".into()) };
        let cells: Vec<&str> = line.split(',').collect();
        must(cells.contains(&limit.0.to_string().as_str()), format!("{key}: no limit of {limit}"))?;
        compared += 1;
    }
    must(compared > 0, "no job was compared")
}

/// Plans and recordings of them have the same submissions and events.
fn plan_is_the_recording(plan: &Path, folder: &Path) -> Result<(), Failed> {
    let recorded = texts(folder)?;
    let mut planned = without(&recorded, &["submitted.tsv", "jobs.csv", "sacct.psv"]);
    planned.insert("plan".into(), fs::read_to_string(plan)?);
    let (plan, run) = (read(&planned), read(&recorded));
    same("misread", &plan.misread, &Vec::new())?;
    let (plan, run) = (plan.recording.ok_or("a plan")?, run.recording.ok_or("a recording")?);
    let runs = |jobs: &[SubmittedJob]| -> BTreeMap<String, Vec<TaskRun>> {
        jobs.iter().map(|job| (job.key.clone(), job.runs.clone())).collect()
    };
    same("run times", &runs(&plan.submissions), &runs(&run.submissions))?;
    let plain: BTreeMap<&str, SharedRequest> =
        run.submissions.iter().map(|job| (job.key.as_str(), without_name(job).request)).collect();
    for job in &plan.submissions {
        same(&job.key, &Some(&without_name(job).request), &plain.get(job.key.as_str()))?;
    }
    same("events", &plan.events.len(), &run.events.len())?;
    for (one, other) in plan.events.iter().zip(&run.events) {
        must(
            one.action == other.action && one.at.abs_diff(other.at) < Micros::SECOND,
            format!("{one:?} {other:?}"),
        )?;
    }
    let reserved = run.events.iter().any(|event| matches!(event.action, ClusterAction::Reserve(_)));
    must(reserved || run.events.is_empty(), "a reservation")
}

/// The outputs of one version, on a busy and on an idle site.
fn sample_is_read(version: &str, moment: &str) -> Result<(), Failed> {
    let folder = slurm().ok_or("no samples")?.join("samples").join(version);
    let mut all = texts(&folder.join(moment))?;
    let live = read(&all);
    same("misread", &live.misread, &Vec::new())?;
    for name in ["slurm.conf", "gres.conf"] {
        all.insert(name.into(), fs::read_to_string(folder.join(name))?);
    }
    let both = read(&all);
    same("misread", &both.misread, &Vec::new())?;
    for reading in [&live, &both] {
        let cluster = &reading.cluster;
        same("nodes", &(cluster.nodes.len(), cluster.classes.len(), cluster.cpus()), &(8, 1, 32))?;
        let node = &cluster.nodes[0];
        same(
            "node",
            &(node.cpus, node.sockets, node.memory_mb, node.gres_count("gpu", None)),
            &(4, 4, 8000, 2),
        )?;
        let names: Vec<&str> = cluster.partitions.iter().map(|one| one.name.as_str()).collect();
        same("partitions", &names, &vec!["short", "long", "scavenge"])?;
        same(
            "limits",
            &(cluster.partitions[1].max_nodes, cluster.partitions[0].sharing),
            &(Some(4), Sharing::No),
        )?;
        same("QOS", &cluster.qos.iter().map(|one| one.priority).collect::<Vec<_>>(), &vec![0, 1000, 10])?;
        same(
            "small",
            &(cluster.qos[2].per_user.tres.cpu(), cluster.qos[2].per_user.submitted),
            &(Some(4), Some(100)),
        )?;
        same("associations", &cluster.associations.0.len(), &9)?;
        same(
            "preemption",
            &(cluster.settings.preempt.kind, cluster.settings.preempt.action),
            &(PreemptKind::PartitionTier, PreemptAction::Requeue),
        )?;
        same("outages", &cluster.outages.len(), &usize::from(moment == "done"))?;
        same("licenses", &cluster.licenses.amount("matlab"), &Some(4))?;
        let named: Vec<&str> = reading.not_modelled.iter().map(|one| one.name.as_str()).collect();
        same("not modelled", &named, &vec!["JobSubmitPlugins"])?;
    }
    // Samples' own list of associations has no parents, which is said, once.
    same("warnings", &both.warnings.len(), &1)?;
    // Whatever is left out, something is read and the rest is said to be missing.
    for name in [
        "scontrol-config.txt",
        "scontrol-node.txt",
        "scontrol-part.txt",
        "sacctmgr-qos.psv",
        "sacctmgr-assoc.psv",
    ] {
        let half = read(&without(&all, &[name, "slurm.conf"]));
        must(!half.missing.is_empty() && half.misread.is_empty(), format!("{name}: {:?}", half.misread))?;
    }
    Ok(())
}

/// Every submission of the samples is read; what breaks is quotes that the list does not keep.
fn sample_submissions(version: &str) -> Result<(), Failed> {
    let list =
        fs::read_to_string(slurm().ok_or("no samples")?.join("samples").join(version).join("submitted.tsv"))?;
    let mut readable = 0;
    for line in list.lines() {
        let arguments = line.splitn(3, '\t').nth(2).ok_or("three columns")?;
        let arguments = arguments.split(" --wrap").next().unwrap_or_default();
        match sbatch_line(arguments) {
            Ok(read) => {
                // One of them is heterogeneous.
                let is_named = read.not_modelled.is_empty() || arguments.contains(" : ");
                must(is_named, format!("{arguments}: {:?}", read.not_modelled))?;
                readable += 1;
            }
            Err(error) => must(arguments.contains(['"', '\'', '\\']), format!("{arguments}: {error}"))?,
        }
    }
    must(readable > 140, format!("{readable} read"))
}

pub fn folders() -> Vec<PathBuf> {
    let Some(golden) = slurm().map(|slurm| slurm.join("golden")) else { return Vec::new() };
    let mut found = Vec::new();
    for group in ["micro", "site"] {
        let runs = fs::read_dir(golden.join(group)).into_iter().flatten().flatten().map(|entry| entry.path());
        found.extend(runs.filter(|path| path.join("slurm.conf").is_file()));
    }
    found.sort();
    found
}

pub fn trials() -> Vec<Trial> {
    let missing = slurm().is_none();
    let mut trials = Vec::new();
    for folder in folders() {
        let name = folder.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
        let name = format!("slurm_sites::run_{}_{}", name[1], name[0]);
        trials.push(Trial::test(name, move || run_is_read(&folder)));
    }
    for (plan, run) in [
        ("site/seed41.jsonl", "site/seed41-run3"),
        ("site/seed42.jsonl", "site/seed42-run1"),
        ("micro/small.events", "micro/small-run4"),
        ("micro/jobs500_shrinked.events", "micro/run4"),
    ] {
        let check = move || {
            let golden = slurm().ok_or("no recordings")?.join("golden");
            plan_is_the_recording(&golden.join(plan), &golden.join(run))
        };
        trials.push(Trial::test(format!("slurm_sites::plan_{plan}"), check).with_ignored_flag(missing));
    }
    for version in ["22.05", "24.11", "26.05"] {
        for moment in ["busy", "done"] {
            let check = move || sample_is_read(version, moment);
            trials.push(
                Trial::test(format!("slurm_sites::sample_{version}_{moment}"), check)
                    .with_ignored_flag(missing),
            );
        }
        let check = move || sample_submissions(version);
        trials.push(
            Trial::test(format!("slurm_sites::submissions_{version}"), check).with_ignored_flag(missing),
        );
    }
    let control = || {
        let folder = slurm().ok_or("no recordings")?.join("golden/site/seed41-run1");
        let mut texts = texts(&folder)?;
        let jobs = texts["jobs.csv"].replacen("-n 5", "-n 6", 1);
        texts.insert("jobs.csv".into(), jobs);
        texts.remove("submitted.tsv");
        let reading = read(&texts);
        let run = reading.recording.clone().ok_or("a recording")?;
        let jobs = run.submissions.iter().map(|job| (job.key.as_str(), job)).collect();
        fails(resources(&texts["jobs.csv"], &reading, &jobs))?;
        let conf = texts["slurm.conf"].replace("bf_interval=15", "bf_interval=16");
        texts.insert("slurm.conf".into(), conf);
        fails(configuration_says_the_same(&texts, &read(&texts)))
    };
    trials.push(
        Trial::test("slurm_sites::control_a_changed_file_is_found", control).with_ignored_flag(missing),
    );
    trials
}
