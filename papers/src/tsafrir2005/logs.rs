//! The four logs as the paper uses them (section 4), and what it tells the model about each (section 11.1).

use std::collections::BTreeMap;

use queuecast_core::job::UserId;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::{Workload, WorkloadError};
use queuecast_synth::characterization::Modes;
use queuecast_synth::synth::{EstimateModel, Supplied};

/// A log of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PaperLog {
    /// SDSC-SP2 without the estimates that only its most inventive user has: user 106 in the paper's version of the
    /// log, another number in later ones.
    Sdsc106,
    /// CTC-SP2.
    Ctc,
    /// KTH-SP2, jobs that ask for at most four hours.
    Kth4h,
    /// SDSC Blue Horizon, whose longest estimate is in effect two hours.
    Blue,
}

/// Four hours.
const KTH_LONGEST: Seconds = Seconds(4 * 3600);

/// The limit of BLUE's express and interactive queues, which people asked for in full.
const BLUE_LONGEST: Seconds = Seconds(2 * 3600);

/// One minute less: requested to be started before jobs that request the maximum.
const BLUE_NEARLY: Seconds = Seconds(2 * 3600 - 60);

/// Up to which KTH4H's unique modes lie.
const KTH_SHORT: Seconds = Seconds(5 * 60);

/// One for all of these, and the next that is popular.
const KTH_BELOW: Seconds = Seconds(2 * 60);
const KTH_NEXT: Seconds = Seconds(10 * 60);

/// BLUE's two exceptional modes.
const BLUE_SHORT: [Seconds; 2] = [Seconds(15 * 60), Seconds(30 * 60)];

/// How many more modes of the other two logs the improved setting knows.
const MORE: usize = 3;

/// How many of the most popular estimates are the head.
const HEAD: usize = 20;

impl PaperLog {
    /// In the order of the paper's tables.
    pub const ALL: [PaperLog; 4] = [PaperLog::Sdsc106, PaperLog::Ctc, PaperLog::Kth4h, PaperLog::Blue];

    /// As the paper calls it.
    pub fn name(self) -> &'static str {
        match self {
            PaperLog::Sdsc106 => "SDSC-106",
            PaperLog::Ctc => "CTC",
            PaperLog::Kth4h => "KTH4H",
            PaperLog::Blue => "BLUE",
        }
    }

    /// The log it is made of, by how its file is called.
    pub fn file(self) -> &'static str {
        match self {
            PaperLog::Sdsc106 => "SDSC-SP2-1998-4.2-cln",
            PaperLog::Ctc => "CTC-SP2-1996-3.1-cln",
            PaperLog::Kth4h => "KTH-SP2-1996-2.1-cln",
            PaperLog::Blue => "SDSC-BLUE-2000-4.2-cln",
        }
    }

    /// The jobs of the log that the paper looks at. A job that asks for no time is left out: it has no estimate to
    /// be modelled.
    pub fn jobs_of(self, log: &Workload) -> Result<Workload, WorkloadError> {
        let owned = if self == PaperLog::Sdsc106 { owned_by_one(log) } else { Vec::new() };
        kept(log, |limit| match self {
            PaperLog::Sdsc106 => owned.binary_search(&limit).is_err(),
            PaperLog::Kth4h => limit <= KTH_LONGEST,
            PaperLog::Ctc | PaperLog::Blue => true,
        })
    }

    /// The log as the model sees it, and as everything after Table 5 does: without the few jobs (1 of SDSC-106, some
    /// 20 of BLUE) that ask for more than the longest estimate of Table 1, and with BLUE's estimates of 01:59 taken for
    /// two hours.
    pub fn modelled(self, log: &Workload) -> Result<Workload, WorkloadError> {
        let jobs = self.jobs_of(log)?;
        let longest = longest(&Modes::of(&jobs));
        let mut workload = kept(&jobs, |limit| limit <= longest)?;
        if self == PaperLog::Blue {
            let limits: Vec<_> = workload.jobs().iter().map(|job| job.shape.limit).collect();
            let raised = |limit| if limit == Some(BLUE_NEARLY) { Some(BLUE_LONGEST) } else { limit };
            workload.replace_limits(limits.into_iter().map(raised));
        }
        Ok(workload)
    }

    /// The longest estimate in effect: two hours on BLUE, else that of Table 1.
    pub fn effective_longest(self, modes: &Modes) -> Seconds {
        if self == PaperLog::Blue { BLUE_LONGEST } else { longest(modes) }
    }

    /// The *vanilla* setting: the number of jobs, the longest estimate and its popularity, which on BLUE takes two
    /// modes to say. `modes` are those of [`PaperLog::modelled`].
    pub fn vanilla(self, modes: &Modes) -> EstimateModel {
        let longest = longest(modes);
        let mut model = EstimateModel::new(modes.jobs(), longest);
        model.longest_percent = Some(percent(modes, longest));
        if self == PaperLog::Blue {
            model.supplied.push(mode(modes, BLUE_LONGEST));
        }
        model
    }

    /// The *improved* setting: vanilla, and the least that tells what is unique about a log. For KTH4H that all
    /// estimates of at most five minutes were of five; for BLUE its two exceptional modes; for the others, which have
    /// nothing unique, the three most popular modes after the longest.
    pub fn improved(self, modes: &Modes) -> EstimateModel {
        let mut model = self.vanilla(modes);
        match self {
            PaperLog::Kth4h => {
                let percent = share_upto(modes, KTH_SHORT);
                model.supplied.push(Supplied { time: KTH_SHORT, percent });
            }
            PaperLog::Blue => model.supplied.extend(BLUE_SHORT.map(|time| mode(modes, time))),
            PaperLog::Sdsc106 | PaperLog::Ctc => {
                let others = modes.by_popularity().into_iter().filter(|mode| mode.time != model.longest);
                model.supplied.extend(others.take(MORE).map(|other| mode(modes, other.time)));
            }
        }
        model
    }

    /// For KTH4H, vanilla and three pairs, as many as the improved setting has for SDSC-106 and CTC: the estimates
    /// below five minutes as one of two, those of five, those of ten. The improved setting puts 14 % of the jobs at five
    /// minutes that ask for less, and so cannot come closer to the log than that; this one can. Not in the paper.
    pub fn told_apart(modes: &Modes) -> EstimateModel {
        let mut model = PaperLog::Kth4h.vanilla(modes);
        let below =
            Supplied { time: KTH_BELOW, percent: share_upto(modes, KTH_SHORT) - percent(modes, KTH_SHORT) };
        model.supplied.extend([below, mode(modes, KTH_SHORT), mode(modes, KTH_NEXT)]);
        model
    }
}

