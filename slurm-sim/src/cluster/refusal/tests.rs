//! Requests that a cluster refuses.

use super::*;
use crate::cluster::{Association, ClusterNode, GenericResource, GresRequest, Qos, Tres, classes_of};
use queuecast_core::units::Micros;

/// Two nodes of four processors, the second with two GPUs; ann and bob in accounts phys and bio.
fn cluster() -> Cluster {
    let node = |name: &str| ClusterNode {
        name: name.into(),
        cpus: 4,
        cores_per_socket: 4,
        memory_mb: 1000,
        ..ClusterNode::default()
    };
    let gpu = GenericResource { name: "gpu".into(), kind: None, count: 2 };
    let second = ClusterNode { gres: vec![gpu], features: vec!["new".into()], ..node("n2") };
    let nodes = vec![node("n1"), second];
    let partition =
        |name: &str| ClusterPartition { name: name.into(), nodes: vec![0, 1], ..ClusterPartition::default() };
    let batch = ClusterPartition {
        is_default: true,
        max_time: Some(Seconds(3600)),
        max_nodes: Some(1),
        accounts: Allowed::Only(vec!["phys".into()]),
        ..partition("batch")
    };
    let user = |account: &str, user: &str| Association {
        account: account.into(),
        user: Some(user.into()),
        qos: vec!["normal".into()],
        ..Association::default()
    };
    let high = Qos {
        name: "high".into(),
        per_job: PerJobLimits { wall: Some(Seconds(60)), ..PerJobLimits::default() },
        ..Qos::default()
    };
    let mut cluster = Cluster {
        classes: classes_of(&nodes),
        nodes,
        partitions: vec![batch, partition("wide")],
        qos: vec![Qos { name: "normal".into(), ..Qos::default() }, high],
        licenses: Tres([("sim".to_owned(), 3)].into()),
        ..Cluster::default()
    };
    cluster.associations.0 = vec![user("phys", "ann"), user("bio", "bob")];
    cluster.settings.jobs.enforce =
        super::super::settings::Enforcement { associations: true, limits: true, qos: true, safe: false };
    cluster
}

fn said(cluster: &Cluster, change: impl FnOnce(&mut JobRequest)) -> Option<String> {
    let mut request = JobRequest { account: Some("phys".into()), ..JobRequest::default() };
    change(&mut request);
    let job = SubmittedJob {
        key: "j".into(),
        id: None,
        submit: Micros::ZERO,
        user: "ann".into(),
        request: request.into(),
        runs: Vec::new(),
        not_modelled: Vec::new(),
    };
    submit_refusal(cluster, &job).map(|one| one.to_string())
}

#[test]
fn what_a_site_would_refuse_has_sbatch_s_reason_and_the_limit() {
    let cluster = cluster();
    let gres = |name: &str, count| vec![GresRequest { name: name.into(), kind: None, count }];
    assert_eq!(said(&cluster, |_| {}), None, "control");
    type Change<'a> = &'a dyn Fn(&mut JobRequest);
    let cases: [(&str, Change<'_>); 16] = [
        ("Invalid partition name specified: the site has no partition x, but batch, wide", &|one| {
            one.partitions = vec!["x".into()]
        }),
        ("combination specified: the site has no account x, but bio, phys", &|one| {
            one.account = Some("x".into())
        }),
        ("combination specified: user ann is not in account bio, but in phys", &|one| {
            one.account = Some("bio".into())
        }),
        ("Invalid qos specification: the site has no QOS x, but high, normal", &|one| {
            one.qos = vec!["x".into()]
        }),
        ("Invalid qos specification: high; user ann in account phys may choose normal", &|one| {
            one.qos = vec!["high".into()]
        }),
        ("1 h 1 min, and partition batch allows 1 h (MaxTime)", &|one| {
            one.time_limit = Some(TimeLimit::Of(Seconds(3660)))
        }),
        ("2 nodes, and partition batch allows 1 (MaxNodes)", &|one| one.min_nodes = Some(2)),
        ("Node count specification invalid: 3 nodes, and partition wide has 2", &|one| {
            one.partitions = vec!["wide".into()];
            one.min_nodes = Some(3);
        }),
        (
            "More processors requested than permitted: 9 processors, and a job in partition wide has at most 8",
            &|one| {
                one.partitions = vec!["wide".into()];
                one.tasks = Some(9);
            },
        ),
        ("Memory specification can not be satisfied: 1001 MB on each node", &|one| {
            one.memory = Some(MemoryRequest::PerNode(1001))
        }),
        ("3 gpu on each node, and those of partition batch have at most 2", &|one| {
            one.gres.per_node = gres("gpu", 3)
        }),
        ("3 gpu, and partition batch has 2", &|one| one.gres.per_job = gres("gpu", 3)),
        ("Invalid generic resource (gres) specification: no node has fpga", &|one| {
            one.gres.per_node = gres("fpga", 1)
        }),
        ("Invalid license specification: 4 of sim, and the site has 3", &|one| {
            one.gres.licenses = gres("sim", 4)
        }),
        ("Invalid feature specification: no node has the feature old; there are new", &|one| {
            one.wishes.constraint = Some(FeatureExpr::Feature("old".into()))
        }),
        ("Requested reservation is invalid: the site has no reservation r", &|one| {
            one.terms.reservations = vec!["r".into()]
        }),
    ];
    for (expected, change) in cases {
        let found = said(&cluster, |request| change(request)).unwrap_or_default();
        assert!(found.contains(expected), "{found}\nis not\n{expected}");
    }
    // Any of the partitions is enough.
    assert_eq!(
        said(&cluster, |one| {
            one.partitions = vec!["batch".into(), "wide".into()];
            one.min_nodes = Some(2);
        }),
        None
    );
    assert!(said(&cluster, |one| one.wishes.node_list = vec!["n3".into()]).unwrap().contains("no node n3"));
}

#[test]
fn limits_of_each_job_count_where_they_are_enforced() {
    let mut cluster = cluster();
    cluster.associations.0[0].qos.push("high".into());
    let ask = |request: &mut JobRequest| {
        request.qos = vec!["high".into()];
        request.time_limit = Some(TimeLimit::Of(Seconds(120)));
    };
    let found = said(&cluster, ask).unwrap();
    assert!(found.contains("policy") && found.ends_with("2 min, above MaxWall=1 min of QOS high"), "{found}");
    cluster.associations.0[0].per_job.tres = Tres([("cpu".to_owned(), 2)].into());
    let found = said(&cluster, |one| one.tasks = Some(3)).unwrap();
    assert!(
        found.ends_with("3 processors, above MaxTRESPerJob=cpu=2 of user ann in account phys"),
        "{found}"
    );
    cluster.settings.jobs.enforce.limits = false;
    assert_eq!(said(&cluster, ask), None);
}
