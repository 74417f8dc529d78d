//! Every wait predictor by name: what is not known yet changes no answer, and any number of threads gives the same.

use queuecast_core::asking::Learning;
use queuecast_core::job::{Job, JobIndex, Truth, UserId};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Withdrawn, Workload};
use queuecast_eval::{WaitScorer, WaitWindow, Watch};
use queuecast_forecast::forecast::{RecordedArrivals, WaitMethod, WhenError, WhenSettings, WhenSource, when};
use queuecast_sim::site::Site;
use queuecast_wait::WaitForecast;
use rand::RngExt;

pub const DEFAULT: Seconds = Seconds(3600);

const METHODS: [&str; 16] = [
    "zero",
    "past",
    "knn",
    "knn:by=linear",
    "knn:by=poly",
    "knn:by=rbf",
    "knn:by=sigmoid",
    "ranges:400",
    "ranges:400,quick",
    "ranges:400,point=ibl",
    "quick",
    "qbets:0.9,0.8",
    "ibl",
    "downey",
    "downey:b",
    "simulated:4",
];

/// A busy machine: jobs wait for some random time that grows with their size; some are withdrawn.
pub fn log(jobs: usize) -> Workload {
    let mut rng = Seed(11).stream("waits");
    let mut submit = 0;
    let (mut kept, mut truths, mut starts, mut withdrawn) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..jobs as u64 {
        submit += rng.random_range(0..600);
        let procs = 1 << rng.random_range(0..6_u32);
        let limit = 600 * rng.random_range(1..40_i64);
        let mut job = Job::rigid(number, Time(submit), Procs(procs), Some(Seconds(limit)));
        job.user = UserId::new(rng.random_range(0..7));
        job.index = JobIndex(kept.len() as u32);
        let wait = if rng.random::<f64>() < 0.4 { 0 } else { i64::from(procs) * rng.random_range(0..3000) };
        if rng.random::<f64>() < 0.05 {
            withdrawn.push(Withdrawn { job, left: Time(submit + wait + 1) });
            continue;
        }
        truths.push(Truth::rigid(Seconds(rng.random_range(1..=limit))));
        starts.push(Time(submit + wait));
        kept.push(job);
    }
    let mut log = Workload::recorded(Machine { procs: Procs(64) }, kept, truths, starts).unwrap();
    log.set_withdrawn(withdrawn).unwrap();
    log
}

