//! A site made of texts: whatever files a folder has.

use queuecast_core::order;
use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::accounting;
use super::capture::CaptureRecord;
use super::checks::check;
use super::conf::{ConfEntry, entries, records, settings};
use super::decided::priority_timer;
use super::file_kind::SiteFileKind;
use super::jobs::jobs;
use super::nodes::{self, KnownNodes};
use super::notes::{Misread, Notes, Unmodelled};
use super::outages::outages;
use super::partitions::{self, NodePlaces};
use super::recorded_ends::cancelled_by_users;
use super::recording::{self, RecordingParts, recorded};
use super::reservations;
use super::settings::{WholeSettings, apply};
use super::topology::topology;
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterNode, ClusterPartition, RecordedRun, Topology, TopologyPlugin, classes_of, name_order,
};

/// A site, and what is to be said about the texts it was read from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteReading {
    /// The site.
    pub cluster: Cluster,
    /// A recorded run, if the texts have one. It is not serialised with the site.
    #[serde(skip)]
    pub recording: Option<RecordedRun>,
    /// The texts that were used, by name, and what each is.
    pub used: BTreeMap<String, SiteFileKind>,
    /// The texts that say nothing about a site.
    pub ignored: Vec<String>,
    /// What no text tells, and what is taken instead.
    pub missing: Vec<MissingText>,
    /// Settings that are present, are not the default, matter to scheduling and are not in the types.
    pub not_modelled: Vec<Unmodelled>,
    /// Warnings about inconsistent or suspicious input.
    pub warnings: Vec<String>,
    /// Places that could not be read.
    pub misread: Vec<Misread>,
}

/// Something that no text tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingText {
    /// What it is.
    pub what: String,
    /// What is taken instead.
    pub instead: String,
    /// Why a capture lacks it; `None` if no capture asked for it.
    pub why: Option<String>,
}

/// How the texts of a site are to be read.
#[derive(Debug, Clone)]
pub struct SiteOptions {
    /// The time zone of local times.
    pub time_zone: TimeZone,
    /// Accounting records submitted after this time are left out, later runs of requeued jobs included: a forecast for an
    /// instant must not use later data.
    pub known_until: Option<Time>,
}

impl Default for SiteOptions {
    fn default() -> SiteOptions {
        SiteOptions { time_zone: TimeZone::UTC, known_until: None }
    }
}

/// The texts of one site by what they are.
struct SiteTexts<'a> {
    by_kind: BTreeMap<SiteFileKind, Vec<(&'a str, &'a str)>>,
}

