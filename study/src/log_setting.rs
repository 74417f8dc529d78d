//! Settings of a log's machine, and what becomes of its jobs' waits with others.

use std::collections::BTreeSet;

use crate::Experiment;
use crate::awaited::Awaited;
use crate::change_review::{WaitChange, group_waits_changes};
use crate::group_changes::{PairedWaits, group_changes, of_one_person};
use crate::shaken::Shaking;
use queuecast_core::asking::Refusal;
use queuecast_core::job::{Job, JobId};
use queuecast_core::parallel;
use queuecast_core::spec::Spec;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_eval::size_class;
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_slurm_texts::ChangedValue;
use queuecast_synth::synth::{Shaken, Variant};

/// How many processors there are, and who runs next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LogSettings {
    procs: u32,
    policy: Backfill,
    predictor: PredictorSpec,
}

/// No machine is larger: what is asked for must not take the memory.
const LARGEST: f64 = 1e8;

impl LogSettings {
    /// The machine of a log, and EASY backfilling with the limits that jobs ask for, since no log tells its policy.
    pub fn of(log: &Workload) -> LogSettings {
        let (policy, predictor) = (Backfill::easy(), PredictorSpec::Requested);
        LogSettings { procs: log.machine().procs.0, policy, predictor }
    }

    /// With other settings: `procs=128`, `procs=+16`, `procs=-10%`, `policy=SPEC`, `predictor=SPEC`, with blanks between several.
    ///
    /// # Errors
    /// If one is none.
    pub fn with(&self, text: &str) -> Result<LogSettings, Refusal> {
        let wrong = |why: String| {
            Refusal::question(format!("a setting cannot be changed: {why}"))
                .hint("a log has procs=+16 (or +10%, -16, 144), policy=SPEC and predictor=SPEC")
        };
        let mut changed = self.clone();
        for word in text.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                return Err(wrong(format!("{word:?} is not of the form KEY=VALUE")));
            };
            match key {
                "procs" => changed.procs = self.changed_procs(value).map_err(wrong)?,
                "policy" => {
                    changed.policy = Backfill::parse(value).map_err(|error| wrong(error.to_string()))?
                }
                "predictor" => {
                    changed.predictor =
                        PredictorSpec::parse(value).map_err(|error| wrong(error.to_string()))?;
                }
                _ => return Err(wrong(format!("a log has no setting {key}"))),
            }
        }
        Ok(changed)
    }

    fn changed_procs(&self, value: &str) -> Result<u32, String> {
        let expected = || format!("procs: {value:?} is no number of processors");
        let (text, unit) = match value.strip_suffix('%') {
            Some(percent) => (percent, f64::from(self.procs) / 100.0),
            None => (value, 1.0),
        };
        let is_relative = text.starts_with(['+', '-']);
        let number: f64 = text.parse().map_err(|_| expected())?;
        let procs = if is_relative { f64::from(self.procs) } else { 0.0 } + (number * unit).round();
        match (1.0..=LARGEST).contains(&procs) {
            true => Ok(procs as u32),
            false => Err(expected()),
        }
    }

    /// Who runs next.
    pub fn policy(&self) -> String {
        match self.predictor {
            PredictorSpec::Requested => self.policy.to_string(),
            _ => format!("{} with {}", self.policy, self.predictor),
        }
    }

    /// What differs.
    pub fn changed_to(&self, other: &LogSettings) -> Vec<ChangedValue> {
        let value = |name: &str, from: String, to: String| {
            (from != to).then(|| ChangedValue { name: name.to_owned(), from, to })
        };
        let procs = |one: &LogSettings| one.procs.to_string();
        let predictor = |one: &LogSettings| one.predictor.to_string();
        let all = [
            value("procs", procs(self), procs(other)),
            value("policy", self.policy.to_string(), other.policy.to_string()),
            value("predictor", predictor(self), predictor(other)),
        ];
        all.into_iter().flatten().collect()
    }

    /// The wait of each job, by its number; `None` for one that is too large.
    fn waits(&self, jobs: &Workload) -> Result<Vec<Option<Seconds>>, Refusal> {
        let bug = |error: &dyn std::fmt::Display| Refusal::bug(error.to_string());
        let mut fitting = jobs.only(|job| job.shape.procs.0 <= self.procs).map_err(|error| bug(&error))?;
        fitting.set_machine(Machine { procs: Procs(self.procs) }).map_err(|error| bug(&error))?;
        let experiment = Experiment::new(self.policy.clone(), self.predictor.clone());
        let schedule = experiment.run(&fitting).map_err(|error| bug(&error))?;
        let mut waits = vec![None; jobs.len()];
        for (job, placement) in fitting.jobs().iter().zip(&schedule.placements) {
            waits[job.id.0 as usize] = Some(placement.start - job.submit);
        }
        Ok(waits)
    }
}

/// Jobs of a log that have ended, numbered from zero.
pub(crate) struct LogJobs {
    jobs: Workload,
}

/// Waits with two settings.
pub(crate) struct ComparedSettings {
    pub common: usize,
    pub lost: usize,
    pub gained: usize,
    pub waits: Vec<WaitChange>,
}

