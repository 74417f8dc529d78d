//! The mixture equals an obvious slow version that looks at all of history for every expert and every weight, and knows nothing
//! of the future.

use proptest::prelude::*;
use queuecast_core::job::{End, Ending, Event, ExecutableId, Job, JobIndex, QueueId, UserId, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_sim::predict::mixture::{EXPERTS, Mixture, MixtureSettings};
use queuecast_sim::predict::{Forecast, Question, RuntimePredictor};

use crate::support;

const DEFAULT: i64 = 5000;

/// Submission, wait, run time, processors, request, and a number that user, executable and queue come from.
type Row = (i64, i64, i64, u32, Option<i64>, u32);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let request = prop::option::weighted(0.8, prop::sample::select(vec![60_i64, 300, 900]));
    let row = (0_i64..40_000, 0_i64..500, 0_i64..1000, 1_u32..3, request, 0_u32..24);
    prop::collection::vec(row, 5..150)
}

/// Unknown, or a number.
fn some(number: u32, of: u32) -> Option<u32> {
    Some(number % of).filter(|&number| number > 0)
}

fn jobs(rows: &[Row]) -> Vec<(Job, i64, i64)> {
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|row| row.0);
    let numbered = sorted.into_iter().enumerate();
    numbered
        .map(|(index, (submit, wait, run, procs, limit, who))| {
            let mut job = Job::rigid(index as u64, Time(submit), Procs(procs), limit.map(Seconds));
            job.index = JobIndex(index as u32);
            job.user = some(who, 3).and_then(UserId::new);
            job.executable = some(who / 3, 4).and_then(ExecutableId::new);
            job.queue = some(who / 12, 2).and_then(QueueId::new);
            (job, wait, run)
        })
        .collect()
}

/// What happens, in order: ends before arrivals before starts of one instant.
fn events(jobs: &[(Job, i64, i64)]) -> Vec<(i64, u8, usize)> {
    let mut events: Vec<(i64, u8, usize)> = Vec::new();
    for (place, (job, wait, run)) in jobs.iter().enumerate() {
        let start = job.submit.0 + wait;
        // What has no length ends after it has started.
        let end = if *run == 0 { 3 } else { 0 };
        events.extend([(job.submit.0, 1, place), (start, 2, place), (start + run, end, place)]);
    }
    events.sort_unstable();
    events
}

fn what(kind: u8, job: &Job, run: i64) -> What {
    match kind {
        1 => What::Arrived,
        2 => What::Started(job.shape),
        _ => What::Ended(End { ran: Seconds(run), ending: Ending::Completed }),
    }
}

/// A job and how long ago, in powers of four seconds, the user's one before it was submitted.
#[derive(Clone)]
struct Seen {
    job: Job,
    gap: u32,
    /// When it ended and how long it ran.
    ended: i64,
    run: f64,
    /// What the experts said of it, and how much history it had.
    said: Vec<f64>,
    depth: usize,
}

/// The definition.
#[derive(Default)]
struct SlowMixture {
    arrived: Vec<Seen>,
    running: Vec<(Job, i64)>,
    ended: Vec<Seen>,
}

fn equal(facts: &str, one: &Seen, other: &Seen) -> bool {
    facts.split(", ").all(|fact| match fact {
        "user" => one.job.user == other.job.user,
        "executable" => one.job.executable == other.job.executable,
        "processors" => one.job.shape.procs == other.job.shape.procs,
        "request" => one.job.shape.limit == other.job.shape.limit,
        "queue" => one.job.queue == other.job.queue,
        "gap" => one.gap == other.gap,
        "" => true,
        other => panic!("{other}"),
    })
}

fn coarser(facts: &str) -> Option<&'static str> {
    match facts {
        "user, executable, processors, request" => Some("user, processors, request"),
        "user, processors, request" | "user, request, gap" => Some("user, request"),
        "user, request" | "user, executable" | "user, processors" | "user, queue" => Some("user"),
        "processors, request, queue" => Some("request"),
        _ => None,
    }
}

fn quantile(values: &[f64], level: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = level * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(low + (high - low) * (at - at.floor()))
}

impl SlowMixture {
    /// The last run times of jobs equal in these facts, the newest last.
    fn last(&self, facts: &str, seen: &Seen, count: usize) -> Vec<f64> {
        let mut runs: Vec<f64> =
            self.ended.iter().filter(|other| equal(facts, seen, other)).map(|other| other.run).collect();
        runs.drain(..runs.len().saturating_sub(count));
        runs
    }

