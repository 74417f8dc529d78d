#![allow(missing_docs, clippy::all, clippy::print_stdout, clippy::unwrap_used)]
use queuecast::{job::*, predict::*, sim::*, units::*, workload::*};
use std::collections::HashMap;
use std::io::Read;
fn load(path: &str, procs: u32) -> Workload {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let mut jobs = vec![];
    for l in text.lines() {
        if l.trim_start().starts_with(';') {
            continue;
        }
        let f: Vec<f64> = l.split_whitespace().map(|x| x.parse().unwrap()).collect();
        let p = if f[7] > 0.0 { f[7] } else { f[4] };
        let (run, req) = (f[3], f[8]);
        if run <= 0.0 || req <= 0.0 || p <= 0.0 {
            continue;
        }
        let mut j = Job::rigid(
            f[0] as u64,
            Time(f[1] as i64),
            Procs((p as u32).min(procs)),
            Some(Seconds(req as i64)),
        );
        j.user = UserId::new(f[11] as u32);
        jobs.push((j, Truth::rigid(Seconds((run as i64).min(req as i64)))));
    }
    Workload::new(Machine { procs: Procs(procs) }, jobs).unwrap()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let w = load(&a[1], a[2].parse().unwrap());
    let policy: Backfill = a[3].parse().unwrap();
    let spec: PredictorSpec = a[4].parse().unwrap();
    let order: EventOrder = a[5].parse().unwrap();
    let reps: usize = a.get(7).map_or(1, |x| x.parse().unwrap());
    let factor: f64 = a.get(8).map_or(1.0, |x| x.parse().unwrap());
    let corr: Correction = a.get(9).map_or(Correction::Increments, |x| x.parse().unwrap());
    let options = Options { event_order: order, factor, correction: corr, ..Options::default() };
    let mut best = f64::MAX;
    let mut s = None;
    for _ in 0..reps {
        let mut pr = spec.build(
            || w.jobs().iter().zip(w.truths()).map(|(j, t)| options.limit.ran(j, t)).collect(),
            DEFAULT_REQUEST,
        );
        let mut p = if std::env::var("PLAIN").is_ok() { policy.build_plain() } else { policy.build() };
        let t = std::time::Instant::now();
        s = Some(simulate(&w, options, p.as_mut(), pr.as_mut(), &mut []));
        best = best.min(t.elapsed().as_secs_f64());
    }
    let s = s.unwrap();
    let n = w.len() as f64;
    let b: f64 = w
        .jobs()
        .iter()
        .zip(&s.placements)
        .map(|(j, p)| {
            let wt = (p.start - j.submit).0 as f64;
            let r = p.ran.0 as f64;
            ((wt + r) / r.max(10.0)).max(1.0)
        })
        .sum::<f64>()
        / n;
    let wt: f64 =
        w.jobs().iter().zip(&s.placements).map(|(j, p)| (p.start - j.submit).0 as f64).sum::<f64>() / n;
    let bf = s.placements.iter().filter(|p| matches!(p.reason, Reason::Backfilled(_))).count();
    print!(
        "jobs {} bsld {b:.4} wait {wt:.1} bf {bf} plans {} maxq {} {:.2} ms {:.0} kjobs/s",
        w.len(),
        s.plans,
        s.longest_queue,
        best * 1e3,
        n / best / 1e3
    );
    if let Some(g) = a.get(6).filter(|g| g.as_str() != "-") {
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(std::fs::File::open(g).unwrap()).read_to_string(&mut text).unwrap();
        let mut m: HashMap<u64, i64> = HashMap::new();
        for l in text.lines() {
            if l.starts_with(';') || l.starts_with('j') {
                continue;
            }
            if g.contains(".csv") {
                let f: Vec<i64> = l.split(',').map(|x| x.parse().unwrap()).collect();
                m.insert(f[0] as u64, f[2]);
            } else {
                let f: Vec<f64> = l.split_whitespace().map(|x| x.parse().unwrap()).collect();
                m.insert(f[0] as u64, (f[1] + f[2]) as i64);
            }
        }
        let bad: Vec<_> =
            w.jobs().iter().zip(&s.placements).filter(|(j, p)| m.get(&j.id.0) != Some(&p.start.0)).collect();
        print!("  golden {} differ {}", m.len(), bad.len());
        if let Some((j, p)) = bad.first() {
            print!(" first job {} submit {} start {} golden {:?}", j.id.0, j.submit, p.start, m.get(&j.id.0));
        }
    }
    println!();
}
