//! Whether a store can be used, and whether it is up to date.

use queuecast_core::duration;
use queuecast_core::units::{Seconds, Time};

use crate::checkup::ServiceCheck;
use crate::store::{ClusterNumber, SqlStore, Store, StoreError, StoreLocation};

const AREA: &str = "store";

/// A look is as good as asking Slurm for this long: two looks of the usual interval and a minute.
pub const FRESH: Seconds = Seconds(300);

/// Accounting is loaded every twenty minutes by default, and learned from after that.
const LATE: Seconds = Seconds(3_600);

const COLLECT: &str = "start the collector: systemctl start queuecast-collect, or queuecast collect; journalctl -u queuecast-collect says why it ended";

/// Checks a store that exists at a moment.
pub fn store_checks(location: &StoreLocation, now: Time) -> Vec<ServiceCheck> {
    let refused = |check: &str, error: &StoreError| {
        let to_do = error.hint().map_or_else(|| format!("see who may read {location}"), str::to_owned);
        ServiceCheck::wrong(AREA, check, format!("{location}: {error}"), to_do)
    };
    let store = match SqlStore::open_to_read(location) {
        Ok(store) => store,
        Err(error) => return vec![refused(location.kind(), &error)],
    };
    let mut found = format!("{location}, of a form that this version reads");
    if let StoreLocation::File(file) = location {
        let size = std::fs::metadata(file).map_or(0, |about| about.len());
        found = format!("{location}, {} MB, of a form that this version reads", size.div_ceil(1 << 20));
    }
    let mut checks = vec![ServiceCheck::ok(AREA, location.kind(), found)];
    checks.push(match store.damage() {
        Ok(None) => ServiceCheck::ok(AREA, "integrity", "whole"),
        Ok(Some(what)) => ServiceCheck::wrong(
            AREA,
            "integrity",
            format!("damaged: {what}"),
            "stop the collector, move the file away and start it again: it loads the history anew",
        ),
        Err(error) => refused("integrity", &error),
    });
    match store.clusters() {
        Ok(clusters) if clusters.is_empty() => {
            checks.push(ServiceCheck::wrong(AREA, "clusters", "none has been collected", COLLECT));
        }
        Ok(clusters) => {
            for (name, number) in clusters {
                let of_cluster = cluster(&store, &name, number, now);
                checks.extend(of_cluster.unwrap_or_else(|error| vec![refused(&name, &error)]));
            }
        }
        Err(error) => checks.push(refused("clusters", &error)),
    }
    checks
}

fn ago(then: Time, now: Time) -> String {
    format!("{} ago", duration::human((now - then).max(Seconds::ZERO)))
}

fn cluster(
    store: &SqlStore,
    name: &str,
    number: ClusterNumber,
    now: Time,
) -> Result<Vec<ServiceCheck>, StoreError> {
    let last = store.last_look(number)?;
    let look = format!("{name}: last look");
    let mut checks = vec![match last {
        None => ServiceCheck::wrong(AREA, &look, "there is none", COLLECT),
        Some(at) if now - at > FRESH => ServiceCheck::wrong(AREA, &look, ago(at, now), COLLECT),
        Some(at) => ServiceCheck::ok(AREA, &look, ago(at, now)),
    }];
    if let Some(failed) = store.last_failure(number)? {
        let found = format!("{}: {}", ago(failed.at, now), failed.why);
        checks.push(ServiceCheck::wrong(
            AREA,
            &format!("{name}: failed look"),
            found,
            "see what is said of slurm above; the next look is tried in its turn",
        ));
    }
    let history = format!("{name}: accounting");
    checks.push(match store.history_until(number)? {
        None => ServiceCheck::wrong(
            AREA,
            &history,
            "none is loaded",
            "see what is said of sacct; the collector loads it after its first look",
        ),
        Some(until) if now - until > LATE => ServiceCheck::note(
            AREA,
            &history,
            format!("complete up to {}", ago(until, now)),
            "it is loaded a week at a time; if this does not change, see what is said of sacct",
        ),
        Some(until) => ServiceCheck::ok(AREA, &history, format!("complete up to {}", ago(until, now))),
    });
    let learned = format!("{name}: learned");
    checks.push(match store.learned_until(number, now)? {
        None => ServiceCheck::note(AREA, &learned, "not yet: answers are of the queue alone", "the collector learns once accounting is complete; its log says if it cannot"),
        Some(until) if now - until > LATE => ServiceCheck::note(
            AREA,
            &learned,
            format!("up to {}", ago(until, now)),
            "the collector learns as accounting comes, at most a tenth of the time; its log says if it cannot",
        ),
        Some(until) => ServiceCheck::ok(AREA, &learned, format!("up to {}", ago(until, now))),
    });
    Ok(checks)
}
