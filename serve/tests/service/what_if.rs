//! What a setting would change, asked of the service without a socket.

use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use futures_util::StreamExt;
use queuecast_serve::{Access, ServiceSettings};
use serde_json::Value;
use tower::ServiceExt;

use crate::played::{get, send, settings, started};

/// The events of a stream, by name.
fn events(text: &str) -> Vec<(String, Value)> {
    let blocks = text.split("\n\n").filter(|block| block.starts_with("event: "));
    let read = |block: &str| {
        let (name, data) = block.strip_prefix("event: ").unwrap().split_once("\ndata: ").unwrap();
        (name.to_owned(), serde_json::from_str(data).unwrap())
    };
    blocks.map(read).collect()
}

#[test]
fn who_gains_and_who_loses_is_told_with_progress() {
    let router = started(&settings(), 1e-6);
    let asked = get(&router, "/api/v1/what-if?set=procs=-50%25&seeds=3&jobs=200");
    assert_eq!(
        (asked.status, asked.headers["content-type"].to_str().unwrap()),
        (StatusCode::OK, "text/event-stream")
    );
    let told = events(&asked.text);
    let (last, before) = told.split_last().unwrap();
    let done: Vec<u64> = before.iter().map(|(_, data)| data["done"].as_u64().unwrap()).collect();
    assert_eq!(done, (0..=8).collect::<Vec<u64>>());
    assert!(before.iter().all(|(name, data)| name == "progress" && data["of"] == 8));
    let (name, body) = last;
    assert_eq!((name.as_str(), body["jobs"].as_u64(), body["lost"].as_u64()), ("answer", Some(200), Some(0)));
    assert_eq!((&body["changes"][0]["from"], &body["changes"][0]["to"]), (&"64".into(), &"32".into()));
    let mean = &body["waits"][0];
    assert_eq!((mean["by"].as_str(), mean["of"].as_str()), (Some("all"), Some("mean-wait")));
    assert!(mean["after"].as_f64() > mean["before"].as_f64() && mean["shaken"]["confidence"].is_number());
    // On the clock of the other answers.
    let now = get(&router, "/api/v1/clusters").json()[0]["now"].as_i64().unwrap();
    let until = body["until"].as_i64().unwrap();
    assert!(until <= now && until > now - 20_000, "{until} {now}");
    for (question, status, said) in [
        ("", 400, "set is missing"),
        ("set=procs=4&jobs=40000", 400, "too many"),
        ("set=procs=4&seeds=21", 400, "too many"),
        ("set=procs=4&jobs=30000&seeds=20", 400, "21 times"),
        ("set=procs=4&seeds=0", 400, "seeds=0"),
        ("set=partition.p.nodes=%2B20000", 400, "too many nodes"),
        ("set=bf_interval=60&both=partition.p.Nodes=%2B99999999999999999999:n1", 400, "too many nodes"),
    ] {
        let (found, text) = get(&router, &format!("/api/v1/what-if?{question}")).refused();
        assert!(found == status && text.contains(said), "{question}: {found} {text}");
    }
    let (name, body) = events(&get(&router, "/api/v1/what-if?set=nodes=4").text).pop().unwrap();
    assert!(name == "refused" && body["error"].as_str().unwrap().contains("no setting nodes"), "{body}");
}

#[test]
fn one_is_computed_at_a_time_and_given_up_with_its_connection() {
    let router = started(&settings(), 1e-6);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let ask = |question: &str| {
        let request = Request::builder().uri(format!("/api/v1/what-if?{question}"));
        router.clone().oneshot(request.body(Body::empty()).unwrap())
    };
    runtime.block_on(async {
        // The longest that can be asked, and others behind it.
        let mut first =
            ask("set=policy=conservative&seeds=20&jobs=7000").await.unwrap().into_body().into_data_stream();
        assert!(first.next().await.unwrap().unwrap().starts_with(b"event: progress"));
        let mut waiting = Vec::new();
        for _ in 0..4 {
            let mut one = ask("set=procs=32&seeds=1&jobs=50").await.unwrap().into_body().into_data_stream();
            assert!(one.next().await.unwrap().unwrap().starts_with(b"event: waits"));
            waiting.push(one);
        }
        let refused = ask("set=procs=32").await.unwrap();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        let begun = Instant::now();
        drop(first);
        drop(waiting.drain(1..));
        let mut rest = Vec::new();
        while let Some(bytes) = waiting[0].next().await {
            rest.extend_from_slice(&bytes.unwrap());
        }
        let rest = String::from_utf8(rest).unwrap();
        assert_eq!(events(&rest).last().unwrap().0, "answer", "{rest}");
        assert!(begun.elapsed() < Duration::from_secs(60));
        // All that were given up have made room.
        let again =
            to_bytes(ask("set=procs=32&seeds=1&jobs=50").await.unwrap().into_body(), 1 << 20).await.unwrap();
        assert_eq!(events(std::str::from_utf8(&again).unwrap()).last().unwrap().0, "answer");
    });
}

#[test]
fn behind_a_proxy_only_administrators_may_ask_and_no_person_is_named() {
    let access = Access { token: None, user_header: Some("x-remote-user".parse().unwrap()) };
    let settings =
        ServiceSettings { anonymous: true, access, administrators: vec!["root".to_owned()], ..settings() };
    let router = started(&settings, 1e-6);
    let as_user = |path: &str, user: &str| {
        let request = Request::builder().uri(path).header("x-remote-user", user);
        send(&router, request.body(Body::empty()).unwrap())
    };
    let question = "/api/v1/what-if?set=procs=32&seeds=1&jobs=100";
    assert_eq!(as_user(question, "").refused().0, 401);
    assert_eq!(as_user(question, "4").refused().0, 403);
    assert_eq!(as_user("/api/v1/clusters", "4").json()[0]["what_if"], false);
    assert_eq!(as_user("/api/v1/clusters", "root").json()[0]["what_if"], true);
    let (name, body) = events(&as_user(question, "root").text).pop().unwrap();
    assert_eq!(name, "answer");
    // The one group is called as a user is.
    let waits = body["waits"].as_array().unwrap();
    let accounts: Vec<&str> =
        waits.iter().filter(|one| one["by"] == "account").map(|one| one["group"].as_str().unwrap()).collect();
    assert!(!accounts.is_empty() && accounts.iter().all(|name| name.starts_with("account-")), "{accounts:?}");
    assert_eq!(as_user("/api/v1/what-if?set=user.ann.MaxJobs=4", "root").refused().0, 403);
}