impl<'a> SiteTexts<'a> {
    fn all(&self, kind: SiteFileKind) -> &[(&'a str, &'a str)] {
        self.by_kind.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// The text of a kind; the first if there are several, with a warning.
    fn one(&self, kind: SiteFileKind, notes: &mut Notes) -> Option<(&'a str, &'a str)> {
        let all = self.all(kind);
        for (other, _) in all.iter().skip(1) {
            notes.warn(format!("{} and {other} are both {kind}; the first counts", all[0].0));
        }
        all.first().copied()
    }
}

/// Makes a site out of texts by name. What a text is, is recognised by what is in it; texts that say nothing about a site are
/// left alone. Where live outputs (`scontrol`) and configuration files both tell something, the live output counts.
pub fn read_site(texts: &BTreeMap<String, String>, options: &SiteOptions) -> SiteReading {
    assembled(texts, options, &mut |_| {})
}

/// As [`read_site`], with `change` applied to the cluster-wide settings before they are read.
pub(super) fn assembled(
    texts: &BTreeMap<String, String>,
    options: &SiteOptions,
    change: &mut dyn FnMut(&mut WholeSettings),
) -> SiteReading {
    let mut notes = Notes::default();
    let (mut used, mut ignored) = (BTreeMap::new(), Vec::new());
    let mut by_kind: BTreeMap<SiteFileKind, Vec<(&str, &str)>> = BTreeMap::new();
    let record = capture_record(texts, &mut notes);
    for (name, text) in texts {
        if record.as_ref().is_some_and(|record| record.is_left_over(name)) {
            notes.warn(format!(
                "{name} is not of this capture and is left out; capture again, or give it another name"
            ));
            ignored.push(name.clone());
            continue;
        }
        match SiteFileKind::of(name, text) {
            Some(kind) => {
                used.insert(name.clone(), kind);
                by_kind.entry(kind).or_default().push((name, text));
            }
            None => ignored.push(name.clone()),
        }
    }
    leave_copies(&mut by_kind, &mut used, &mut ignored, &mut notes);
    let texts = SiteTexts { by_kind };
    let mut missing = Vec::new();
    let conf: Vec<ConfEntry> = texts
        .all(SiteFileKind::SlurmConf)
        .iter()
        .flat_map(|(file, text)| entries(file, text, &mut notes))
        .collect();
    let included = |one: &Unmodelled| {
        let file = one.value.rsplit('/').next().unwrap_or_default();
        one.name == "Include" && texts.all(SiteFileKind::SlurmConf).iter().any(|(name, _)| base(name) == file)
    };
    notes.unmodelled.retain(|one| !included(one));

    let mut cluster = Cluster::default();
    whole_settings((&texts, &conf), change, &mut cluster, &mut notes, &mut missing);
    cluster.nodes = all_nodes(&texts, &conf, &mut notes, &mut missing);
    cluster.classes = classes_of(&cluster.nodes);
    let nodes = std::mem::take(&mut cluster.nodes);
    let places = NodePlaces::of(&nodes, &conf, &mut notes);
    cluster.partitions = all_partitions(&texts, &conf, &places, &mut notes, &mut missing);
    for partition in &mut cluster.partitions {
        partitions::sensible_times(partition);
        // A partition's `PreemptMode` equal to that of the cluster is no setting of its own.
        if partition.preempt == Some(cluster.settings.preempt.action) {
            partition.preempt = None;
        }
    }
    cluster.topology = switches(&texts, cluster.settings.topology_plugin, &places, &mut notes);
    match texts.one(SiteFileKind::Reservations, &mut notes) {
        Some((_, text)) if text.trim_start().starts_with("No reservations") => {}
        Some((file, text)) => {
            let records = records(file, text, "ReservationName", &mut notes);
            cluster.reservations = reservations::live(&records, &places, &options.time_zone, &mut notes);
        }
        None => missing.push(lacking("scontrol show reservation", "no reservations at the begin")),
    }
    if let Some((file, text)) = texts.one(SiteFileKind::NodeEvents, &mut notes) {
        cluster.outages = outages(file, text, &places, &options.time_zone, &mut notes);
    }
    accounts(&texts, &mut cluster, &mut notes, &mut missing);
    let recording = recording_of(&texts, &places, options, &mut notes);
    if let Some(run) = &recording {
        unmodelled_options(run, &mut notes);
    }
    drop(places);
    for (command, why) in record.iter().flat_map(CaptureRecord::missing) {
        match missing.iter_mut().find(|one| command.starts_with(&one.what)) {
            Some(one) => one.why = Some(why.to_owned()),
            None if command.contains("topology") => {
                let instead = "no switches".to_owned();
                missing.push(MissingText { what: command.to_owned(), instead, why: Some(why.to_owned()) });
            }
            // The folder has this information from another file.
            None => {}
        }
    }
    cluster.nodes = nodes;
    check(&cluster, &mut notes);
    order::sort(&mut notes.misread);
    let Notes { unmodelled, warnings, misread } = notes;
    SiteReading { cluster, recording, used, ignored, missing, not_modelled: unmodelled, warnings, misread }
}

/// Where there is a `slurm.conf` or live output of `scontrol`, a configuration file recognized by its keys only
/// (`slurm.conf.example`, `slurm.conf.old`) is a copy and is ignored.
fn leave_copies<'a>(
    by_kind: &mut BTreeMap<SiteFileKind, Vec<(&'a str, &'a str)>>,
    used: &mut BTreeMap<String, SiteFileKind>,
    ignored: &mut Vec<String>,
    notes: &mut Notes,
) {
    let is_copy = |name: &str| SiteFileKind::SlurmConf.is_by_keys(name);
    let is_live = by_kind.contains_key(&SiteFileKind::Config);
    let Some(all) = by_kind.get_mut(&SiteFileKind::SlurmConf) else { return };
    let named = all.iter().map(|one| one.0).find(|name| !is_copy(name));
    let Some(instead) = named.or(is_live.then_some("scontrol show config")) else { return };
    all.retain(|(name, _)| {
        if is_copy(name) {
            notes.warn(format!("{name} is left out, since {instead} is there"));
            used.remove(*name);
            ignored.push((*name).to_owned());
        }
        !is_copy(name)
    });
    if all.is_empty() {
        by_kind.remove(&SiteFileKind::SlurmConf);
    }
    order::sort(ignored);
}