/// The longest estimate, *X* of Table 1: a popular one. Single jobs may ask for more.
fn longest(modes: &Modes) -> Seconds {
    let popular = modes.by_popularity().into_iter().take(HEAD);
    popular.map(|mode| mode.time).max().unwrap_or_default()
}

fn percent(modes: &Modes, time: Seconds) -> f64 {
    100.0 * modes.share(time)
}

fn share_upto(modes: &Modes, time: Seconds) -> f64 {
    100.0 * modes.cumulative(time)
}

fn mode(modes: &Modes, time: Seconds) -> Supplied {
    Supplied { time, percent: percent(modes, time) }
}

/// The estimates, ascending, of the user with the most estimates that no other user has.
fn owned_by_one(log: &Workload) -> Vec<Seconds> {
    // Of each estimate its only user; none once another has been seen.
    let mut owner: BTreeMap<Seconds, Option<UserId>> = BTreeMap::new();
    for job in log.jobs() {
        let Some(limit) = job.shape.limit else { continue };
        owner
            .entry(limit)
            .and_modify(|owner| *owner = owner.filter(|&one| job.user == Some(one)))
            .or_insert(job.user);
    }
    let mut owned: BTreeMap<u32, Vec<Seconds>> = BTreeMap::new();
    for (limit, user) in owner {
        if let Some(user) = user {
            owned.entry(user.number()).or_default().push(limit);
        }
    }
    owned.into_values().max_by_key(Vec::len).unwrap_or_default()
}

