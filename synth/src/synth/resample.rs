//! User-based resampling: another workload of the same users.

use std::collections::BTreeMap;

use chacha20::ChaCha8Rng;
use queuecast_core::order;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::SynthError;
use super::error::within;
use queuecast_core::job::{Job, Truth, UserId};
use queuecast_core::seed::Seed;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;

/// User-based resampling (Zakay & Feitelson 2014, "Workload resampling for performance evaluation of parallel job
/// schedulers"): the histories of the log's users are shifted by whole weeks and merged. Each user's history keeps its
/// days of the week and its hours; which users overlap is random. Many seeds give similar workloads, for confidence
/// intervals.
///
/// Users are drawn without replacement until all are used, then again. Users active for less than 12 weeks are
/// *temporary*: as many begin per week as in the log on average, each in a drawn week, and jobs beyond the end wrap
/// around to the beginning. The others are *long-term*: each runs through the log's weeks cyclically from a drawn week.
/// Every copy of a user is a new user. Jobs of unknown users are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resample {
    /// Number of weeks; 1 to 10,000.
    pub weeks: u32,
    /// The offered load to approach with more or fewer users; 0.001 to 100. `None` for as many users as in the log. The
    /// load is met on average over seeds only, since users differ.
    pub load: Option<f64>,
}

const WEEK: i64 = 604_800;

/// Users active for fewer weeks are temporary.
const TEMPORARY: u32 = 12;

/// The jobs of one user.
#[derive(Default)]
struct UserHistory {
    /// The jobs' places in the log, and weeks.
    jobs: Vec<(u32, u32)>,
}

impl UserHistory {
    fn first(&self) -> u32 {
        self.jobs.first().map_or(0, |job| job.1)
    }

    /// The number of weeks from the first to the last, inclusive.
    fn weeks(&self) -> u32 {
        self.jobs.last().map_or(0, |job| job.1 - self.first() + 1)
    }
}

/// The histories of a log's users.
struct Histories<'a> {
    workload: &'a Workload,
    /// Length of the log to the nearest week: the partial first and last weeks complete each other in a cycle.
    weeks: u32,
    lasting: Vec<(UserId, UserHistory)>,
    temporary: Vec<(UserId, UserHistory)>,
}

/// Draws numbers from 0 without replacement, and starts again when all are drawn.
struct Deck {
    cards: Vec<u32>,
    dealt: usize,
}

impl Deck {
    fn new(cards: u32) -> Deck {
        Deck { cards: (0..cards).collect(), dealt: 0 }
    }

    fn deal(&mut self, rng: &mut ChaCha8Rng) -> u32 {
        if self.dealt == 0 {
            self.cards.shuffle(rng);
        }
        let card = self.cards[self.dealt];
        self.dealt = (self.dealt + 1) % self.cards.len();
        card
    }
}

/// The resampled jobs so far.
struct Mixed<'a> {
    users: &'a Histories<'a>,
    weeks: i64,
    /// Arrival, user, and place of the job in the log.
    jobs: Vec<(i64, u32, u32)>,
    /// The original of each new user.
    copies: Vec<UserId>,
}

impl Resample {
    /// The workload of this seed. Fails if the log has no users or is shorter than two weeks, or if the workload would be
    /// too large.
    pub fn of(&self, workload: &Workload, seed: Seed) -> Result<Workload, SynthError> {
        within("weeks", self.weeks, 1, 10_000)?;
        if let Some(load) = self.load {
            within("load", load, 0.001, 100.0)?;
        }
        let users = Histories::of(workload)?;
        let crowd = users.crowd(self.load)?;
        users.affordable(self.weeks, crowd)?;
        let mut mixed =
            Mixed { users: &users, weeks: self.weeks.into(), jobs: Vec::new(), copies: Vec::new() };
        mixed.add_lasting(crowd, &mut seed.stream("resample/lasting"));
        mixed.add_temporary(crowd, &mut seed.stream("resample/temporary"));
        mixed.workload()
    }
}

