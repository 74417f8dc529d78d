//! What is compressed for clients that take it, and what never is.

use std::io::Read;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use flate2::read::GzDecoder;

use crate::played::{bytes, get, request};
use crate::standing;

fn asked(path: &str, headers: &[(&'static str, &str)]) -> (StatusCode, HeaderMap, Vec<u8>) {
    let mut request: Request<Body> = request(path);
    for (name, value) in headers {
        request.headers_mut().append(*name, value.parse().unwrap());
    }
    bytes(standing(), request)
}

const GZIP: (&str, &str) = ("accept-encoding", "gzip, deflate, br");

#[test]
fn pages_and_answers_are_compressed_for_clients_that_take_it() {
    for path in [
        "/",
        "/assets/when.js",
        "/assets/style.css",
        "/api/v1/openapi.json",
        "/api/v1/pending",
        "/api/v1/when?procs=4&limit=1h",
        "/metrics",
    ] {
        let (_, plain_headers, plain) = asked(path, &[]);
        let (status, headers, packed) = asked(path, &[GZIP]);
        assert_eq!(
            (status, &headers["content-encoding"]),
            (StatusCode::OK, &"gzip".parse().unwrap()),
            "{path}"
        );
        assert!(!plain_headers.contains_key("content-encoding"), "{path}");
        for headers in [&plain_headers, &headers] {
            assert_eq!(headers["vary"], "Accept-Encoding", "{path}");
        }
        assert_eq!(plain_headers["content-type"], headers["content-type"], "{path}");
        let mut read = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut read).unwrap();
        // Metrics count this request.
        assert!(read == plain || path == "/metrics", "{path}");
        assert!(packed.len() * 3 < plain.len() * 2, "{path}: {} of {}", packed.len(), plain.len());
        let (_, headers, refused) = asked(path, &[("accept-encoding", "gzip;q=0, br")]);
        assert!(
            !headers.contains_key("content-encoding") && (refused == plain || path == "/metrics"),
            "{path}"
        );
    }
}

#[test]
fn a_tag_is_of_one_form_of_a_file() {
    let path = "/assets/when.js";
    let tag = |headers: &[(&'static str, &str)]| asked(path, headers).1["etag"].to_str().unwrap().to_owned();
    let (plain, packed) = (tag(&[]), tag(&[GZIP]));
    assert_ne!(plain, packed);
    for (known, accepts, expected) in [
        (plain.clone(), None, 304),
        (packed.clone(), Some(GZIP), 304),
        (format!("W/{packed}"), Some(GZIP), 304),
        (format!("\"other\", {packed}"), Some(GZIP), 304),
        ("*".to_owned(), None, 304),
        (plain, Some(GZIP), 200),
        (packed, None, 200),
        ("\"other\"".to_owned(), None, 200),
    ] {
        let headers: Vec<(&'static str, &str)> =
            accepts.into_iter().chain([("if-none-match", known.as_str())]).collect();
        let (status, headers, body) = asked(path, &headers);
        assert_eq!((status.as_u16(), body.is_empty()), (expected, expected == 304), "{known}");
        assert!(headers.contains_key("etag") && headers["vary"] == "Accept-Encoding", "{known}");
        assert!(expected == 200 || !headers.contains_key("content-encoding"), "{known}");
    }
}

#[test]
fn refusals_short_answers_and_events_are_as_they_are() {
    for path in ["/api/v1/health", "/none", "/api/v1/when?procs=0"] {
        let (_, headers, body) = asked(path, &[GZIP]);
        assert!(!headers.contains_key("content-encoding"), "{path}");
        assert_eq!(String::from_utf8(body).unwrap(), get(standing(), path).text, "{path}");
    }
}