/// The jobs whose estimate is kept, with all that is known of them.
fn kept(log: &Workload, keep: impl Fn(Seconds) -> bool) -> Result<Workload, WorkloadError> {
    let (mut jobs, mut truths, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for ((place, job), truth) in log.jobs().iter().enumerate().zip(log.truths()) {
        if job.shape.limit.is_some_and(&keep) {
            jobs.push(job.clone());
            truths.push(truth.clone());
            starts.push(log.starts.get(place).copied().unwrap_or(Time::NEVER));
        }
    }
    let mut workload = Workload::recorded(log.machine(), jobs, truths, starts)?;
    workload.names.clone_from(&log.names);
    workload.epoch = log.epoch;
    Ok(workload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{Job, Truth};
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;

    /// Jobs of these users that ask for these times.
    fn log(jobs: &[(u32, Option<i64>)]) -> Workload {
        let jobs = (0..).zip(jobs).map(|(at, &(user, limit))| {
            let mut job = Job::rigid(at, Time(at as i64), Procs(1), limit.map(Seconds));
            job.user = UserId::new(user);
            (job, Truth::rigid(Seconds(1)))
        });
        Workload::new(Machine { procs: Procs(1) }, jobs.collect()).unwrap()
    }

    fn limits(workload: &Workload) -> Vec<i64> {
        workload.jobs().iter().filter_map(|job| job.shape.limit).map(|limit| limit.0).collect()
    }

    #[test]
    fn what_only_the_most_inventive_user_asks_for_is_left_out() {
        let log = log(&[
            (1, Some(60)),
            (1, Some(61)),
            (1, Some(61)),
            (1, Some(62)),
            (1, Some(63)),
            (2, Some(60)),
            (2, Some(64)),
            (2, Some(62)),
            (3, None),
        ]);
        // User 1 owns 61 and 63, user 2 only 64.
        assert_eq!(limits(&PaperLog::Sdsc106.jobs_of(&log).unwrap()), [60, 62, 60, 64, 62]);
        // Control: elsewhere only jobs without a request are left out.
        assert_eq!(PaperLog::Ctc.jobs_of(&log).unwrap().len(), 8);
    }

    #[test]
    fn kth_ends_at_four_hours_and_blue_rounds_up_to_two() {
        let log = log(&[(1, Some(7140)), (1, Some(7200)), (1, Some(14_400)), (1, Some(14_401))]);
        assert_eq!(limits(&PaperLog::Kth4h.jobs_of(&log).unwrap()), [7140, 7200, 14_400]);
        assert_eq!(limits(&PaperLog::Blue.jobs_of(&log).unwrap()), [7140, 7200, 14_400, 14_401]);
        assert_eq!(limits(&PaperLog::Blue.modelled(&log).unwrap()), [7200, 7200, 14_400, 14_401]);
    }

    #[test]
    fn a_single_job_does_not_make_the_longest_estimate() {
        // 21 popular estimates and one that is asked for once.
        let mut jobs: Vec<(u32, Option<i64>)> =
            (1..=21).flat_map(|minutes| [(1, Some(minutes * 60)), (2, Some(minutes * 60))]).collect();
        jobs.extend([(1, Some(21 * 60)), (3, Some(1_000_000))]);
        let modelled = PaperLog::Ctc.modelled(&log(&jobs)).unwrap();
        assert_eq!((modelled.len(), limits(&modelled).into_iter().max()), (43, Some(21 * 60)));
    }

    #[test]
    fn the_model_is_told_what_the_paper_tells_it() {
        let minutes = [(1, 6), (5, 19), (10, 15), (15, 16), (30, 18), (120, 25), (2160, 1)];
        let modes: Modes =
            minutes.into_iter().flat_map(|(time, jobs)| vec![Seconds(time * 60); jobs]).collect();
        let told = |model: &EstimateModel| -> Vec<(i64, i64)> {
            model.supplied.iter().map(|mode| (mode.time.0 / 60, mode.percent.round() as i64)).collect()
        };
        let vanilla = PaperLog::Ctc.vanilla(&modes);
        assert_eq!(
            (vanilla.jobs, vanilla.longest, vanilla.longest_percent),
            (100, Seconds(129_600), Some(1.0))
        );
        assert_eq!(told(&vanilla), []);
        assert_eq!(told(&PaperLog::Blue.vanilla(&modes)), [(120, 25)]);
        assert_eq!(told(&PaperLog::Blue.improved(&modes)), [(120, 25), (15, 16), (30, 18)]);
        assert_eq!(told(&PaperLog::Kth4h.improved(&modes)), [(5, 25)]);
        assert_eq!(told(&PaperLog::Sdsc106.improved(&modes)), [(120, 25), (5, 19), (30, 18)]);
        assert_eq!(told(&PaperLog::told_apart(&modes)), [(2, 6), (5, 19), (10, 15)]);
        assert_eq!(PaperLog::Blue.effective_longest(&modes), Seconds(7200));
        assert_eq!(PaperLog::Kth4h.effective_longest(&modes), Seconds(129_600));
    }
}
