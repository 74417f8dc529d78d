//! A small log that is played, and a service of it without a socket.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use queuecast_core::units::Time;
use queuecast_live::PlayedSite;
use queuecast_serve::{Access, ClusterKind, ServedCluster, Service, ServiceLimits, ServiceSettings, app};
use queuecast_trace::{ReadOptions, TimeZone, read};
use serde_json::Value;
use tower::ServiceExt;

/// Jobs on 64 processors, thirty together every 6,600 seconds; each starts when the ones before it have.
pub fn log() -> String {
    let (mut text, mut free_at) =
        ("; MaxProcs: 64\n; UnixStartTime: 1700000000\n".to_owned(), vec![0_i64; 64]);
    let mut earliest = 0;
    for number in 1..=450_i64 {
        let submit = number / 30 * 6_600 + number % 30 * 10;
        let (procs, run) = ([4, 16, 1, 32, 8][number as usize % 5], 300 + number * 7919 % 1_500);
        free_at.sort_unstable();
        earliest = free_at[procs - 1].max(submit).max(earliest);
        free_at[..procs].iter_mut().for_each(|free| *free = earliest + run);
        let (wait, user, queue) = (earliest - submit, 1 + number % 7, 1 + number % 2);
        text += &format!(
            "{number} {submit} {wait} {run} {procs} -1 -1 {procs} 1800 -1 1 {user} 1 -1 {queue} -1 -1 -1\n"
        );
    }
    text
}

/// The moment of the log at which it is asked: after 389 submissions.
pub const FROM: Time = Time(12 * 6_600 + 1_000);

pub fn cluster(speed: f64) -> ServedCluster {
    let log = read(&mut log().as_bytes(), &ReadOptions::default()).unwrap();
    let site = PlayedSite {
        name: "small".into(),
        log: Arc::new(log),
        from: FROM,
        until: Time(105_000),
        repeats: false,
        zone: TimeZone::UTC,
    };
    let (name, kind) = ("small".to_owned(), ClusterKind::Log);
    ServedCluster { name, kind, speed: Some(speed), site: Box::new(site), store: None }
}

pub fn settings() -> ServiceSettings {
    ServiceSettings {
        listen: "127.0.0.1:0".parse().unwrap(),
        access: Access::default(),
        limits: ServiceLimits::default(),
        anonymous: false,
        administrators: Vec::new(),
        metrics_listen: None,
        log_requests: false,
        zone: TimeZone::UTC,
        tell: Arc::new(|_| {}),
    }
}

pub struct Asked {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Asked {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// A refusal says what is wrong and what to do.
    pub fn refused(&self) -> (u16, String) {
        let body = self.json();
        assert!(!body["error"].as_str().unwrap().is_empty() && body["hint"].is_string(), "{body}");
        (self.status.as_u16(), format!("{}: {}", body["error"], body["hint"]))
    }
}

/// Asks on a runtime of its own, as tests run in several threads.
pub fn send(router: &Router, request: Request<Body>) -> Asked {
    let (status, headers, body) = bytes(router, request);
    Asked { status, headers, text: String::from_utf8(body).unwrap() }
}

/// The response as it is sent.
pub fn bytes(router: &Router, request: Request<Body>) -> (StatusCode, HeaderMap, Vec<u8>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (parts, body) = router.clone().oneshot(request).await.unwrap().into_parts();
        (parts.status, parts.headers, to_bytes(body, 1 << 24).await.unwrap().to_vec())
    })
}

pub fn request(path: &str) -> Request<Body> {
    Request::builder().uri(path).body(Body::empty()).unwrap()
}

pub fn get(router: &Router, path: &str) -> Asked {
    send(router, request(path))
}

pub fn post(router: &Router, path: &str, body: &str) -> Asked {
    send(router, Request::builder().method(Method::POST).uri(path).body(Body::from(body.to_owned())).unwrap())
}

/// The user that a proxy names where a test has one, if nothing else is said.
pub const USER: (&str, &str) = ("x-remote-user", "ulla");

/// A service of the small log once it has been looked at; the log stands still at `speed` 0.000001.
pub fn started(settings: &ServiceSettings, speed: f64) -> Router {
    let clusters = vec![cluster(speed)];
    let service = Arc::new(Service::new(&clusters, settings));
    let router = app(service.clone());
    let get = |router: &Router, path: &str| {
        let mut request = request(path);
        request.headers_mut().insert(USER.0, USER.1.parse().unwrap());
        send(router, request)
    };
    assert_eq!(get(&router, "/api/v1/ready").refused().0, 503);
    assert_eq!(get(&router, "/api/v1/when?procs=1").refused().0, 503);
    assert_eq!(get(&router, "/api/v1/clusters").json()[0]["state"], "starting");
    service.follow(clusters).unwrap();
    let begun = Instant::now();
    while get(&router, "/api/v1/ready").status != StatusCode::OK {
        assert!(begun.elapsed() < Duration::from_secs(120), "{}", get(&router, "/api/v1/ready").text);
        std::thread::sleep(Duration::from_millis(20));
    }
    router
}
