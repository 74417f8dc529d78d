//! The page: its files are part of the program, so that it needs no other files and no network.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Response, StatusCode};

use crate::refused::Refused;

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

/// The files with a tag of what is in each, so that a browser that has one need not load it again.
#[derive(Debug)]
pub(crate) struct Assets {
    tags: Vec<HeaderValue>,
}

impl Assets {
    /// Makes the tags.
    pub fn new() -> Assets {
        let tag = |asset: &Asset| {
            let mut hasher = DefaultHasher::new();
            asset.bytes.hash(&mut hasher);
            let tag = format!("\"{:016x}\"", hasher.finish());
            HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))
        };
        Assets { tags: FILES.iter().map(tag).collect() }
    }

    /// The file at a path: `/`, `/widget`, or `/assets/NAME`.
    pub fn response(&self, path: &str, headers: &HeaderMap) -> Result<Response<Body>, Refused> {
        let name = match path {
            "/" => "index.html",
            "/widget" => "widget.html",
            "/favicon.ico" => "icon.svg",
            other => other.strip_prefix("/assets/").unwrap_or_default(),
        };
        let Some((asset, tag)) = FILES.iter().zip(&self.tags).find(|(asset, _)| asset.name == name) else {
            return Err(Refused::new(
                StatusCode::NOT_FOUND,
                format!("{path}: there is nothing here"),
                "the page is at /, the interface under /api/v1; /api/v1/openapi.json describes it",
            ));
        };
        let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag);
        let mut response = Response::new(if is_known { Body::empty() } else { Body::from(asset.bytes) });
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let kind =
            TYPES.iter().find(|(end, _)| name.ends_with(end)).map_or("application/octet-stream", |one| one.1);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        response.headers_mut().insert(header::ETAG, tag.clone());
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
