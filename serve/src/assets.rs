//! The page: its files are part of the program, so that it needs no other files and no network.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Response, StatusCode};

use crate::refused::Refused;
use crate::served_body::ServedBody;

/// A file of the page.
#[derive(Debug)]
struct Asset {
    name: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        [$(Asset { name: $name, bytes: include_bytes!(concat!("../web/", $name)) }),*]
    };
}

/// All files of `web/`; a test holds that none is missing.
static FILES: &[Asset] = &assets![
    "advice.js",
    "api.js",
    "app.js",
    "days.js",
    "dom.js",
    "follow.js",
    "gantt-data.js",
    "gantt-input.js",
    "gantt.js",
    "icon.svg",
    "index.html",
    "job.js",
    "machine.js",
    "parts.js",
    "queue.js",
    "score-span.js",
    "score.js",
    "style.css",
    "when.js",
    "widget.css",
    "widget.html",
    "what-if.js",
    "widget.js",
    "words.js",
];

/// The content types by how names end.
const TYPES: [(&str, &str); 5] = [
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain; charset=utf-8"),
];

/// A file as it is sent.
#[derive(Debug)]
struct SentFile {
    body: ServedBody,
    /// Tags of what is in it, so that a browser that has it need not load it again: as it is, and compressed.
    tags: [String; 2],
}

/// The files, each compressed once.
#[derive(Debug)]
pub(crate) struct Assets {
    files: Vec<SentFile>,
}

/// Whether a header of tags that a browser has, of which each may be called weak, names this one (RFC 9110, section 13.1.2).
fn names(known: &HeaderMap, tag: &str) -> bool {
    let known = known.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let is_it = |one: &str| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag;
    known.flat_map(|tags| tags.split(',')).any(|one| is_it(one.trim()))
}

impl Assets {
    /// Compresses the files, and makes the tags.
    pub fn new() -> Assets {
        let sent = |asset: &Asset| {
            let mut hasher = DefaultHasher::new();
            asset.bytes.hash(&mut hasher);
            let hash = hasher.finish();
            let tags = [format!("\"{hash:016x}\""), format!("\"{hash:016x}-gzip\"")];
            SentFile { body: ServedBody::of_file(asset.bytes), tags }
        };
        Assets { files: FILES.iter().map(sent).collect() }
    }

    /// The file at a path: `/`, `/widget`, or `/assets/NAME`.
    pub async fn response(&self, path: &str, headers: &HeaderMap) -> Result<Response<Body>, Refused> {
        let name = match path {
            "/" => "index.html",
            "/widget" => "widget.html",
            "/favicon.ico" => "icon.svg",
            other => other.strip_prefix("/assets/").unwrap_or_default(),
        };
        let Some((_, file)) = FILES.iter().zip(&self.files).find(|(asset, _)| asset.name == name) else {
            return Err(Refused::new(
                StatusCode::NOT_FOUND,
                format!("{path}: there is nothing here"),
                "the page is at /, the interface under /api/v1; /api/v1/openapi.json describes it",
            ));
        };
        let tag = &file.tags[usize::from(file.body.is_packed_for(headers))];
        let mut response = file.body.response(headers).await;
        if names(headers, tag) {
            *response.body_mut() = Body::empty();
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response.headers_mut().remove(header::CONTENT_ENCODING);
        }
        let kind =
            TYPES.iter().find(|(end, _)| name.ends_with(end)).map_or("application/octet-stream", |one| one.1);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        let tag = HeaderValue::from_str(tag).unwrap_or(HeaderValue::from_static("\"\""));
        response.headers_mut().insert(header::ETAG, tag);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_served_with_its_type() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        there.sort();
        let mut served: Vec<&str> = FILES.iter().map(|asset| asset.name).collect();
        served.sort_unstable();
        assert_eq!(there, served);
        assert!(served.iter().all(|name| TYPES.iter().any(|(end, _)| name.ends_with(end))));
        assert!(FILES.iter().map(|asset| asset.bytes.len()).sum::<usize>() < 300_000);
    }

    /// A proxy may have the service below a path of its host: a link from the root of the host would lead to something else.
    #[test]
    fn no_file_of_the_page_links_from_the_root() {
        let mut linking = 0;
        for asset in FILES {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            for start in ["api/", "assets/", "widget", "#/"] {
                linking += text.matches(start).count();
                for quote in ['"', '\'', '`', '('] {
                    let found = text.find(&format!("{quote}/{start}"));
                    assert_eq!(found, None, "{}: {quote}/{start}", asset.name);
                }
            }
        }
        assert!(linking > 20, "{linking} links were looked at");
    }
}