impl<'a> Histories<'a> {
    fn of(workload: &'a Workload) -> Result<Histories<'a>, SynthError> {
        let mut histories: BTreeMap<UserId, UserHistory> = BTreeMap::new();
        let first = workload.begins().unwrap_or_default().0;
        // Weeks begin on the Monday before the first job, or with it where there is no date. The Unix epoch was a Thursday.
        let begins = workload.epoch.map_or(first, |epoch| {
            first - (first.rem_euclid(WEEK) + epoch.rem_euclid(WEEK) + 3 * 86_400).rem_euclid(WEEK)
        });
        let (mut earliest, mut latest) = (None, Time(0));
        for job in workload.jobs() {
            let Some(user) = job.user else { continue };
            let Ok(week) = u32::try_from((job.submit.0 - begins) / WEEK) else { return Err(too_long()) };
            histories.entry(user).or_default().jobs.push((job.index.0, week));
            (earliest, latest) = (earliest.or(Some(job.submit)), job.submit);
        }
        let Some(earliest) = earliest else {
            let why =
                "the log does not say who submitted its jobs: without users it cannot be resampled by users";
            return Err(SynthError::Unsuitable(why.into()));
        };
        let span = (latest - earliest).0;
        if span < 2 * WEEK {
            let days = span as f64 / 86_400.0;
            let why = format!(
                "the log spans {days:.1} days: users are moved by whole weeks, so it takes two weeks at least"
            );
            return Err(SynthError::Unsuitable(why));
        }
        let Ok(weeks) = u32::try_from((span + WEEK / 2) / WEEK) else { return Err(too_long()) };
        if weeks > LONGEST {
            return Err(too_long());
        }
        let (temporary, lasting): (Vec<_>, Vec<_>) =
            histories.into_iter().partition(|(_, history)| history.weeks() < TEMPORARY);
        Ok(Histories { workload, weeks, lasting, temporary })
    }

    /// The number of users for each user of the log.
    ///
    /// # Formula
    /// `load · machine · weeks / Σ procs·run`
    fn crowd(&self, load: Option<f64>) -> Result<f64, SynthError> {
        let Some(load) = load else { return Ok(1.0) };
        let (jobs, truths) = (self.workload.jobs(), self.workload.truths());
        let known = jobs.iter().zip(truths).filter(|(job, _)| job.user.is_some());
        let area: f64 = known.map(|(job, truth)| f64::from(job.shape.procs.0) * truth.run().0 as f64).sum();
        if area <= 0.0 {
            let why = "no job of the log does any work: there is no load to reach";
            return Err(SynthError::Unsuitable(why.into()));
        }
        let machine = f64::from(self.workload.machine().procs.0);
        Ok(load * machine * f64::from(self.weeks) * WEEK as f64 / area)
    }

    fn affordable(&self, weeks: u32, crowd: f64) -> Result<(), SynthError> {
        let jobs = self.workload.len() as f64 * (f64::from(weeks) / f64::from(self.weeks)).max(1.0) * crowd;
        if jobs <= MOST {
            return Ok(());
        }
        let most = (f64::from(weeks) * MOST / jobs).floor();
        let expected = format!("at most {most}: more would be over {MOST} jobs");
        Err(SynthError::OutOfRange { field: "weeks", value: weeks.to_string(), expected })
    }
}

/// The most jobs of a resampled workload.
const MOST: f64 = 1e8;

/// The longest log, in weeks.
const LONGEST: u32 = 10_000;

fn too_long() -> SynthError {
    SynthError::Unsuitable(format!("the log is longer than {LONGEST} weeks: see whether its times are right"))
}

/// A number rounded at random so that its mean is kept.
fn rounded(number: f64, rng: &mut ChaCha8Rng) -> u32 {
    (number + rng.random_range(0.0..1.0)).floor() as u32
}

impl Mixed<'_> {
    /// Adds a new user with the jobs of a history whose week `from` becomes the new week `to`, within the new weeks.
    fn add(&mut self, user: UserId, history: &[(u32, u32)], to: i64, from: i64) {
        let number = self.copies.len() as u32;
        let before = self.jobs.len();
        for &(place, week) in history {
            let week = i64::from(week) - from + to;
            if (0..self.weeks).contains(&week) {
                let at = self.users.workload.jobs()[place as usize].submit.0 + (to - from) * WEEK;
                self.jobs.push((at, number, place));
            }
        }
        if self.jobs.len() > before {
            self.copies.push(user);
        }
    }

