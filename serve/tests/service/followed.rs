//! What becomes of following a cluster: a log that is over, and clusters that cannot be followed any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use queuecast_core::asking::Refusal;
use queuecast_core::units::Seconds;
use queuecast_live::{FollowedSite, SiteNews};
use queuecast_serve::{ClusterKind, ServedCluster, Service, app};

use crate::played::{cluster, get, settings, started};

/// A site that there is not.
struct BrokenSite;

impl FollowedSite for BrokenSite {
    fn follow(&mut self, _: &mut dyn FnMut(SiteNews) -> Option<Seconds>) -> Result<(), Refusal> {
        Err(Refusal::question("its log cannot be read"))
    }
}

fn broken() -> ServedCluster {
    let (name, site) = ("broken".to_owned(), Box::new(BrokenSite));
    ServedCluster { name, kind: ClusterKind::Log, speed: Some(1.0), site, store: None }
}

fn eventually(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_end_of_a_log_is_told() {
    let router = started(&settings(), 20_000.0);
    let row = || get(&router, "/api/v1/clusters").json()[0].clone();
    eventually(|| row()["state"] == "ended");
    assert_eq!(row()["now"].as_i64(), Some(1_700_000_000 + 105_000));
    // What was seen last is still answered.
    assert_eq!(get(&router, "/api/v1/pending").status, 200);
    assert_eq!(get(&router, "/api/v1/health").json()["state"], "alive");
}

#[test]
fn a_service_without_a_cluster_that_can_be_followed_has_failed_and_ends() {
    // While one is followed it is alive.
    let clusters = vec![cluster(1e-6), broken()];
    let service = Arc::new(Service::new(&clusters, &settings()));
    let router = app(service.clone());
    service.follow(clusters).unwrap();
    eventually(|| get(&router, "/api/v1/clusters").json()[1]["state"] == "failed");
    assert_eq!(get(&router, "/api/v1/health").json()["state"], "alive");
    assert!(get(&router, "/api/v1/ready").refused().1.contains("its log cannot be read"));
    // Of one that is alone nothing is left.
    let clusters = vec![broken()];
    let service = Arc::new(Service::new(&clusters, &settings()));
    let router = app(service.clone());
    service.follow(clusters).unwrap();
    eventually(|| get(&router, "/api/v1/health").status == 503);
    let health = get(&router, "/api/v1/health");
    assert_eq!(health.json()["state"], "failed");
    assert!(health.refused().1.contains("broken: its log cannot be read"), "{}", health.text);
    let ended = queuecast_serve::serve(vec![broken()], &settings(), || None).unwrap_err();
    assert!(ended.cause.to_string().contains("its log cannot be read"), "{ended:?}");
}