/// A log that equals this one up to an instant; everything that is not known then differs.
pub fn with_another_future(log: &Workload, after: Time) -> Workload {
    let (mut jobs, mut truths, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for ((job, truth), &start) in log.jobs().iter().zip(log.truths()).zip(&log.starts) {
        let mut job = job.clone();
        let (mut run, mut start) = (truth.run(), start);
        if start + run >= after {
            run = Seconds((after - start).0.max(0) + 7);
        }
        if start >= after {
            start = after.max(job.submit) + Seconds(5_000_000);
        }
        if job.submit > after {
            job.shape.procs = Procs(1);
            job.shape.limit = Some(Seconds(60));
            job.submit = job.submit + Seconds(1000);
            start = start + Seconds(1000);
        }
        jobs.push(job);
        truths.push(Truth::rigid(run));
        starts.push(start);
    }
    let mut other = Workload::recorded(log.machine(), jobs, truths, starts).unwrap();
    let withdrawn = log.withdrawn.iter().filter(|one| one.job.submit <= after).cloned();
    let later = withdrawn.map(|mut one| {
        one.left = if one.left >= after { after + Seconds(9_000_000) } else { one.left };
        one
    });
    other.set_withdrawn(later.collect()).unwrap();
    other
}

/// What a method answers to each of these jobs.
fn answers(log: &Workload, method: &str, jobs: std::ops::Range<usize>) -> Vec<WaitForecast> {
    let arrivals = RecordedArrivals::new(log, Time::NEVER, DEFAULT);
    let mut predictor = method.parse::<WaitMethod>().unwrap().build(DEFAULT);
    let mut following = arrivals.follow(0);
    jobs.map(|job| {
        let index = JobIndex(job as u32);
        following.before(index, &mut *predictor);
        let arrival = arrivals.arrival(index);
        predictor.predict(&arrival, following.site().view(arrival.at))
    })
    .collect()
}

#[test]
fn what_is_not_known_yet_changes_no_answer() {
    let log = log(700);
    let asked = 600..660;
    let instant = log.jobs()[asked.end - 1].submit;
    let other = with_another_future(&log, instant);
    assert_ne!(log.starts[asked.start..], other.starts[asked.start..], "control: the future is another");
    for method in METHODS {
        let one = answers(&log, method, asked.clone());
        assert_eq!(one, answers(&other, method, asked.clone()), "{method}");
        for forecast in &one {
            let quantiles = [0.0, 0.1, 0.5, 0.9, 1.0].map(|share| forecast.wait.quantile(share));
            assert!(forecast.point.is_finite() && forecast.point >= 0.0, "{method}: {forecast:?}");
            assert!(quantiles.is_sorted() && quantiles[0] >= 0.0, "{method}: {quantiles:?}");
        }
    }
    // Control: a change of the past does change answers.
    let changed = with_another_future(&log, log.jobs()[550].submit);
    assert_ne!(answers(&log, "past", asked.clone()), answers(&changed, "past", asked));
}

#[test]
fn scores_are_the_same_on_any_number_of_threads() {
    let log = log(600);
    let methods: Vec<WaitMethod> = METHODS.iter().map(|text| text.parse().unwrap()).collect();
    let window = WaitWindow { from: 501, jobs: usize::MAX, default_request: DEFAULT };
    let scorer = WaitScorer::new(&log, window).unwrap();
    let together = scorer.score(&methods, Watch::default());
    for (method, score) in methods.iter().zip(&together) {
        let alone = scorer.score(std::slice::from_ref(method), Watch::default());
        assert_eq!(
            (alone[0].one_class, alone[0].interval_score_80),
            (score.one_class, score.interval_score_80),
            "{method}"
        );
        assert_eq!(score.jobs, scorer.jobs());
    }
    assert_eq!(together.iter().find(|one| one.method == "zero").unwrap().mean_width_80, 0.0);
}

pub fn settings(methods: &[&str]) -> WhenSettings {
    WhenSettings {
        methods: methods.iter().map(|text| text.parse().unwrap()).collect(),
        trials: 200,
        default_request: DEFAULT,
        ..WhenSettings::default()
    }
}

pub fn job(procs: u32, at: Time) -> Job {
    Job::rigid(u64::MAX, at, Procs(procs), Some(Seconds(3600)))
}

#[test]
fn when_looks_at_nothing_later_and_picks_the_method_with_the_best_ranges() {
    let log = log(700);
    let at = log.jobs()[600].submit;
    // What happens in the second asked about is known.
    let other = with_another_future(&log, at + Seconds(1));
    let settings = settings(&["zero", "past", "knn", "simulated:4"]);
    let ask = |workload: &Workload| {
        when(&job(8, at), &WhenSource::Log { workload, at }, &settings, Learning::ALONE).unwrap()
    };
    let answer = ask(&log);
    assert_eq!(answer, ask(&other), "the trials included");
    assert_eq!(answer.method, answer.tried[0].method);
    assert!(answer.tried.windows(2).all(|pair| pair[0].interval_score <= pair[1].interval_score));
    assert_ne!(answer.method, "zero", "a range of no width is bad where jobs wait");
    let record = answer.record.unwrap();
    assert!(record.jobs > 150 && record.inside <= record.by_p90, "{record:?}");
    let within: Vec<f64> = answer.wait.within.iter().map(|one| one.probability).collect();
    assert!(within.is_sorted() && (answer.wait.classes.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn jobs_that_still_wait_count_once_they_have_outlasted_their_range() {
    // All started at once until the last ten, which have waited for a day by now.
    let day = 86_400;
    let jobs: Vec<Job> = (0..100)
        .map(|number| Job::rigid(number, Time(number as i64 * 100), Procs(1), Some(Seconds(60))))
        .collect();
    let truths = vec![Truth::rigid(Seconds(30)); 100];
    let starts = (0..100).map(|number| Time(number * 100 + if number < 90 { 0 } else { 10 * day })).collect();
    let log = Workload::recorded(Machine { procs: Procs(4) }, jobs, truths, starts).unwrap();
    let at = Time(day);
    let source = WhenSource::Log { workload: &log, at };
    let answer = when(&job(1, at), &source, &settings(&["past"]), Learning::ALONE).unwrap();
    let record = answer.record.unwrap();
    assert_eq!((record.jobs, record.inside), (100, 0.9), "the ten are known to be later than predicted");
    assert_eq!((answer.state.waiting, answer.state.running, answer.learned), (10, 0, 90));
}

#[test]
fn when_says_why_there_is_no_answer() {
    let log = log(50);
    let first = log.jobs()[0].submit;
    let ask = |workload: &Workload, procs: u32, at: Time| {
        when(&job(procs, at), &WhenSource::Log { workload, at }, &settings(&["past"]), Learning::ALONE)
            .map(|_| ())
    };
    let later = log.jobs()[log.len() - 1].submit + Seconds(10_000_000);
    assert_eq!(ask(&log, 65, later), Err(WhenError::TooLarge { procs: Procs(65), machine: Procs(64) }));
    let mut early = log.clone();
    early.starts.iter_mut().for_each(|start| *start = *start + Seconds(100));
    assert_eq!(ask(&early, 1, first), Err(WhenError::NothingStarted));
    let unknown = Workload::from_columns(log.machine(), log.jobs().to_vec(), log.truths().to_vec()).unwrap();
    assert_eq!(ask(&unknown, 1, later), Err(WhenError::NoWaits));
}

#[test]
fn a_live_site_without_a_history_is_simulated() {
    let machine = Machine { procs: Procs(8) };
    let now = Time(1_000_000);
    let running = [(Job::rigid(1, Time(0), Procs(8), Some(Seconds(600))), Seconds(100))];
    let site = Site::found(machine, now, running, [], DEFAULT);
    let history = Workload::new(machine, Vec::new()).unwrap();
    let source = WhenSource::Live { site, now, history: &history, learned: None };
    let answer = when(&job(4, now), &source, &settings(&["simulated:20"]), Learning::ALONE).unwrap();
    assert_eq!((answer.record, answer.learned, answer.state.free), (None, 0, Procs(0)));
    assert!(
        answer.wait.p90 > 0.0 && answer.wait.p90 <= 501.0,
        "it starts when the running job is stopped: {:?}",
        answer.wait
    );
}