impl LogJobs {
    /// The last jobs that have ended by a moment, at most `most`: of others it is not known how long they run.
    pub fn ended_by(log: &Workload, at: Time, most: usize) -> Result<LogJobs, Refusal> {
        let has_ended = |job: &Job| {
            let start = log.starts.get(job.index.at()).copied().unwrap_or(Time::NEVER);
            start <= at && start.0.saturating_add(log.truths()[job.index.at()].run().0) <= at.0
        };
        let ended: Vec<&Job> = log.jobs().iter().filter(|job| job.submit <= at && has_ended(job)).collect();
        if ended.is_empty() {
            return Err(Refusal::question("no job has ended yet").hint("ask again when some have"));
        }
        let last = &ended[ended.len().saturating_sub(most)..];
        let numbered =
            last.iter().enumerate().map(|(number, &job)| Job { id: JobId(number as u64), ..job.clone() });
        let truths = last.iter().map(|job| log.truths()[job.index.at()].clone());
        let jobs = Workload::from_columns(log.machine(), numbered.collect(), truths.collect());
        let mut jobs = jobs.map_err(|error| Refusal::bug(error.to_string()))?;
        jobs.names.clone_from(&log.names);
        Ok(LogJobs { jobs })
    }

    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// The first and the last submission.
    pub fn span(&self) -> (Time, Time) {
        let submit = |job: Option<&Job>| job.map_or(Time(0), |job| job.submit);
        (submit(self.jobs.jobs().first()), submit(self.jobs.jobs().last()))
    }

    /// What jobs are told apart by, in the order of `GROUPED_BY`, users left out.
    fn groups(&self, job: &Job) -> [(usize, u32, String); 4] {
        let names = &self.jobs.names;
        let named = |names: &std::collections::BTreeMap<u32, String>, number: Option<u32>| match number {
            Some(number) => names.get(&number).cloned().unwrap_or_else(|| number.to_string()),
            None => UNKNOWN.to_owned(),
        };
        let size = job.shape.procs.0.max(1).ilog2();
        [
            (0, 0, named(&names.queues, job.queue.map(|one| one.number()))),
            (1, 0, named(&names.qos, job.qos.map(|one| one.number()))),
            (2, 0, self.account(job).unwrap_or_else(|| UNKNOWN.to_owned())),
            (4, size, size_class(size)),
        ]
    }

    /// The account, or the group where a log has none.
    fn account(&self, job: &Job) -> Option<String> {
        let names = &self.jobs.names;
        let (of, number) = match (job.account, job.group) {
            (Some(account), _) => (&names.accounts, account.number()),
            (None, Some(group)) => (&names.groups, group.number()),
            (None, None) => return None,
        };
        Some(of.get(&number).cloned().unwrap_or_else(|| number.to_string()))
    }

    /// Accounts of one person.
    pub fn personal_accounts(&self) -> BTreeSet<String> {
        let user = |job: &Job| {
            let number = job.user?.number();
            Some(self.jobs.names.users.get(&number).cloned().unwrap_or_else(|| number.to_string()))
        };
        let named = self.jobs.jobs().iter().filter_map(|job| Some((self.account(job)?, user(job)?)));
        let named: Vec<(String, String)> = named.collect();
        of_one_person(named.iter().map(|(account, user)| (account.as_str(), user.as_str())))
    }

    /// Simulates both settings, and with every seed; both see the same shaken submissions. `None` if that was not wanted any more.
    pub fn compared(
        &self,
        settings: [&LogSettings; 2],
        shaking: Option<Shaking>,
        awaited: Awaited<'_>,
    ) -> Result<Option<ComparedSettings>, Refusal> {
        let seeds = shaking.map_or(0, |shaking| u64::from(shaking.seeds));
        let runs: Vec<(u64, usize)> = (0..=seeds).flat_map(|seed| [(seed, 0), (seed, 1)]).collect();
        let waits = parallel::try_map(&runs, |&(seed, side)| {
            if !(awaited.is_wanted)() {
                return Ok(None);
            }
            let shaken = shaking.filter(|_| seed > 0).map(|shaking| Shaken { by: shaking.by, seed });
            let jobs = Variant { shaken, ..Variant::default() }.of(&self.jobs);
            let jobs = jobs.map_err(|error| Refusal::bug(error.to_string()))?;
            let waits = settings[side].waits(&jobs)?;
            (awaited.done)();
            Ok(Some(waits))
        })?;
        let waits: Option<Vec<_>> = waits.into_iter().collect();
        let Some(waits) = waits else { return Ok(None) };
        let (mut by_group, mut overall) = (Vec::new(), Vec::new());
        for seed in waits.chunks_exact(2) {
            let (mut groups, mut all) = (PairedWaits::new(), PairedWaits::new());
            // Jobs are in the order of their numbers here.
            for (job, (before, after)) in self.jobs.jobs().iter().zip(seed[0].iter().zip(&seed[1])) {
                let (Some(before), Some(after)) = (*before, *after) else { continue };
                let add = |to: &mut PairedWaits, group| {
                    let pair = to.entry(group).or_default();
                    pair.0.push(after);
                    pair.1.push(before);
                };
                self.groups(job).into_iter().for_each(|group| add(&mut groups, group));
                add(&mut all, (0, 0, "all".to_owned()));
            }
            by_group.push(groups);
            overall.push(all);
        }
        let all = group_waits_changes(&group_changes(&overall))
            .into_iter()
            .map(|one| WaitChange { by: "all", ..one });
        let mut found: Vec<WaitChange> = all.collect();
        // What no job says is no group.
        let groups = group_waits_changes(&group_changes(&by_group));
        found.extend(groups.into_iter().filter(|one| one.group != UNKNOWN));
        let started = |side: usize| waits[side].iter();
        let count = |is: fn(bool, bool) -> bool| {
            started(0).zip(started(1)).filter(|(before, after)| is(before.is_some(), after.is_some())).count()
        };
        Ok(Some(ComparedSettings {
            common: count(|before, after| before && after),
            lost: count(|before, after| before && !after),
            gained: count(|before, after| !before && after),
            waits: found,
        }))
    }
}