    fn without(&self, seen: &Seen) -> f64 {
        let request = seen.job.shape.limit.map(|limit| limit.0 as f64);
        let shares = |facts: &str| {
            let alike = self.ended.iter().filter(|other| equal(facts, seen, other));
            let mut shares: Vec<f64> =
                alike.filter_map(|other| Some(other.run / other.job.shape.limit?.0 as f64)).collect();
            shares.drain(..shares.len().saturating_sub(200));
            quantile(&shares, 0.5)
        };
        let relative = request.and_then(|request| Some(request * shares("queue").or_else(|| shares(""))?));
        relative
            .or_else(|| quantile(&self.last("queue", seen, 200), 0.5))
            .or_else(|| quantile(&self.last("", seen, 200), 0.5))
            .or(request)
            .unwrap_or(DEFAULT as f64)
    }

    fn ask(&self, facts: &'static str, seen: &Seen, of: &dyn Fn(&[f64]) -> f64) -> f64 {
        let mut sense = Some(facts);
        while let Some(facts) = sense {
            let runs = self.last(facts, seen, 20);
            if !runs.is_empty() {
                return of(&runs);
            }
            sense = coarser(facts);
        }
        self.without(seen)
    }

    fn neighbours(&self, kernel: &str, level: f64, seen: &Seen, now: i64) -> f64 {
        let [request, procs, executable, queue, rank, days] = match kernel {
            "neighbours" => [20.0, 4.0, 10.0, 1.0, 10.0, 60.0],
            "loose neighbours" => [5.0, 2.0, 5.0, 1.0, 5.0, 60.0],
            "strict neighbours" => [100.0, 20.0, 30.0, 2.0, 10.0, 60.0],
            "latest neighbours" => [10.0, 10.0, 10.0, 1.0, 2.0, 10.0],
            other => panic!("{other}"),
        };
        let of = |facts: &str| -> Vec<&Seen> {
            self.ended.iter().filter(|other| equal(facts, seen, other)).collect()
        };
        let own = ["user", "queue", ""].into_iter().map(of).find(|own| !own.is_empty()).unwrap_or_default();
        let newest_first = own.iter().rev().take(80).enumerate();
        let mut weighted: Vec<(f64, f64)> = newest_first
            .map(|(newer, other)| {
                let age = (now - other.ended).max(0) as f64 / 86_400.0;
                let mut weight = rank * days / ((rank + newer as f64) * (days + age));
                let same = |known: bool, equal: bool, factor: f64| if known && equal { factor } else { 1.0 };
                let (one, other) = (&seen.job, &other.job);
                weight *= same(one.shape.limit.is_some(), one.shape.limit == other.shape.limit, request)
                    * same(true, one.shape.procs == other.shape.procs, procs)
                    * same(one.executable.is_some(), one.executable == other.executable, executable)
                    * same(one.queue.is_some(), one.queue == other.queue, queue);
                weight
            })
            .zip(own.iter().rev())
            .map(|(weight, other)| (other.run, weight))
            .collect();
        weighted.reverse();
        if let Some(limit) = seen.job.shape.limit {
            weighted.extend([0.02, 0.2, 0.5, 0.9, 1.0].map(|share| (share * limit.0 as f64, 10.0)));
        }
        weighted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let total: f64 = weighted.iter().map(|one| one.1).sum();
        let mut sum = 0.0;
        for &(run, weight) in &weighted {
            sum += weight;
            if sum >= level * total {
                return run;
            }
        }
        weighted.last().map_or_else(|| self.without(seen), |last| last.0)
    }

    fn value(&self, expert: &'static str, seen: &Seen, now: i64) -> f64 {
        let middle = |runs: &[f64]| quantile(runs, 0.5).unwrap();
        match expert {
            "mean of the user's last two" => self.ask("user", seen, &|runs| {
                let last = &runs[runs.len().saturating_sub(2)..];
                last.iter().sum::<f64>() / last.len() as f64
            }),
            "request" => seen.job.shape.limit.map_or_else(|| self.without(seen), |limit| limit.0 as f64),
            "share of the request usual in the queue" => self.without(seen),
            "10 % of user, request" => self.ask("user, request", seen, &|runs| quantile(runs, 0.1).unwrap()),
            "90 % of user, request" => self.ask("user, request", seen, &|runs| quantile(runs, 0.9).unwrap()),
            "age of the user's running jobs with this request" => {
                let alike = self
                    .running
                    .iter()
                    .filter(|(job, _)| job.user == seen.job.user && job.shape.limit == seen.job.shape.limit);
                let age = alike.map(|(_, start)| now - start).max().unwrap_or(0);
                self.ask("user, request", seen, &middle).max(age as f64)
            }
            other => {
                if let Some((kernel, level)) = other.split_once(": ") {
                    let level = match level {
                        "30 %" => 0.3,
                        "median" => 0.5,
                        _ => 0.7,
                    };
                    self.neighbours(kernel, level, seen, now)
                } else if let Some(facts) = other.strip_prefix("median of ") {
                    self.ask(facts, seen, &middle)
                } else {
                    let facts = other.strip_prefix("last of ").unwrap();
                    self.ask(facts, seen, &|runs| *runs.last().unwrap())
                }
            }
        }
    }

