//! Answers of a followed site where ranges have not held lately: widened, and advice withheld until they hold again.
#![cfg(unix)]

use crate::collect::{now, run, site};
use crate::{Folder, json};

/// Forecasts of past jobs of four processors behind others: said 10 to 30 s, and each started after as many seconds as told.
fn remember(folder: &Folder, first: i64, waits: impl Iterator<Item = i64>) {
    let store = rusqlite::Connection::open(folder.path("s.sqlite")).unwrap();
    for (number, wait) in (0..).zip(waits) {
        let at = first + 600 * number;
        let values = rusqlite::params![format!("{} {at}", 100_000 + number), at, at + wait];
        store
            .execute(
                "INSERT INTO forecast (cluster, job, at, submit, partition, procs, ahead, low, median, high, started)
                 VALUES (1, ?1, ?2, ?2, 'batch', 4, 2, 10, 20, 30, ?3)",
                values,
            )
            .unwrap();
    }
}

fn refused(folder: &Folder, line: &str) -> String {
    let assert = run(folder, line).assert().code(3);
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn ranges_widen_and_advice_is_withheld_until_it_is_earned_back() {
    let now = now();
    let folder = site(now);
    json(&mut run(&folder, "collect --once --store s.sqlite --format json"));
    let when = "when --live --store s.sqlite -n 4 -t 60 --format json";
    let advise = "advise --live --store s.sqlite -n 4 -t 2h --format json";
    let pending = "pending --live --store s.sqlite --format json";
    let before = json(&mut run(&folder, when));
    assert!(before.get("widened").is_none(), "{before}");
    let width = |answer: &serde_json::Value| {
        answer["wait"]["high"].as_f64().unwrap() - answer["wait"]["low"].as_f64().unwrap()
    };
    json(&mut run(&folder, advise));
    let waiting = json(&mut run(&folder, pending));
    // Ninety jobs started after 60 s.
    remember(&folder, now - 400_000, std::iter::repeat_n(60, 90));
    let after = json(&mut run(&folder, when));
    assert_eq!(
        (&after["widened"]["factor"], &after["widened"]["inside"]),
        (&4.0.into(), &0.0.into()),
        "{after}"
    );
    assert!(width(&after) > width(&before), "{before}\n{after}");
    assert_eq!(before["wait"]["median"], after["wait"]["median"]);
    let told = refused(&folder, advise);
    assert!(told.contains("advice is withheld") && told.contains("4 to 15 processors in batch"), "{told}");
    let told = refused(&folder, "allocate --live --store s.sqlite --runs 4=2h,8=1h");
    assert!(told.contains("advice is withheld") && told.contains("4 to 15 processors in batch"), "{told}");
    // Job 31 is first in line: nothing is known of such jobs, and all that are known are lost.
    let wider = json(&mut run(&folder, pending));
    let high = |answer: &serde_json::Value| answer["jobs"][0]["start"]["high"].as_f64().unwrap();
    assert!(high(&wider) >= high(&waiting), "{waiting}\n{wider}");
    // Then eighty ranges hold.
    remember(&folder, now - 200_000, std::iter::repeat_n(20, 80));
    let earned = json(&mut run(&folder, when));
    assert_eq!(earned, before);
    json(&mut run(&folder, advise));
}