    fn add_lasting(&mut self, crowd: f64, rng: &mut ChaCha8Rng) {
        let lasting = &self.users.lasting;
        let circle = i64::from(self.users.weeks);
        let (mut users, mut weeks) = (Deck::new(lasting.len() as u32), Deck::new(self.users.weeks));
        for _ in 0..rounded(lasting.len() as f64 * crowd, rng) {
            let (user, history) = &lasting[users.deal(rng) as usize];
            // New weeks of the log's week 0; its last week may lie beyond the cycle.
            let mut to = -i64::from(weeks.deal(rng)) - circle;
            while to < self.weeks {
                self.add(*user, &history.jobs, to, 0);
                to += circle;
            }
        }
    }

    fn add_temporary(&mut self, crowd: f64, rng: &mut ChaCha8Rng) {
        let temporary = &self.users.temporary;
        let (mut users, mut weeks) = (Deck::new(temporary.len() as u32), Deck::new(self.weeks as u32));
        let passes = self.weeks as f64 / f64::from(self.users.weeks) * crowd;
        for _ in 0..rounded(temporary.len() as f64 * passes, rng) {
            let (user, history) = &temporary[users.deal(rng) as usize];
            // Jobs beyond the end wrap around to the beginning.
            let mut to = i64::from(weeks.deal(rng));
            while to > -i64::from(history.weeks()) {
                self.add(*user, &history.jobs, to, history.first().into());
                to -= self.weeks;
            }
        }
    }

    fn workload(mut self) -> Result<Workload, SynthError> {
        self.jobs.sort_unstable();
        let log = self.users.workload;
        let job = |(id, &(at, user, place)): (u64, &(i64, u32, u32))| -> (Job, Truth) {
            let mut job = log.jobs()[place as usize].clone();
            (job.id.0, job.submit, job.user) = (id, Time(at), UserId::new(user));
            (job, log.truths()[place as usize].clone())
        };
        let (jobs, truths) = (1..).zip(&self.jobs).map(job).unzip();
        let mut workload = Workload::from_columns(log.machine(), jobs, truths)?;
        workload.names.clone_from(&log.names);
        workload.names.users = self.names();
        workload.epoch = log.epoch;
        Ok(workload)
    }

    /// The log's names, each with the number of the copy; none if the log has none.
    fn names(&self) -> BTreeMap<u32, String> {
        let mut copies: BTreeMap<UserId, u32> = BTreeMap::new();
        let named = (0..).zip(&self.copies).filter_map(|(number, user)| {
            let copy = copies.entry(*user).or_default();
            *copy += 1;
            let name = self.users.workload.names.users.get(&user.number())?;
            Some((number, format!("{name}.{copy}")))
        });
        order::map_of(named)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    use super::*;
    use crate::characterization::UserSessions;
    use crate::synth::Habits;
    use queuecast_core::units::{Procs, Seconds};
    use queuecast_core::workload::Machine;

    /// Some forty weeks.
    fn log() -> &'static Workload {
        static LOG: LazyLock<Workload> = LazyLock::new(|| {
            let habits = Habits { jobs: 20_000, procs: 64, users: 60, ..Habits::default() };
            habits.generate(Seed(5)).unwrap()
        });
        &LOG
    }

    fn resample(weeks: u32, seed: u64) -> Workload {
        Resample { weeks, load: None }.of(log(), Seed(seed)).unwrap()
    }

