//! Decisions of a followed site beside those of its own scheduler simulated, counted by kind of job.

use std::collections::{BTreeMap, BTreeSet};

use super::followed::{FollowedTexts, closed_nodes, key_of, moment_of_look, read_known, take_starts};
use super::live::LiveSite;
use super::slurm_pending::name;
use queuecast_core::asking::Refusal;
use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_sim::cluster::{Exclusivity, GresRequest, RecordedRun, Sharing, SubmittedJob};
use queuecast_slurm_sim::controller::{ShadowDecision, ShadowInterval, ShadowSite, ShadowVerdict};
use queuecast_slurm_texts::{SiteReading, left_out};
use queuecast_trace::TimeZone;
use queuecast_trace::squeue::Queued;
use serde::Serialize;

/// Decisions by what became of them there and in the simulation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ShadowCounts {
    /// Jobs that both started at about the same time, on the same nodes.
    pub same_start: u64,
    /// Jobs that both started at about the same time, on other nodes.
    pub other_nodes: u64,
    /// Jobs that the site started sooner than the simulation, or that the simulation did not start.
    pub sooner: u64,
    /// Jobs that the site started later than the simulation.
    pub later: u64,
    /// Jobs that waited at the site and in the simulation.
    pub waited: u64,
    /// Jobs that waited at the site, and that the simulation started.
    pub passed_over: u64,
}

impl ShadowCounts {
    /// Jobs that the site started.
    pub fn starts(&self) -> u64 {
        self.alike_starts() + self.sooner + self.later
    }

    /// Those that the simulation started too, at about the same time.
    pub fn alike_starts(&self) -> u64 {
        self.same_start + self.other_nodes
    }

    /// All decisions.
    pub fn decisions(&self) -> u64 {
        self.starts() + self.waited + self.passed_over
    }

    /// Those that are not alike.
    pub fn differences(&self) -> u64 {
        self.sooner + self.later + self.passed_over
    }

    fn count(&mut self, verdict: ShadowVerdict) {
        *match verdict {
            ShadowVerdict::SameStart => &mut self.same_start,
            ShadowVerdict::OtherNodes => &mut self.other_nodes,
            ShadowVerdict::Sooner => &mut self.sooner,
            ShadowVerdict::Later => &mut self.later,
            ShadowVerdict::Waited => &mut self.waited,
            ShadowVerdict::PassedOver => &mut self.passed_over,
        } += 1;
    }
}

/// A decision that is not alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShadowMiss {
    /// The job, as it is shown.
    pub job: String,
    /// Its partition.
    pub partition: String,
    /// The last second of the interval, as a Unix time.
    pub at: Time,
    /// What differs, in a word.
    pub verdict: String,
    /// When the site started it, as a Unix time; `None`: not by then.
    pub started: Option<Time>,
    /// When the simulation started it; `None`: not by then.
    pub simulated: Option<Time>,
}

/// The decisions between two looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowTally {
    /// The moment of the last of the two.
    pub to: Time,
    /// Counts by what jobs are grouped by, and by group.
    pub groups: BTreeMap<(&'static str, String), ShadowCounts>,
    /// Decisions that are not alike, at most [`ShadowTally::MISSES`].
    pub misses: Vec<ShadowMiss>,
}

impl ShadowTally {
    /// The most decisions of an interval that are kept one by one.
    pub const MISSES: usize = 20;
}

/// A followed site with what really happened there.
#[derive(Debug)]
pub struct FollowedShadow {
    reading: SiteReading,
    history: RecordedRun,
    sshare: Option<(Time, String)>,
    throttles: BTreeMap<u64, u32>,
    /// What of the site is not modelled.
    settings: Vec<String>,
}