    fn values(&self, seen: &Seen, now: i64) -> Vec<f64> {
        let mut overstayed = 0.0;
        for (request, run) in
            self.ended.iter().filter_map(|one| Some((one.job.shape.limit?.0 as f64, one.run)))
        {
            overstayed = 0.999 * overstayed + 0.001_f64 * f64::from(run > 1.1 * request + 60.0);
        }
        let binds = overstayed < 0.1;
        let limit = seen.job.shape.limit.filter(|_| binds).map_or(f64::INFINITY, |limit| limit.0 as f64);
        EXPERTS.iter().map(|expert| self.value(expert, seen, now).max(1.0).min(limit)).collect()
    }

    fn depth(&self, seen: &Seen) -> usize {
        let senses =
            ["user, executable, processors, request", "user, processors, request", "user, request", "user"];
        let found = senses.iter().enumerate().find_map(|(place, facts)| {
            let count = self.last(facts, seen, 20).len();
            (count > 0).then_some(2 * place + usize::from(count < 3))
        });
        found.unwrap_or(8)
    }

    /// The weights of the experts under logarithmic and under absolute loss.
    fn weights(&self, seen: &Seen) -> [Vec<f64>; 2] {
        let count = EXPERTS.len();
        let loss = |kind: usize, said: f64, run: f64| match kind {
            0 => ((said + 30.0) / (run + 30.0)).ln().abs(),
            _ => (said - run).abs(),
        };
        [0, 1].map(|kind| {
            if self.ended.is_empty() {
                return vec![1.0 / count as f64; count];
            }
            let discounted = |expert: usize, kept: f64, alike: &dyn Fn(&Seen) -> bool| {
                let jobs = self.ended.iter().filter(|one| alike(one));
                jobs.fold((0.0, 0.0), |(sum, jobs), one| {
                    (kept * sum + loss(kind, one.said[expert], one.run), kept * jobs + 1.0)
                })
            };
            let means: Vec<f64> = (0..count)
                .map(|expert| {
                    let (sum, jobs) = discounted(expert, 0.9998, &|_| true);
                    let mut mean = sum / jobs;
                    for (sum, jobs) in [
                        discounted(expert, 0.9998, &|one| one.depth == seen.depth),
                        discounted(expert, 0.995, &|one| equal("user", seen, one)),
                        discounted(expert, 0.995, &|one| equal("user, request", seen, one)),
                    ] {
                        mean = (sum + 80.0 * mean) / (jobs + 80.0);
                    }
                    mean
                })
                .collect();
            let least = means.iter().copied().fold(f64::INFINITY, f64::min).max(1e-9);
            let weights: Vec<f64> = means.iter().map(|mean| (-15.0 * (mean / least - 1.0)).exp()).collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect()
        })
    }

    fn arrive(&mut self, job: &Job, now: i64) -> Seen {
        let before = self.arrived.iter().rev().find(|other| other.job.user == job.user);
        let gap = before.map_or(0, |before| {
            let gap = (job.submit.0 - before.job.submit.0).max(1) as f64;
            1 + (0..40).rev().find(|&power| 4f64.powi(power) <= gap).unwrap() as u32
        });
        let mut seen = Seen { job: job.clone(), gap, ended: 0, run: 0.0, said: Vec::new(), depth: 0 };
        seen.said = self.values(&seen, now);
        seen.depth = self.depth(&seen);
        self.arrived.push(seen.clone());
        seen
    }