    fn complain(resample: Resample, log: &Workload) -> String {
        resample.of(log, Seed(1)).unwrap_err().to_string()
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        assert_eq!(resample(30, 1), resample(30, 1));
        assert_ne!(resample(30, 1), resample(30, 2));
        assert_eq!(resample(30, 1).digest(), DIGEST, "{:#018x}", resample(30, 1).digest());
    }

    /// Change it only on purpose.
    const DIGEST: u64 = 0x848b_6f5b_d284_60d4;

    /// The offered loads of ten resamples as long as the log, as parts of the log's.
    fn loads(log: &Workload, one: impl Fn(u64) -> Workload) -> Vec<f64> {
        (0..10).map(|seed| one(seed).offered_load() / log.offered_load()).collect()
    }

    #[test]
    fn a_short_log_keeps_its_load_and_its_jobs() {
        let log = Habits { jobs: 5000, load: 0.85, ..Habits::default() }.generate(Seed(1)).unwrap();
        let weeks = Histories::of(&log).unwrap().weeks;
        assert!((3..=5).contains(&weeks), "{weeks} weeks");
        let one = |seed| Resample { weeks, load: None }.of(&log, Seed(seed)).unwrap();
        let same = loads(&log, one);
        assert!(same.iter().all(|load| (0.8..1.2).contains(load)), "{same:?}");
        assert!((0..10).all(|seed| one(seed).len() == log.len()));
        assert!((1..10).all(|seed| one(seed) != one(0)));
        let double = Resample { weeks: 2 * weeks, load: None }.of(&log, Seed(1)).unwrap();
        assert_eq!(double.len(), 2 * log.len());
        // Control: where not all are used, it matters who.
        let half = loads(&log, |seed| Resample { weeks: 1, load: None }.of(&log, Seed(seed)).unwrap());
        assert!(half.iter().any(|load| !(0.8..1.2).contains(load)), "{half:?}");
    }

    #[test]
    fn all_are_drawn_before_any_is_drawn_again() {
        let mut rng = Seed(1).stream("deck");
        let mut deck = Deck::new(50);
        let passes: Vec<Vec<u32>> = (0..3).map(|_| (0..50).map(|_| deck.deal(&mut rng)).collect()).collect();
        assert!(passes.iter().all(|pass| pass.iter().collect::<BTreeSet<_>>().len() == 50));
        assert!(passes[0] != passes[1] && passes[1] != passes[2] && !passes[0].is_sorted());
    }

    #[test]
    fn what_one_user_does_stays_as_it_was() {
        let (log, new) = (log(), resample(52, 3));
        let by_user = |workload: &Workload| {
            let mut users: BTreeMap<UserId, Vec<(i64, Procs, Seconds)>> = BTreeMap::new();
            for (job, truth) in workload.jobs().iter().zip(workload.truths()) {
                let user = users.entry(job.user.unwrap()).or_default();
                user.push((job.submit.0, job.shape.procs, truth.run()));
            }
            users
        };
        let (old, copies) = (by_user(log), by_user(&new));
        let mut whole = 0;
        for (user, jobs) in &copies {
            let name = &new.names.users[&user.number()];
            let origin = old
                .iter()
                .find(|(user, _)| name.rsplit_once('.').unwrap().0 == log.names.users[&user.number()]);
            let (_, origin) = origin.unwrap();
            // Moved by whole weeks, so that hours and days stay, and cut at the ends only.
            let at = (0..origin.len()).find(|&at| {
                let moved = jobs[0].0 - origin[at].0;
                moved % WEEK == 0
                    && origin.len() - at >= jobs.len()
                    && jobs.iter().zip(&origin[at..]).all(|(new, old)| *new == (old.0 + moved, old.1, old.2))
            });
            assert!(at.is_some(), "{name}");
            whole += usize::from(jobs.len() == origin.len());
        }
        assert!(whole > 20, "{whole} of {} are whole", copies.len());
    }

