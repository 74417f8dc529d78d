//! Predicting waits: the features of an arrival and how they grow with the queue, one prediction by each method over a full
//! history of a real log, and the training of the support vector machine.
//!
//! `cargo bench -p queuecast -- wait`. Predictions need a real log, found as in the tests (`QUEUECAST_TRACES`).

use std::sync::LazyLock;

use divan::{Bencher, black_box};
use queuecast_core::job::{End, Event, Job, JobIndex, UserId, What};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_forecast::forecast::{LearnedSite, RecordedArrivals, WaitMethod};
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_sim::site::{Site, View};
use queuecast_wait::features::FeatureTracker;
use queuecast_wait::{Arrival, FeatureDistance, Nearest, Ranges, WaitPredictor};

/// Any number from a place, without chance.
fn mixed(place: u32) -> u64 {
    (u64::from(place) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

fn job(place: u32) -> Job {
    let (procs, limit) = (1 + mixed(place) % 512, 60 * (1 + mixed(place + 7) % 2880));
    let mut job = Job::rigid(u64::from(place), Time(0), Procs(procs as u32), Some(Seconds(limit as i64)));
    job.index = JobIndex(place);
    job
}

fn tell(tracker: &mut FeatureTracker, job: &Job, what: What) {
    tracker.observe(&Event { at: Time(0), job, what });
}

/// A tracker with `waiting` jobs waiting and as many running.
fn tracker(waiting: u32) -> FeatureTracker {
    let mut tracker = FeatureTracker::new(DEFAULT_REQUEST);
    for place in 0..2 * waiting {
        let job = job(place);
        tell(&mut tracker, &job, What::Arrived);
        if place >= waiting {
            tell(&mut tracker, &job, What::Started(job.shape));
        }
    }
    tracker
}

/// With as many jobs running as waiting.
#[divan::bench(args = [100_u32, 1000, 10_000], sample_size = 100)]
fn features_of_an_arrival(bencher: Bencher<'_, '_>, waiting: u32) {
    let mut tracker = tracker(waiting);
    let jobs: Vec<Job> = (0..1000).map(|place| job(3 * waiting + place)).collect();
    let mut next = 0;
    bencher.bench_local(|| {
        next = (next + 1) % jobs.len();
        tracker.features(black_box(&jobs[next]), Time(1))
    });
}

/// A job arrives and leaves the queue.
#[divan::bench(args = [100_u32, 1000, 10_000], sample_size = 100)]
fn arrival_and_withdrawal(bencher: Bencher<'_, '_>, waiting: u32) {
    let mut tracker = tracker(waiting);
    let jobs: Vec<Job> = (0..1000).map(|place| job(3 * waiting + place)).collect();
    let mut next = 0;
    bencher.bench_local(|| {
        next = (next + 1) % jobs.len();
        tell(&mut tracker, &jobs[next], What::Arrived);
        tell(&mut tracker, &jobs[next], What::Withdrawn);
    });
}

const FROM: usize = 20_000;

fn log(name: &str) -> Option<Workload> {
    let file = crate::support::traces()?.join(format!("{name}.swf.gz"));
    file.is_file().then(|| crate::support::read(&file, "default", None).workload)
}

static LOG: LazyLock<Option<Workload>> = LazyLock::new(|| log("CTC-SP2-1996-3.1-cln"));

/// A method that has followed the log up to job 20,000, then asked about each of the next jobs in turn.
fn prediction(bencher: Bencher<'_, '_>, method: &str) {
    let Some(log) = LOG.as_ref() else { return };
    let last = log.jobs()[FROM + 400].submit;
    let arrivals = RecordedArrivals::new(log, last, DEFAULT_REQUEST);
    let mut predictor = method.parse::<WaitMethod>().unwrap().build(DEFAULT_REQUEST);
    let mut following = arrivals.follow(0);
    following.before(JobIndex(FROM as u32), &mut *predictor);
    ask(&mut *predictor, &arrivals, &following, 0);
    let mut place = 0;
    bencher.bench_local(|| {
        place = (place + 1) % 400;
        ask(&mut *predictor, &arrivals, &following, place)
    });
}

fn ask(
    predictor: &mut dyn WaitPredictor,
    arrivals: &RecordedArrivals<'_>,
    following: &queuecast_forecast::forecast::Following<'_, '_>,
    place: usize,
) -> queuecast_wait::WaitForecast {
    let arrival = arrivals.arrival(JobIndex((FROM + place) as u32));
    predictor.predict(&arrival, following.site().view(arrival.at))
}

#[divan::bench(sample_size = 20, args = ["past", "knn", "knn:distance=element", "quick", "qbets", "ibl", "downey", "ranges", "ranges:quick", "knn:by=linear", "knn:by=rbf", "simulated"])]
fn one_prediction(bencher: Bencher<'_, '_>, method: &str) {
    prediction(bencher, method);
}

/// What `ranges:quick` is asked about each of 400 arrivals, after it has followed a log up to job 20,000.
fn of_ranges<R>(
    bencher: Bencher<'_, '_>,
    log: &Workload,
    window: usize,
    question: impl Fn(&mut Ranges, &Arrival<'_>, View<'_>) -> R,
) {
    let arrivals = RecordedArrivals::new(log, log.jobs()[FROM + 400].submit, DEFAULT_REQUEST);
    let mut ranges = Ranges::new(Box::new(Nearest::new(window, FeatureDistance::Sums)), window, window)
        .with_quick_starters();
    let mut following = arrivals.follow(0);
    following.before(JobIndex(FROM as u32), &mut ranges);
    let mut place = 0;
    let mut next = || {
        place = (place + 1) % 400;
        let arrival = arrivals.arrival(JobIndex((FROM + place) as u32));
        question(&mut ranges, &arrival, following.site().view(arrival.at))
    };
    next();
    bencher.bench_local(next);
}

/// A forecast with its distribution, of logs with more and fewer classes of waits.
#[divan::bench(sample_size = 20, args = ["CTC-SP2-1996-3.1-cln", "SDSC-BLUE-2000-4.2-cln", "HPC2N-2002-2.2-cln"])]
fn ranges_quick_forecast(bencher: Bencher<'_, '_>, name: &str) {
    let Some(log) = log(name) else { return };
    of_ranges(bencher, &log, Ranges::WINDOW, |ranges, arrival, site| ranges.predict(arrival, site));
}

/// The two classes that sites are compared by.
#[divan::bench(sample_size = 20, args = ["CTC-SP2-1996-3.1-cln", "SDSC-BLUE-2000-4.2-cln", "HPC2N-2002-2.2-cln"])]
fn two_ranges(bencher: Bencher<'_, '_>, name: &str) {
    let Some(log) = log(name) else { return };
    of_ranges(bencher, &log, Ranges::WINDOW, |ranges, arrival, site| ranges.ranges(arrival, site));
}

#[divan::bench(sample_size = 20, args = [500, 5000])]
fn two_ranges_of_a_history(bencher: Bencher<'_, '_>, window: usize) {
    let Some(log) = LOG.as_ref() else { return };
    of_ranges(bencher, log, window, |ranges, arrival, site| ranges.ranges(arrival, site));
}

#[divan::bench(sample_size = 20)]
fn is_quick_alone(bencher: Bencher<'_, '_>) {
    let Some(log) = LOG.as_ref() else { return };
    of_ranges(bencher, log, Ranges::WINDOW, |ranges, arrival, site| ranges.is_quick(arrival, site));
}

/// The whole of a training: the first forecast after the starts of the log.
#[divan::bench(sample_count = 3, args = ["ranges:500", "ranges"])]
fn training(bencher: Bencher<'_, '_>, method: &str) {
    let Some(log) = LOG.as_ref() else { return };
    let arrivals = RecordedArrivals::new(log, log.jobs()[FROM].submit, DEFAULT_REQUEST);
    bencher
        .with_inputs(|| {
            let mut predictor = method.parse::<WaitMethod>().unwrap().build(DEFAULT_REQUEST);
            let mut following = arrivals.follow(0);
            following.before(JobIndex(FROM as u32), &mut *predictor);
            (predictor, following)
        })
        .bench_local_values(|(mut predictor, following)| ask(&mut *predictor, &arrivals, &following, 0));
}

/// A machine with `jobs` running and as many waiting jobs; what ran before taught how long jobs run and in which order they start.
fn busy_site(jobs: u32) -> (Site, LearnedSite) {
    let job = |id: u32, submit: i64| {
        let limit = Seconds(600 + (mixed(id) % 85_800) as i64);
        let procs = Procs(1 << (mixed(id + 3) % 5));
        let mut job = Job::rigid(u64::from(id), Time(submit), procs, Some(limit));
        (job.user, job.index) = (UserId::new(id % 20), JobIndex(id));
        job
    };
    let mut learned = LearnedSite::new(&"mixture".parse().unwrap(), Seconds(86_400));
    for id in 0..5000 {
        let at = i64::from(id) * 300;
        let past = job(id, at);
        let run = Seconds(past.shape.limit.unwrap().0 / i64::from(1 + id % 7));
        let event = |at: i64, what: What| Event { at: Time(at), job: &past, what };
        learned.observe(&event(at, What::Arrived));
        learned.observe(&event(at, What::Started(past.shape)));
        learned.observe(&event(at, What::Ended(End { ran: run, ending: Default::default() })));
    }
    let now = Time(5000 * 300);
    let running: Vec<(Job, Seconds)> =
        (0..jobs).map(|id| (job(10_000 + id, now.0 - 600), Seconds(600))).collect();
    let machine = Machine { procs: Procs(running.iter().map(|one| one.0.shape.procs.0).sum()) };
    let waiting: Vec<Job> = (0..jobs).map(|id| job(20_000 + id, now.0 - 300)).collect();
    (Site::found(machine, now, running, waiting, Seconds(86_400)), learned)
}

/// A distribution of the start of every waiting job and of one more, from 1,000 simulations.
#[divan::bench(args = [50_u32, 200, 800], sample_count = 10, sample_size = 1)]
fn thousand_simulations(bencher: Bencher<'_, '_>, jobs: u32) {
    let (site, learned) = busy_site(jobs);
    let newcomer = Job::rigid(9, Time(5000 * 300), Procs(8), Some(Seconds(7200)));
    bencher.bench_local(|| learned.sample(site.view(Time(5000 * 300)), Some(&newcomer), 1000, Seed(1)));
}
