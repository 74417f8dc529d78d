//! Template sets on the paper's logs: scored alike both ways, quickly, and with the trends it reports.

use libtest_mimic::{Failed, Trial};
use queuecast_core::workload::Workload;
use queuecast_eval::{Scorer, WalkForward};
use queuecast_sim::predict::template::{Characteristics, TemplatePredictor, TemplateSet};

use crate::{fails, on_log};

/// The errors of some sets, in percent of the mean run time.
fn errors<const N: usize>(workload: &Workload, sets: [&str; N]) -> [f64; N] {
    let present = Characteristics::present(workload.jobs());
    let replay = WalkForward::of(workload).expect("a log with waits");
    let scorer = Scorer::new(&replay);
    sets.map(|set| {
        let set: TemplateSet = set.parse().expect("a set");
        assert_eq!(set.check(present), Ok(()));
        let quick = scorer.score(&set, 0..replay.len());
        assert_eq!(quick, replay.score(&mut TemplatePredictor::new(&set), 0..replay.len()), "{set}");
        quick.error_percent
    })
}

fn ensure(holds: bool, errors: &[f64]) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(format!("errors in percent: {errors:?}").into()) }
}

/// Figure 1: relative run times improve on actual ones, users and executables on neither.
fn ctc(workload: &Workload) -> Result<(), Failed> {
    let sets = ["()", "(rel)", "(), (u), (u,e)", "(rel), (u,rel), (u,e,rel)"];
    let errors = errors(workload, sets);
    ensure(
        errors[1] < errors[0] && errors[2] < errors[0] && errors[3] < errors[2] && errors[3] < 65.25,
        &errors,
    )
}

/// Figure 2: the user alone takes a third off the error; table 5: ranges of nodes improve on table 4.
fn sdsc96(workload: &Workload) -> Result<(), Failed> {
    let sets = ["()", "(), (u)", "(), (u), (q,u)", "(), (u), (u,n=4), (q,u,n=8)"];
    let errors = errors(workload, sets);
    ensure(errors[1] < 0.67 * errors[0] && errors[2] < errors[1] && errors[3] < errors[2], &errors)
}

pub fn trials() -> Vec<Trial> {
    type Check = fn(&Workload) -> Result<(), Failed>;
    let logs: [(&str, Check); 2] =
        [("CTC-SP2-1996-3.1-cln.swf.gz", ctc), ("SDSC-Par-1996-3.1-cln.swf.gz", sdsc96)];
    let mut trials: Vec<Trial> = Vec::new();
    for (name, check) in logs {
        trials.push(on_log(format!("template_real::template/{name}"), name, check));
    }
    trials
        .push(Trial::test("template_real::control/a_wrong_trend_is_found", || fails(ensure(false, &[1.0]))));
    trials
}