    #[test]
    fn any_length_has_the_statistics_of_the_log() {
        let log = log();
        let per_week = |workload: &Workload, weeks: f64| workload.len() as f64 / weeks;
        let weeks = f64::from(Histories::of(log).unwrap().weeks);
        for (length, seed) in [(20, 1), (52, 2), (200, 3)] {
            let new = resample(length, seed);
            let (old, got) = (per_week(log, weeks), per_week(&new, length.into()));
            assert!(
                (0.75..1.33).contains(&(got / old)),
                "{length} weeks: {got} jobs a week, {old} in the log"
            );
            let load = new.offered_load() / log.offered_load();
            assert!((0.7..1.4).contains(&load), "{length} weeks: load times {load}");
            let session = |workload: &Workload| {
                workload.len() as f64 / f64::from(UserSessions::of(workload, UserSessions::GAP).count)
            };
            assert!((session(&new) / session(log) - 1.0).abs() < 0.15);
            let begins = log.begins().unwrap().0 / WEEK;
            assert!(
                new.jobs()
                    .iter()
                    .all(|job| (begins..begins + i64::from(length)).contains(&(job.submit.0 / WEEK)))
            );
            assert!(new.starts.is_empty());
        }
    }

    #[test]
    fn more_users_make_more_load() {
        let mean = |load: f64| -> f64 {
            let one = |seed| Resample { weeks: 60, load: Some(load) }.of(log(), Seed(seed)).unwrap();
            (0..10).map(|seed| one(seed).offered_load()).sum::<f64>() / 10.0
        };
        for load in [0.4, 0.85, 2.0] {
            let met = mean(load) / load;
            assert!((0.85..1.15).contains(&met), "load {load} times {met}");
        }
        let users = |load| {
            let new = Resample { weeks: 40, load: Some(load) }.of(log(), Seed(1)).unwrap();
            new.jobs().iter().map(|job| job.user).collect::<BTreeSet<_>>().len()
        };
        assert!(users(2.0) > 3 * users(0.4));
    }

    #[test]
    fn logs_that_cannot_be_resampled_say_why() {
        let usual = Resample { weeks: 10, load: None };
        assert_eq!(complain(Resample { weeks: 0, ..usual }, log()), "weeks = 0: must be between 1 and 10000");
        let load = |load| complain(Resample { load: Some(load), ..usual }, log());
        assert_eq!(load(-1.0), "load = -1: must be between 0.001 and 100");
        assert_eq!(load(f64::NAN), "load = NaN: must be between 0.001 and 100");
        let machine = Machine { procs: Procs(4) };
        let job = |submit, user| {
            let mut job = Job::rigid(1, Time(submit), Procs(1), None);
            job.user = user;
            (job, Truth::rigid(Seconds(0)))
        };
        let without_users = Workload::new(machine, vec![job(0, None)]).unwrap();
        assert!(complain(usual, &without_users).starts_with("the log does not say who submitted its jobs"));
        let long =
            Workload::new(machine, vec![job(0, UserId::new(1)), job(1 << 40, UserId::new(1))]).unwrap();
        assert!(complain(usual, &long).starts_with("the log is longer than 10000 weeks"));
        let of_days = |days: i64| {
            let jobs = vec![job(0, UserId::new(1)), job(days * 86_400, UserId::new(1))];
            Workload::new(machine, jobs).unwrap()
        };
        assert_eq!(
            complain(usual, &of_days(13)),
            "the log spans 13.0 days: users are moved by whole weeks, so it takes two weeks at least"
        );
        let idle = of_days(14);
        assert!(
            complain(Resample { load: Some(0.5), ..usual }, &idle)
                .starts_with("no job of the log does any work")
        );
        assert_eq!(Resample { weeks: 1, load: None }.of(&idle, Seed(1)).unwrap().machine(), machine);
        let crowded = complain(Resample { weeks: 10_000, load: Some(100.0) }, log());
        assert!(crowded.contains("over 100000000 jobs"), "{crowded}");
    }
}