/// The record of the capture that the texts are, if they are one.
fn capture_record(texts: &BTreeMap<String, String>, notes: &mut Notes) -> Option<CaptureRecord> {
    let (name, text) = texts.iter().find(|(name, _)| base(name) == CaptureRecord::FILE)?;
    match CaptureRecord::read(text) {
        Ok(record) => Some(record),
        Err(why) => {
            notes.unread_line(name, 1, text.lines().next().unwrap_or_default(), &why);
            None
        }
    }
}

/// Warns of options of submissions that are not modelled.
fn unmodelled_options(run: &RecordedRun, notes: &mut Notes) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for option in run.submissions.iter().flat_map(|job| &job.not_modelled) {
        *counts.entry(option).or_default() += 1;
    }
    for (option, count) in counts {
        let many =
            if count == 1 { "1 submission uses".to_owned() } else { format!("{count} submissions use") };
        notes.warn(format!("{many} {option}, which is not modelled"));
    }
}

/// A name without its folders.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn lacking(what: &str, instead: &str) -> MissingText {
    MissingText { what: what.to_owned(), instead: instead.to_owned(), why: None }
}

/// Keys of lines that describe parts, not the whole.
const PARTS: [&str; 6] = ["nodename", "partitionname", "nodeset", "downnodes", "frontendname", "switchname"];

