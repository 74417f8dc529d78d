//! A forecaster that is kept warm: it learns on, is shared as it is, and is stored and read again.

use crate::wait_methods::{DEFAULT, job, log, settings, with_another_future};
use queuecast_core::job::Truth;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{
    Forecaster, ForecasterKey, StoredError, SubmissionUse, WhenAnswers, WhenSettings,
};
use queuecast_sim::site::{Replay, Site, Step};

const METHODS: [&str; 4] = ["trees:200,refit=100", "simulated:20", "knn", "past"];

/// Follows a log as a live site is followed, up to and including each of these moments, and tells what is known there.
fn follow(
    forecaster: &mut Forecaster,
    log: &Workload,
    from: Time,
    moments: &[Time],
    mut at: impl FnMut(&mut Forecaster, &Site),
) {
    let mut replay = Replay::recorded(log, DEFAULT);
    let jobs = replay.timeline().jobs(log);
    for &moment in moments {
        while let Some(next) = replay.peek().filter(|next| next.at <= moment) {
            let is_new = next.at > from;
            if next.step == Step::Submitted && is_new {
                let job = &jobs[next.job.at()];
                replay.admit(job.shape.procs);
                forecaster.submitted(job, replay.site(), SubmissionUse::LIVE);
            }
            let Some(event) = replay.step() else { break };
            if is_new {
                forecaster.observe(&event);
            }
        }
        at(forecaster, replay.site());
    }
}

fn asked(forecaster: &Forecaster, site: &Site, now: Time) -> WhenAnswers {
    forecaster.answer(&[job(8, now), job(1, now), job(60, now)], site, now).unwrap()
}

#[test]
fn what_is_stored_answers_alike_and_learns_on_alike() {
    let log = log(900);
    let (now, later) = (log.jobs()[600].submit, log.jobs()[850].submit);
    let settings = settings(&METHODS);
    let key = ForecasterKey::of(&log, now, &settings);
    let (mut first, site) = Forecaster::of_log(&log, now, &settings, &|_| ());
    let bytes = first.stored(&site, key).unwrap();
    assert_eq!(bytes, first.stored(&site, key).unwrap(), "the same bytes each time");
    let (mut second, restored_site) = Forecaster::restored(&bytes, key, &settings).unwrap();
    assert_eq!(asked(&first, &site, now), asked(&second, &restored_site, now));
    let mut found = Vec::new();
    for one in [&mut first, &mut second] {
        follow(one, &log, now, &[later], |one, site| {
            one.refit();
            found.push(asked(one, site, later));
        });
    }
    assert_eq!(found[0], found[1]);
    assert_ne!(
        found[0].waits,
        asked(&Forecaster::restored(&bytes, key, &settings).unwrap().0, &site, now).waits
    );
}

#[test]
fn a_snapshot_stays_as_it_is() {
    let log = log(700);
    let (now, later) = (log.jobs()[500].submit, log.jobs()[660].submit);
    let settings = settings(&METHODS);
    let (mut forecaster, site) = Forecaster::of_log(&log, now, &settings, &|_| ());
    let snapshot = forecaster.snapshot();
    let before = asked(&snapshot, &site, now);
    // Another thread asks while this one learns.
    std::thread::scope(|threads| {
        let asking = threads.spawn(|| (0..5).map(|_| asked(&snapshot, &site, now)).collect::<Vec<_>>());
        follow(&mut forecaster, &log, now, &[later], |one, _| one.refit());
        assert!(asking.join().unwrap().iter().all(|answer| *answer == before));
    });
    assert_eq!(asked(&snapshot, &site, now), before);
    assert!(forecaster.started() > snapshot.started());
}

#[test]
fn a_fit_that_is_given_up_changes_nothing_and_is_still_due() {
    let log = log(700);
    let (now, later) = (log.jobs()[400].submit, log.jobs()[660].submit);
    let settings = settings(&METHODS);
    let (forecaster, _) = Forecaster::of_log(&log, now, &settings, &|_| ());
    let mut found = Vec::new();
    for fit in [0, 1, 2] {
        let mut one = forecaster.snapshot();
        follow(&mut one, &log, now, &[later], |one, site| {
            let before = asked(one, site, later);
            if fit > 0 {
                one.refit_unless(&|| true);
                assert_eq!(asked(one, site, later), before);
            }
            if fit != 1 {
                one.refit();
            }
            found.push(asked(one, site, later));
        });
    }
    assert_eq!(found[0], found[2]);
    // No submission fits anything by itself.
    assert_ne!(found[0].waits, found[1].waits);
}

#[test]
fn a_key_names_what_is_known() {
    let log = log(500);
    let now = log.jobs()[300].submit;
    let usual = settings(&METHODS);
    let key = |log: &Workload, until: Time, settings: &WhenSettings| ForecasterKey::of(log, until, settings);
    let own = key(&log, now, &usual);
    assert_eq!(own, key(&with_another_future(&log, now + Seconds(1)), now, &usual));
    assert_ne!(own, key(&with_another_future(&log, now - Seconds(40_000)), now, &usual));
    assert_ne!(own, key(&log, log.jobs()[301].submit, &usual));
    assert_ne!(own, key(&log, now, &settings(&["past"])));
    assert_ne!(own, key(&log, now, &WhenSettings { trials: 201, ..usual.clone() }));
    assert_eq!(own.to_string().len(), 32);
    // A job whose start is unknown is taken to run from its submission on: how long it ran is known then.
    let mut unknown = log.clone();
    unknown.starts[200] = Time::NEVER;
    let longer = |by: i64| {
        let (jobs, mut truths) = (unknown.jobs().to_vec(), unknown.truths().to_vec());
        truths[200] = Truth::rigid(Seconds(by));
        Workload::recorded(unknown.machine(), jobs, truths, unknown.starts.clone()).unwrap()
    };
    assert_ne!(key(&longer(10), now, &usual), key(&longer(20), now, &usual));
}

#[test]
fn another_file_is_refused() {
    let log = log(300);
    let now = log.jobs()[250].submit;
    let settings = settings(&["past", "simulated:4"]);
    let key = ForecasterKey::of(&log, now, &settings);
    let (forecaster, site) = Forecaster::of_log(&log, now, &settings, &|_| ());
    let bytes = forecaster.stored(&site, key).unwrap();
    let refused = |bytes: &[u8]| Forecaster::restored(bytes, key, &settings).map(|_| ()).unwrap_err();
    assert_eq!(refused(b""), StoredError::Foreign);
    assert_eq!(refused(&[7; 1000]), StoredError::Foreign);
    assert_eq!(refused(&bytes[..bytes.len() - 1]), StoredError::Damaged);
    // One bit of each part of it: magic, version, key, digest, length, and the state.
    for (place, error) in [
        (3, StoredError::Foreign),
        (20, StoredError::OtherVersion),
        (35, StoredError::OtherKey),
        (50, StoredError::Damaged),
        (66, StoredError::Damaged),
        (bytes.len() / 2, StoredError::Damaged),
    ] {
        let mut other = bytes.clone();
        other[place] ^= 1;
        assert_eq!(refused(&other), error, "byte {place}");
    }
    let later = ForecasterKey::of(&log, log.jobs()[260].submit, &settings);
    assert_eq!(Forecaster::restored(&bytes, later, &settings).map(|_| ()), Err(StoredError::OtherKey));
    // A method that cannot be stored.
    let other = crate::wait_methods::settings(&["past", "qbets"]);
    let (forecaster, site) = Forecaster::of_log(&log, now, &other, &|_| ());
    assert_eq!(forecaster.stored(&site, ForecasterKey::of(&log, now, &other)), None);
}
