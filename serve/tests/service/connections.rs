//! Clients that stay connected: viewers of events, and those that do not send or read.

use std::sync::Arc;
use std::time::Duration;

use queuecast_serve::{ServiceCall, ServiceLimits, ServiceSettings};
use serde_json::Value;
use tower::ServiceExt;

use crate::played::{cluster, get, request, settings, started};
use crate::standing;

#[test]
fn viewers_are_told_of_each_look() {
    let router = started(&settings(), 2_000.0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut asked = request("/api/v1/events");
        asked.headers_mut().insert("accept-encoding", "gzip".parse().unwrap());
        let response = router.clone().oneshot(asked).await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        // Each look is sent at once, so nothing is compressed.
        assert!(!response.headers().contains_key("content-encoding"));
        let mut body = response.into_body();
        let mut looks = Vec::new();
        while looks.len() < 3 {
            let frame = tokio::time::timeout(
                Duration::from_secs(60),
                std::future::poll_fn(|context| {
                    axum::body::HttpBody::poll_frame(std::pin::Pin::new(&mut body), context)
                }),
            );
            let frame = frame.await.unwrap().unwrap().unwrap().into_data().unwrap();
            let text = String::from_utf8(frame.to_vec()).unwrap();
            let Some(data) = text.split("data: ").nth(1) else { continue };
            assert!(text.starts_with("event: snapshot\n") && text.ends_with("\n\n"), "{text}");
            looks.push(serde_json::from_str::<Value>(data.trim()).unwrap());
        }
        let numbers: Vec<i64> = looks.iter().map(|look| look["look"].as_i64().unwrap()).collect();
        assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
        assert!(looks[0]["now"].as_i64() < looks[2]["now"].as_i64());
        assert_eq!(looks[0]["processors"], 64);
    });
}

/// A service on a socket that waits 300 milliseconds for its clients; its address, and what ends it.
fn listening() -> (std::net::SocketAddr, Arc<std::sync::atomic::AtomicBool>, std::thread::JoinHandle<()>) {
    let (told, heard) = std::sync::mpsc::channel();
    let limits = ServiceLimits { reading: Duration::from_millis(300), ..ServiceLimits::default() };
    let tell = move |event: queuecast_serve::LogEvent| {
        drop(told.send(event.line(queuecast_serve::LogLineFormat::Logfmt)))
    };
    let settings = ServiceSettings { limits, tell: Arc::new(tell), ..settings() };
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stops = stop.clone();
    let thread = std::thread::spawn(move || {
        let calls = move || stops.load(std::sync::atomic::Ordering::Relaxed).then_some(ServiceCall::End);
        queuecast_serve::serve(vec![cluster(1e-6)], &settings, calls).unwrap();
    });
    let line = heard.recv().unwrap();
    let address = line.split("http://").nth(1).unwrap().trim_end_matches('/').parse().unwrap();
    (address, stop, thread)
}

#[test]
fn clients_that_do_not_send_or_read_are_given_up() {
    use std::io::{Read, Write};
    let (address, stop, thread) = listening();
    let connect = || {
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    };
    let mut rest = Vec::new();
    // Nothing, half a head, half a body.
    for begun in [
        "",
        "GET / HTTP/1.1\r\n",
        "POST /api/v1/when HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
    ] {
        let mut client = connect();
        client.write_all(begun.as_bytes()).unwrap();
        rest.clear();
        let _ = client.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&rest));
    }
    // A client that asks again and again, and takes no answer.
    let page = get(standing(), "/assets/style.css").text.len();
    let asked = 4_000;
    let mut client = connect();
    client.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let questions = "GET /assets/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(asked);
    let _ = client.write_all(questions.as_bytes());
    std::thread::sleep(Duration::from_millis(800));
    rest.clear();
    let _ = client.read_to_end(&mut rest);
    assert!(rest.len() < page * asked / 2, "{} bytes were kept for a client that does not read", rest.len());
    // Control: one that reads gets its answer.
    let mut client = connect();
    client
        .write_all(b"GET /assets/style.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    rest.clear();
    client.read_to_end(&mut rest).unwrap();
    assert!(rest.starts_with(b"HTTP/1.1 200") && rest.len() > page);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    thread.join().unwrap();
}
