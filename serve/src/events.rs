//! Server-Sent Events: each look once, as it was serialised for all viewers.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{Response, StatusCode};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::timeout;

use crate::question::ServedQuestion;
use crate::refused::Refused;
use crate::service::Service;
use crate::snapshot::ServedSnapshot;

/// After this time without a look a comment is sent, so that a viewer who is gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A viewer: what it has been told is what it saw last. One that reads slowly misses looks, and holds none in memory.
struct Viewer {
    looks: watch::Receiver<Option<Arc<ServedSnapshot>>>,
    stop: watch::Receiver<bool>,
    is_new: bool,
    _room: OwnedSemaphorePermit,
}

impl Viewer {
    /// What it is told next; `None` once the service ends.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if *self.stop.borrow() {
                return None;
            }
            if std::mem::take(&mut self.is_new) {
                let last = self.looks.borrow_and_update().as_ref().map(|look| look.event.clone());
                // Something is sent at once, so that the viewer knows that it is connected.
                return Some(last.unwrap_or_else(|| Bytes::from_static(b": waiting for the first look\n\n")));
            }
            let changed = async {
                tokio::select! {
                    changed = self.looks.changed() => changed.is_ok(),
                    _ = self.stop.changed() => false,
                }
            };
            match timeout(KEEP_ALIVE, changed).await {
                Ok(true) => self.is_new = true,
                Ok(false) => return None,
                Err(_) => return Some(Bytes::from_static(b": still here\n\n")),
            }
        }
    }
}

/// The looks at a cluster from now on.
pub(crate) fn stream(service: &Arc<Service>, question: &ServedQuestion) -> Result<Response<Body>, Refused> {
    let cluster = service.cluster(question)?;
    let room = service.viewers.clone().try_acquire_owned().map_err(|_| {
        Refused::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many viewers watch already",
            "ask /api/v1/clusters from time to time instead",
        )
    })?;
    let viewer =
        Viewer { looks: cluster.last.subscribe(), stop: service.stop.subscribe(), is_new: true, _room: room };
    let told = stream::unfold(viewer, |mut viewer| async move {
        let bytes = viewer.next().await?;
        Some((Ok::<Bytes, std::convert::Infallible>(bytes), viewer))
    });
    let mut response = Response::new(Body::from_stream(told));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}