    fn end(&mut self, job: &Job, now: i64, run: i64) {
        self.running.retain(|(other, _)| other.index != job.index);
        let mut seen = self.arrived.iter().find(|seen| seen.job.index == job.index).unwrap().clone();
        (seen.ended, seen.run) = (now, run.max(1) as f64);
        self.ended.push(seen);
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs().max(1.0)
}

/// The first place where the mixture and the definition differ.
fn difference(jobs: &[(Job, i64, i64)], spoiled: Option<usize>) -> Option<String> {
    let mut fast = Mixture::new(MixtureSettings::default(), Seconds(DEFAULT));
    let mut slow = SlowMixture::default();
    for (at, kind, place) in events(jobs) {
        let (job, _, run) = &jobs[place];
        let event = Event { at: Time(at), job, what: what(kind, job, *run) };
        match kind {
            1 => {
                let seen = slow.arrive(job, at);
                let weights = slow.weights(&seen);
                fast.observe(&event, &mut Vec::new());
                for (expert, opinion) in fast.opinions(job).iter().enumerate() {
                    let said = seen.said[expert];
                    let right = close(opinion.run, said)
                        && [0, 1].iter().all(|&kind| close(opinion.weights[kind], weights[kind][expert]));
                    if !right {
                        let weights = [weights[0][expert], weights[1][expert]];
                        return Some(format!("job {place}: {opinion:?}, not {said} by {weights:?}"));
                    }
                }
            }
            2 => {
                slow.running.push((job.clone(), at));
                fast.observe(&event, &mut Vec::new());
            }
            _ => {
                slow.end(job, at, if spoiled == Some(place) { run + 1 } else { *run });
                fast.observe(&event, &mut Vec::new());
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(support::cases(60))]

    #[test]
    fn experts_and_weights_are_those_of_all_of_history(rows in rows()) {
        prop_assert_eq!(difference(&jobs(&rows), None), None);
    }
}

/// Some jobs, the same each time.
fn many(count: i64) -> Vec<(Job, i64, i64)> {
    let row = |number: i64| {
        let mixed = number * 7919 % 104_729;
        let request = [None, Some(300), Some(900)][(mixed % 3) as usize];
        (number * 97, mixed % 400, mixed % 700, 1 + (mixed % 2) as u32, request, (mixed % 24) as u32)
    };
    jobs(&(0..count).map(row).collect::<Vec<_>>())
}

#[test]
fn control_a_second_more_is_noticed() {
    let jobs = many(120);
    assert_eq!(difference(&jobs, None), None);
    assert!(difference(&jobs, Some(3)).is_some());
}

/// What is said of each job at its arrival and at its start.
fn forecasts(jobs: &[(Job, i64, i64)]) -> Vec<(i64, Forecast)> {
    let mut mixture = Mixture::new(MixtureSettings::default(), Seconds(DEFAULT));
    let mut said = Vec::new();
    for (at, kind, place) in events(jobs) {
        let (job, _, run) = &jobs[place];
        mixture.observe(&Event { at: Time(at), job, what: what(kind, job, *run) }, &mut Vec::new());
        if kind == 1 || kind == 2 {
            said.push((at, mixture.estimate(&Question { job, elapsed: Seconds::ZERO })));
        }
    }
    said
}

#[test]
fn the_future_changes_nothing() {
    let jobs = many(400);
    let now = jobs[250].0.submit.0;
    let mut other = jobs.clone();
    // Whatever is not known by then is another: run times of what has not ended, and jobs not yet submitted.
    for (job, wait, run) in &mut other {
        if job.submit.0 + *wait + *run > now {
            *run = *run * 3 + 5000;
        }
        if job.submit.0 > now {
            job.user = UserId::new(77);
        }
    }
    let until = |said: Vec<(i64, Forecast)>| -> Vec<(i64, Forecast)> {
        said.into_iter().filter(|(at, _)| *at <= now).collect()
    };
    assert_eq!(until(forecasts(&jobs)), until(forecasts(&other)));
    // Control: the past does change something.
    other[10].2 += 500;
    assert_ne!(until(forecasts(&jobs)), until(forecasts(&other)));
}

#[test]
fn ranges_hold_the_point_of_time_and_never_fall_whatever_is_asked() {
    let jobs = many(300);
    let mut mixture = Mixture::new(MixtureSettings::default(), Seconds(DEFAULT));
    for (at, kind, place) in events(&jobs) {
        let (job, _, run) = &jobs[place];
        mixture.observe(&Event { at: Time(at), job, what: what(kind, job, *run) }, &mut Vec::new());
        for elapsed in [0, 1, 100, 899, 900, 5000] {
            let forecast = mixture.estimate(&Question { job, elapsed: Seconds(elapsed) });
            assert!(forecast.point() > Seconds(elapsed) && forecast.has_range());
            let quantiles: Vec<i64> =
                (1..10).map(|tenth| forecast.quantile(f64::from(tenth) / 10.0).0).collect();
            assert!(quantiles.is_sorted() && quantiles[0] >= elapsed, "{elapsed} {quantiles:?}");
            if let Some(limit) = job.shape.limit
                && elapsed < limit.0
            {
                assert!(quantiles[8] <= limit.0 && forecast.point() <= limit, "{elapsed} {quantiles:?}");
            }
        }
    }
}
