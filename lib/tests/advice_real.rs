//! Predicted queue times on a real log, against what became of the job that came next.

mod support;

use queuecast::allot::advice::{Advisor, Preference, Walk};
use queuecast::allot::{Sizes, Viable};
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast::seed::Seed;
use queuecast::sim::Backfill;
use queuecast::units::Seconds;
use queuecast::wait::Outlook;
use queuecast::workload::Workload;

#[derive(Debug, Clone, Copy)]
struct Case { low: f64, median: f64, mean: f64, high: f64, actual: f64 }

fn cases(workload: &Workload, outlook: &str, predictor: &str, policy: &str, moments: usize, draws: u32) -> Vec<Case> {
    let shares = outlook == "shares"; let outlook = if shares {"forecast"} else {outlook};
    let outlook: Outlook = outlook.parse().unwrap();
    let predictor: PredictorSpec = predictor.parse().unwrap();
    let policy: Backfill = policy.parse().unwrap();
    let mut walk = Walk::recorded(workload, outlook, predictor.build(|| workload.jobs().iter().zip(workload.truths()).map(|(j,t)| queuecast::sim::LimitRule::Ignore.ran(j,t)).collect(), DEFAULT_REQUEST), DEFAULT_REQUEST);
    walk.shares = shares;
    (1..=moments).map(|k| {
        let job = &workload.jobs()[k * workload.len() / (moments + 1)];
        walk.before(job.index);
        let state = walk.state(job.submit);
        let viable = Viable::new(workload.machine().procs, None, None).unwrap();
        let sizes = Sizes::measured(&[(job.shape.procs, job.shape.limit.unwrap_or(DEFAULT_REQUEST))], viable).unwrap();
        let advisor = Advisor::new(state, sizes, policy.clone(), 1.0);
        let drawn: Vec<_> = (0..draws).map(|n| advisor.draw(Seed(1), n).unwrap()).collect();
        let queue = advisor.conclude(&drawn, Preference::default()).unwrap().recommended().queue;
        let actual = (workload.starts[job.index.at()] - job.submit).0 as f64;
        Case { low: queue.p10.unwrap(), median: queue.median, mean: queue.mean.unwrap(), high: queue.p90.unwrap(), actual }
    }).collect()
}

fn median(mut v: Vec<f64>) -> f64 { v.sort_by(f64::total_cmp); v[v.len()/2] }

fn main() {
    let path = support::traces().unwrap().join("KTH-SP2-1996-2.swf.gz");
    let recorded = support::read(&path, "default", None).workload;
    for made in ["recorded", "fcfs", "easy"] {
    let mut workload = recorded.clone();
    if made != "recorded" {
        let e = queuecast::eval::Experiment::new(made.parse().unwrap(), PredictorSpec::Requested);
        workload.starts = e.run(&workload).unwrap().placements.iter().map(|p| p.start).collect();
    }
    println!("== {made}");
    let moments: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(300);
    for policy in ["fcfs", "easy"].into_iter().filter(|p| made == "recorded" || *p == made) {
        for (outlook, predictor) in [("shares","requested"),("fitted","requested"),("forecast","requested"),("forecast:10","sbh"),("forecast:10","requested"),("forecast","perfect"),("forecast","template:(u,e),(u),()")] {
            let t = std::time::Instant::now();
            let c = cases(&workload, outlook, predictor, policy, moments, 100);
            let n = c.len() as f64;
            let cover = c.iter().filter(|c| (c.low..=c.high).contains(&c.actual)).count() as f64 / n;
            let w: Vec<_> = c.iter().filter(|c| c.actual > 60.0 || c.high > 60.0).collect();
            let coverw = w.iter().filter(|c| (c.low..=c.high).contains(&c.actual)).count() as f64 / w.len() as f64;
            let above = w.iter().filter(|c| c.actual > c.high).count() as f64 / w.len() as f64;
            let err = c.iter().map(|c| (c.median - c.actual).abs()).sum::<f64>() / n;
            let zero = c.iter().map(|c| c.actual).sum::<f64>() / n;
            let meanerr = c.iter().map(|c| (c.mean - c.actual).abs()).sum::<f64>() / n;
            let lg = |f: fn(&Case) -> f64| median(w.iter().map(|c| ((f(c)+60.0).ln() - (c.actual+60.0).ln()).abs()).collect());
            let bias = c.iter().map(|c| c.median - c.actual).sum::<f64>() / n;
            println!("{policy:5} {outlook:12} {predictor:22} cover {cover:.3} (waiting {} {coverw:.3} above {above:.2}) MAE med {err:.0} mean {meanerr:.0} zero {zero:.0} bias {bias:.0} log err {:.2} zero {:.2}  {:.1}s", w.len(), lg(|c| c.median), lg(|_| 0.0), t.elapsed().as_secs_f64());
        }
    }
    }
    let _ = Seconds(0);
}