/// The group of jobs that name none.
const UNKNOWN: &str = "(none)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changed_waits::{ChangedWaits, SettingQuestion};
    use queuecast_core::job::{QueueId, Truth, UserId};

    /// Jobs of two queues on 8 processors, more than fit at once; the last has not ended.
    fn log() -> Workload {
        let job = |number: u32| {
            let (procs, run) = ([1, 8, 2, 4][number as usize % 4], 60 + i64::from(number % 7) * 30);
            let mut job = Job::rigid(
                u64::from(number) + 1,
                Time(i64::from(number) * 20),
                Procs(procs),
                Some(Seconds(600)),
            );
            (job.queue, job.user) = (QueueId::new(number % 2), UserId::new(number % 3));
            (job, Truth::rigid(Seconds(run)))
        };
        let mut log = Workload::new(Machine { procs: Procs(8) }, (0..200).map(job).collect()).unwrap();
        let schedule = Experiment::new(Backfill::easy(), PredictorSpec::Requested).run(&log).unwrap();
        log.starts = schedule.placements.iter().map(|one| one.start).collect();
        log
    }

    fn asked(setting: &str, both: &str, at: Time, jobs: usize) -> Result<ChangedWaits, Refusal> {
        let question =
            SettingQuestion { setting, both, shaking: Some(Shaking { by: Seconds(10), seeds: 3 }) };
        question.of_log("log", (&log(), at, jobs), Awaited::ALWAYS).map(Option::unwrap)
    }

    #[test]
    fn a_larger_machine_shortens_waits_and_a_smaller_one_loses_jobs() {
        let all = asked("procs=+100%", "", Time(1_000_000), 1_000).unwrap();
        assert_eq!((all.jobs, all.common_jobs, all.lost, all.gained), (200, 200, 0, 0));
        let mean = &all.waits[0];
        assert!(mean.by == "all" && mean.after < 0.5 * mean.before, "{mean:?}");
        assert_eq!(mean.is_beyond_scatter(), Some(true));
        assert_eq!((all.changes[0].from.as_str(), all.changes[0].to.as_str()), ("8", "16"));
        let kinds: BTreeSet<&str> = all.waits.iter().map(|one| one.by).collect();
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["all", "partition", "size_class"]);
        let less = asked("procs=-4", "", Time(1_000_000), 1_000).unwrap();
        assert_eq!((less.lost, less.common_jobs), (50, 150));
        let back = asked("procs=8", "procs=4", Time(1_000_000), 1_000).unwrap();
        assert_eq!((back.gained, back.lost), (50, 0));
    }

    #[test]
    fn only_jobs_that_have_ended_are_simulated() {
        let log = log();
        let at = log.starts[99];
        let known = asked("policy=fcfs", "", at, 1_000).unwrap();
        let ended = |job: &&Job| log.starts[job.index.at()].0 + log.truths()[job.index.at()].run().0 <= at.0;
        assert_eq!(known.jobs, log.jobs().iter().filter(ended).count());
        assert!(known.until <= at && known.policies == ["easy", "fcfs"]);
        assert_eq!(asked("policy=fcfs", "", at, 10).unwrap().jobs, 10);
        assert!(asked("policy=fcfs", "", Time(-1), 10).unwrap_err().to_string().contains("ended"));
    }

    #[test]
    fn settings_are_read() {
        let settings = LogSettings::of(&log());
        for (text, procs) in [("procs=+4", 12), ("procs=-50%", 4), ("procs=64", 64), ("policy=fcfs", 8)] {
            assert_eq!(settings.with(text).unwrap().procs, procs, "{text}");
        }
        for wrong in
            ["procs=0", "procs=-8", "procs=x", "procs=NaN", "procs=1e99", "policy=x", "nodes=3", "procs"]
        {
            let refused = settings.with(wrong).unwrap_err();
            assert!(!refused.hints.is_empty() && refused.to_string().contains("setting"), "{wrong}");
        }
        assert!(
            asked("policy=easy", "", Time(9_999), 10).unwrap_err().to_string().contains("nothing is changed")
        );
    }
}