impl FollowedShadow {
    /// A site whose accounting is complete up to a moment.
    ///
    /// # Errors
    /// If the texts tell of no machine.
    pub fn read(texts: FollowedTexts<'_>, known: Time, zone: &TimeZone) -> Result<FollowedShadow, Refusal> {
        let (reading, history) = read_known(texts, known, zone)?;
        let settings = left_out(&reading, &RecordedRun::default());
        let sshare = texts.sshare.map(|(at, text)| (at, text.to_owned()));
        Ok(FollowedShadow { reading, history, sshare, throttles: texts.throttles.clone(), settings })
    }

    /// The decisions between each look and the next one, unless that is too far away; `done` is told of each. Looks that name partitions
    /// which are not described are passed over.
    pub fn tallies(mut self, looks: &[LiveSite], too_far: Seconds, done: &dyn Fn(usize)) -> Vec<ShadowTally> {
        looks.iter().for_each(|look| take_starts(&mut self.history, look));
        let FollowedShadow { reading, history, sshare, throttles, settings } = &self;
        let cluster = &reading.cluster;
        let is_known =
            |look: &LiveSite| look.partition_names().iter().all(|name| cluster.partition(name).is_some());
        let site = ShadowSite::new(cluster, history);
        let mut options: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut tallies = Vec::new();
        for pair in looks.windows(2) {
            let [from, to] = pair else { continue };
            done(1);
            let is_near = to.asked > from.asked && to.asked - from.asked <= too_far;
            if !is_near || !is_known(from) || !is_known(to) {
                continue;
            }
            let shown = sshare.as_ref().map(|(at, text)| (*at, text.as_str()));
            let (mut moment, _) = moment_of_look(cluster, history, from, (shown, throttles));
            let interval = ShadowInterval { to: to.asked, tolerance: site.tolerance() };
            // When a node was closed or opened is not known: it is closed, unless a job started there.
            let used: BTreeSet<usize> = history
                .outcomes
                .iter()
                .filter(|one| one.start.is_some_and(|start| start > from.asked && start <= to.asked))
                .flat_map(|one| one.nodes.iter().filter_map(|node| cluster.node(node)))
                .collect();
            moment.closed_nodes.extend(closed_nodes(cluster, to));
            moment.closed_nodes.sort_unstable();
            moment.closed_nodes.dedup();
            moment.closed_nodes.retain(|node| !used.contains(node));
            let (before, after) = (by_key(from), by_key(to));
            let is_judged = |key: &str, task: Option<u32>| {
                stays_as_it_is(before.get(&(key, task)).copied(), after.get(&(key, task)).copied())
            };
            let mut tally = ShadowTally { to: to.asked, groups: BTreeMap::new(), misses: Vec::new() };
            tally.groups.insert(("all", "all".to_owned()), ShadowCounts::default());
            for decision in site.decisions(&moment, interval, &is_judged) {
                let own = options
                    .entry(decision.submission.key.clone())
                    .or_insert_with(|| options_left_out(reading, settings, &decision.submission));
                for group in groups(reading, settings, own, &decision) {
                    tally.groups.entry(group).or_default().count(decision.verdict);
                }
                tally.note(&decision);
            }
            tallies.push(tally);
        }
        tallies
    }
}

impl ShadowTally {
    fn note(&mut self, decision: &ShadowDecision) {
        let ShadowDecision { submission, task, partition, verdict, started, simulated } = decision;
        let is_alike =
            matches!(verdict, ShadowVerdict::SameStart | ShadowVerdict::OtherNodes | ShadowVerdict::Waited);
        if !is_alike && self.misses.len() < ShadowTally::MISSES {
            self.misses.push(ShadowMiss {
                job: name(submission, *task),
                partition: partition.clone(),
                at: self.to,
                verdict: word(*verdict).to_owned(),
                started: *started,
                simulated: *simulated,
            });
        }
    }
}

/// A verdict in a word.
fn word(verdict: ShadowVerdict) -> &'static str {
    match verdict {
        ShadowVerdict::SameStart => "same start",
        ShadowVerdict::OtherNodes => "other nodes",
        ShadowVerdict::Sooner => "sooner",
        ShadowVerdict::Later => "later",
        ShadowVerdict::Waited => "waited",
        ShadowVerdict::PassedOver => "passed over",
    }
}