fn whole_settings(
    (texts, conf): (&SiteTexts<'_>, &[ConfEntry]),
    change: &mut dyn FnMut(&mut WholeSettings),
    cluster: &mut Cluster,
    notes: &mut Notes,
    missing: &mut Vec<MissingText>,
) {
    let mut said = WholeSettings::new();
    for entry in conf.iter().filter(|entry| !PARTS.contains(&entry.head().name().as_str())) {
        said.extend(entry.0.iter().map(|one| (one.name(), one.clone())));
    }
    if let Some((file, text)) = texts.one(SiteFileKind::Config, notes) {
        said.extend(settings(file, text).into_iter().map(|one| (one.name(), one)));
    }
    if said.is_empty() {
        missing.push(lacking("scontrol show config, slurm.conf", "Slurm's defaults"));
    }
    // These keys exclude each other; the one from the live output takes precedence.
    for (one, other) in [("defmempercpu", "defmempernode"), ("maxmempercpu", "maxmempernode")] {
        let live = |key: &str| {
            said.get(key)
                .map(|said| texts.all(SiteFileKind::Config).iter().any(|(file, _)| *file == said.file))
        };
        match (live(one), live(other)) {
            (Some(false), Some(true)) => said.remove(one),
            (Some(true), Some(false)) => said.remove(other),
            _ => None,
        };
    }
    change(&mut said);
    apply(&said, cluster, notes);
}

fn all_nodes(
    texts: &SiteTexts<'_>,
    conf: &[ConfEntry],
    notes: &mut Notes,
    missing: &mut Vec<MissingText>,
) -> Vec<ClusterNode> {
    let mut known: KnownNodes = nodes::configured(conf, notes);
    let live = texts.one(SiteFileKind::Nodes, notes);
    if let Some((file, text)) = live {
        let records = records(file, text, "NodeName", notes);
        nodes::live(&records, &mut known, notes);
    }
    for (file, text) in texts.all(SiteFileKind::GresConf) {
        let entries = entries(file, text, notes);
        nodes::gres_conf(&entries, &mut known, notes);
    }
    if known.is_empty() {
        missing.push(lacking("scontrol show node, slurm.conf", "no nodes"));
    } else if live.is_none() {
        missing.push(lacking(
            "scontrol show node",
            "nodes as slurm.conf has them, all that it does not call down in service",
        ));
    }
    let mut nodes: Vec<ClusterNode> = known.into_values().collect();
    order::sort_by(&mut nodes, |one, other| name_order(&one.name, &other.name));
    nodes
}

fn all_partitions(
    texts: &SiteTexts<'_>,
    conf: &[ConfEntry],
    places: &NodePlaces<'_>,
    notes: &mut Notes,
    missing: &mut Vec<MissingText>,
) -> Vec<ClusterPartition> {
    let live = texts.one(SiteFileKind::Partitions, notes);
    let Some((file, text)) = live else {
        let configured = partitions::configured(conf, places, notes);
        missing.push(if configured.is_empty() {
            lacking("scontrol show partition, slurm.conf", "no partitions")
        } else {
            lacking("scontrol show partition", "partitions as slurm.conf has them")
        });
        return configured;
    };
    let records = records(file, text, "PartitionName", notes);
    let live = partitions::live(&records, places, notes);
    // Live output takes precedence over `slurm.conf` for these partitions, so its notes are dropped too.
    let mut aside = Notes::default();
    let mut configured = partitions::configured(conf, places, &mut aside);
    let weights: BTreeMap<String, ClusterPartition> =
        order::map_of(configured.iter().map(|one| (one.name.clone(), one.clone())));
    configured.retain(|one| !live.iter().any(|known| known.name == one.name));
    let mut all = partitions::merged(configured, live, &partitions::hidden(conf), notes);
    for one in &mut all {
        // Older versions of `scontrol` print no `TRESBillingWeights`; those of `slurm.conf` are used.
        if let Some(known) = weights.get(&one.name).filter(|_| one.billing_weights.is_empty()) {
            one.billing_weights.clone_from(&known.billing_weights);
        }
    }
    all
}

fn switches(
    texts: &SiteTexts<'_>,
    plugin: TopologyPlugin,
    places: &NodePlaces<'_>,
    notes: &mut Notes,
) -> Topology {
    let described = texts.one(SiteFileKind::TopologyConf, notes);
    match (plugin, described) {
        (TopologyPlugin::Tree, Some((file, text))) => {
            let entries = entries(file, text, notes);
            return topology(&entries, places, notes);
        }
        (TopologyPlugin::Tree, None) => notes.warn(
            "TopologyPlugin is topology/tree, and there is no topology.conf: no switches are known".into(),
        ),
        (TopologyPlugin::Flat, Some((file, _))) => {
            notes.warn(format!("{file} is not used: TopologyPlugin is not topology/tree"));
        }
        (TopologyPlugin::Flat, None) | (TopologyPlugin::Other, _) => {}
    }
    Topology::Flat
}

fn accounts(texts: &SiteTexts<'_>, cluster: &mut Cluster, notes: &mut Notes, missing: &mut Vec<MissingText>) {
    match texts.one(SiteFileKind::Qos, notes) {
        Some((file, text)) => cluster.qos = accounting::qos(file, text, notes),
        None => missing.push(lacking("sacctmgr show qos", "no QOS, hence no limits by QOS")),
    }
    match texts.one(SiteFileKind::Associations, notes) {
        Some((file, text)) => {
            cluster.associations = accounting::associations(file, text, &cluster.name, notes);
        }
        None => missing
            .push(lacking("sacctmgr show assoc", "no accounts, hence equal shares and no limits by account")),
    }
}

fn recording_of(
    texts: &SiteTexts<'_>,
    places: &NodePlaces<'_>,
    options: &SiteOptions,
    notes: &mut Notes,
) -> Option<RecordedRun> {
    let mut parts = RecordingParts::default();
    if let Some((file, text)) = texts.one(SiteFileKind::RunClock, notes) {
        parts.clock = recording::clock(file, text, notes);
    }
    if let (Some(clock), Some((_, text))) = (&mut parts.clock, texts.one(SiteFileKind::PassLog, notes)) {
        clock.tick = recording::last_pass(text, clock.begin, &options.time_zone);
    }
    if let (Some(clock), Some((_, text))) = (&mut parts.clock, texts.one(SiteFileKind::ControllerLog, notes))
    {
        clock.priority_timer = priority_timer(text, clock.begin, &options.time_zone);
    }
    if let Some((file, text)) = texts.one(SiteFileKind::Jobs, notes) {
        parts.list = jobs(file, text, notes);
    }
    let zone = &options.time_zone;
    if let Some((_, text)) = texts.all(SiteFileKind::Accounting).first() {
        parts.names = recording::job_names(text);
        parts.cancelled = cancelled_by_users(text);
        parts.first_submit = recording::first_submit(text, zone).filter(|_| !parts.list.outcomes.is_empty());
    }
    if let Some((file, text)) = texts.one(SiteFileKind::Calls, notes) {
        (parts.calls, parts.calls_file) = (recording::called(file, text, notes), file.to_owned());
    } else if parts.list.submissions.is_empty() {
        if let Some((file, text)) = texts.one(SiteFileKind::Plan, notes) {
            (parts.calls, parts.calls_file) = (recording::planned(file, text, notes), file.to_owned());
        } else if let Some((file, text)) = texts.one(SiteFileKind::SimulatorEvents, notes) {
            (parts.calls, parts.calls_file) =
                (recording::simulator_events(file, text, notes), file.to_owned());
        }
    }
    recorded(parts, places, zone, notes)
}
