//! What is answered, as it is and compressed: each once, however many ask for it.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

/// What is answered; a copy shares what it has been compressed to.
#[derive(Debug, Clone)]
pub(crate) struct ServedBody(Arc<PlainAndPacked>);

#[derive(Debug)]
struct PlainAndPacked {
    plain: Bytes,
    packed: OnceLock<Bytes>,
}

/// Shorter ones are sent as they are: a packet holds them either way.
const WORTH_PACKING: usize = 1_024;

/// Longer ones are compressed beside the threads that connections share.
const LONG: usize = 32 << 10;

/// Answers are compressed while a client waits, files of the page once.
const OF_ANSWERS: Compression = Compression::new(5);
const OF_FILES: Compression = Compression::best();

impl From<Bytes> for ServedBody {
    fn from(plain: Bytes) -> ServedBody {
        ServedBody(Arc::new(PlainAndPacked { plain, packed: OnceLock::new() }))
    }
}

impl ServedBody {
    /// A file, compressed at once.
    pub fn of_file(bytes: &'static [u8]) -> ServedBody {
        let body = ServedBody::from(Bytes::from_static(bytes));
        body.pack(OF_FILES);
        body
    }

    /// Bytes that are not compressed.
    pub fn len(&self) -> usize {
        self.0.plain.len()
    }

    fn pack(&self, level: Compression) -> Bytes {
        let pack = || {
            let mut encoder = GzEncoder::new(Vec::with_capacity(self.len() / 4), level);
            // Memory takes what is written.
            let _ = encoder.write_all(&self.0.plain);
            Bytes::from(encoder.finish().unwrap_or_default())
        };
        self.0.packed.get_or_init(pack).clone()
    }

    /// Whether a client that sent these headers is sent it compressed.
    pub fn is_packed_for(&self, headers: &HeaderMap) -> bool {
        self.len() >= WORTH_PACKING && accepts_gzip(headers)
    }

    /// As a response to a client that sent these headers.
    pub async fn response(&self, headers: &HeaderMap) -> Response<Body> {
        let is_packed = self.is_packed_for(headers);
        let bytes = match (is_packed, self.0.packed.get()) {
            (false, _) => self.0.plain.clone(),
            (true, Some(packed)) => packed.clone(),
            (true, None) if self.len() < LONG => self.pack(OF_ANSWERS),
            (true, None) => {
                let body = self.clone();
                let packed = tokio::task::spawn_blocking(move || body.pack(OF_ANSWERS)).await;
                packed.unwrap_or_else(|_| self.pack(OF_ANSWERS))
            }
        };
        let mut response = Response::new(Body::from(bytes));
        let headers = response.headers_mut();
        if is_packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        response
    }
}

/// Whether a client takes gzip: it names it, or anything, with a weight above zero (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut any = false;
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        for coding in value.to_str().unwrap_or_default().split(',') {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
            let weight =
                weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
            let is_wanted = weight.is_some_and(|weight| weight > 0.0);
            match name.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => return is_wanted,
                "*" => any = is_wanted,
                _ => {}
            }
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn asking(accepts: &[&str]) -> HeaderMap {
        let values = accepts.iter().map(|value| (header::ACCEPT_ENCODING, value.parse().unwrap()));
        values.collect()
    }

    #[test]
    fn clients_say_whether_they_take_it() {
        for (accepts, expected) in [
            (&["gzip, deflate, br, zstd"][..], true),
            (&["br", "GZIP;q=0.5"], true),
            (&["br, *"], true),
            (&["*;q=0.1"], true),
            (&[], false),
            (&["br;q=1.0, identity"], false),
            (&["gzip;q=0"], false),
            (&["gzip;q=0.000, *"], false),
            (&["*;q=0"], false),
            (&["gzip;level=9"], false),
            (&["gzipped"], false),
        ] {
            assert_eq!(accepts_gzip(&asking(accepts)), expected, "{accepts:?}");
        }
    }

    #[test]
    fn it_is_compressed_once_and_reads_as_it_was() {
        let text = "{\"job\": 12345, \"user\": \"ada\"}\n".repeat(4_000);
        let body = ServedBody::from(Bytes::from(text.clone()));
        let copy = body.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let asked = |body: &ServedBody, accepts: &[&str]| {
            let response = runtime.block_on(body.response(&asking(accepts)));
            let encoding = response.headers().get(header::CONTENT_ENCODING).cloned();
            assert_eq!(response.headers()[header::VARY], "Accept-Encoding");
            let read = axum::body::to_bytes(response.into_body(), usize::MAX);
            (encoding, runtime.block_on(read).unwrap())
        };
        assert_eq!(asked(&body, &["br"]), (None, Bytes::from(text.clone())));
        let (encoding, packed) = asked(&body, &["gzip"]);
        assert_eq!(encoding.unwrap(), "gzip");
        assert!(packed.len() < text.len() / 10, "{}", packed.len());
        let mut read = String::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
        // The copy has the same bytes in the same place.
        assert_eq!(asked(&copy, &["gzip"]).1.as_ptr(), packed.as_ptr());
        let short = ServedBody::from(Bytes::from_static(b"{}"));
        assert_eq!(asked(&short, &["gzip"]), (None, Bytes::from_static(b"{}")));
    }
}