fn by_key(look: &LiveSite) -> BTreeMap<(&str, Option<u32>), &Queued> {
    look.jobs().iter().map(|job| (key_of(&job.name), job)).collect()
}

/// Whether a job was left as it is between two looks, as far as they tell: it was not held, and asks for what it asked for.
fn stays_as_it_is(before: Option<&Queued>, after: Option<&Queued>) -> bool {
    let is_held = |job: &Queued| job.elapsed.is_none() && job.reason.code.starts_with("JobHeld");
    if before.into_iter().chain(after).any(is_held) {
        return false;
    }
    let waits = |job: &&Queued| job.elapsed.is_none();
    match (before.filter(waits), after.filter(waits)) {
        (Some(before), Some(after)) => {
            (before.limit, &before.partitions, before.procs) == (after.limit, &after.partitions, after.procs)
        }
        _ => true,
    }
}

/// What of a job is not modelled, and is not of the whole site.
fn options_left_out(reading: &SiteReading, settings: &[String], job: &SubmittedJob) -> Vec<String> {
    let alone = RecordedRun { submissions: vec![job.clone()], ..RecordedRun::default() };
    let mut found = left_out(reading, &alone);
    found.retain(|one| !settings.contains(one));
    found
}

/// Jobs by processors: the most of a class, and what to call it.
const SIZES: [(u32, &str); 5] = [
    (1, "1 processor"),
    (16, "2 to 16 processors"),
    (128, "17 to 128 processors"),
    (1024, "129 to 1,024 processors"),
    (u32::MAX, "over 1,024 processors"),
];

/// The group of jobs that are of no kind that is told apart.
pub const NO_KIND: &str = "none of these";

/// All groups that a decision counts for.
fn groups(
    reading: &SiteReading,
    settings: &[String],
    options: &[String],
    decision: &ShadowDecision,
) -> Vec<(&'static str, String)> {
    let ShadowDecision { submission, partition, .. } = decision;
    let request = &submission.request;
    let procs = request.processors();
    let mut groups = vec![("all", "all".to_owned()), ("partition", partition.clone())];
    groups.extend(request.qos.first().map(|qos| ("qos", qos.clone())));
    groups.extend(SIZES.iter().find(|one| procs <= one.0).map(|one| ("size", one.1.to_owned())));
    let of_partition = reading.cluster.partition(partition).map(|index| &reading.cluster[index]);
    let is_whole = request.wishes.exclusivity == Some(Exclusivity::Exclusive)
        || of_partition.is_some_and(|one| one.sharing == Sharing::Exclusive);
    let gres = &request.gres;
    let each = [&gres.per_node, &gres.per_job, &gres.per_task, &gres.per_socket];
    let is_gpu = |one: &GresRequest| one.name == "gpu" && one.count > 0;
    let kinds = [
        (request.array.is_some(), "array"),
        (is_whole, "whole nodes"),
        (each.into_iter().flatten().any(is_gpu), "GPUs"),
        (request.dependency.is_some(), "dependency"),
        (!request.terms.reservations.is_empty(), "reservation"),
        (request.partitions.len() > 1, "several partitions"),
        (!options.is_empty(), "options not modelled"),
    ];
    let mut named: Vec<&str> = kinds.iter().filter(|one| one.0).map(|one| one.1).collect();
    if named.is_empty() {
        named.push(NO_KIND);
    }
    groups.extend(named.into_iter().map(|kind| ("kind", kind.to_owned())));
    groups.extend(options.iter().map(|option| ("option", option.clone())));
    groups.extend(settings.iter().map(|setting| ("setting", setting.clone())));
    groups
}

/// The longest time after the last look up to which accounting must be complete.
pub const LONGEST_TOLERANCE: Seconds = Seconds(300);
