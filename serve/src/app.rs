//! The router: every request passes through one function, which admits it, answers it within its limits, and counts it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{self, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, Request, Response, StatusCode};
use axum::routing::any;
use tokio::time::timeout;

use crate::answers;
use crate::computing::ComputingRoom;
use crate::log_event::LogEvent;
use crate::openapi;
use crate::question::ServedQuestion;
use crate::refused::Refused;
use crate::routes::{Answering, Ask, METRICS_ALONE, ROUTES, Route};
use crate::served_body::ServedBody;
use crate::service::{Service, ServiceLimits, ServiceRules};
use crate::snapshot::body as body_of;

/// The service as a router, without a socket.
pub fn app(service: Arc<Service>) -> Router {
    let mut router = Router::new();
    for route in &ROUTES {
        let service = service.clone();
        router = router.route(
            route.form.path,
            any(move |request: Request<Body>| respond(service.clone(), Some(route), request)),
        );
    }
    router.fallback(move |request: Request<Body>| respond(service.clone(), None, request))
}

/// `/metrics` alone, for a listener of its own: it is answered without a token.
pub(crate) fn metrics_app(service: Arc<Service>) -> Router {
    let metrics = move |request: Request<Body>| respond(service.clone(), Some(&METRICS_ALONE), request);
    Router::new().route(METRICS_ALONE.form.path, any(metrics)).fallback(|| async {
        refusal(
            &Refused::new(StatusCode::NOT_FOUND, "there is nothing here", "metrics are at /metrics"),
            None,
        )
    })
}

async fn respond(
    service: Arc<Service>,
    route: Option<&'static Route>,
    request: Request<Body>,
) -> Response<Body> {
    let begun = Instant::now();
    let (parts, body) = request.into_parts();
    let rules = service.rules();
    let limit = rules.limits.request;
    let answered = timeout(limit, answer(&service, &rules, route, &parts, body)).await;
    let answered = answered.unwrap_or_else(|_| {
        Err(Refused::not_now(
            format!("the answer took longer than {} s", limit.as_secs()),
            "ask again: the service has much to do",
        ))
    });
    let mut response = match answered {
        Ok(response) => response,
        Err(refused) => refusal(&refused, route),
    };
    protect(&mut response, parts.uri.path());
    let label = match route {
        Some(route) => route.form.path,
        None if response.status().is_success() => "page",
        None => "other",
    };
    let (status, took) = (response.status(), begun.elapsed());
    service.metrics.answered(label, status.as_u16(), took);
    if rules.log_requests {
        tell_request(&service, &rules, &parts, status, took);
    }
    response
}

fn tell_request(service: &Service, rules: &ServiceRules, parts: &Parts, status: StatusCode, took: Duration) {
    let user = rules.access.user(&parts.headers).unwrap_or_default();
    let milliseconds = format!("{:.1}", took.as_secs_f64() * 1000.0);
    let mut values = vec![
        ("method", parts.method.as_str()),
        ("path", parts.uri.path()),
        ("status", status.as_str()),
        ("milliseconds", &milliseconds),
    ];
    if !user.is_empty() {
        values.push(("user", &user));
    }
    (service.tell)(LogEvent::new("request", &values));
}

async fn answer(
    service: &Arc<Service>,
    rules: &ServiceRules,
    route: Option<&'static Route>,
    parts: &Parts,
    body: Body,
) -> Result<Response<Body>, Refused> {
    let Some(route) = route else {
        if parts.method != Method::GET && parts.method != Method::HEAD {
            return Err(not_allowed(&parts.method, false));
        }
        return service.assets.response(parts.uri.path(), &parts.headers).await;
    };
    if !route.form.is_open {
        rules.access.admit(&parts.headers)?;
    }
    let is_posted = parts.method == Method::POST && route.form.is_posted;
    if !is_posted && parts.method != Method::GET && parts.method != Method::HEAD {
        return Err(not_allowed(&parts.method, route.form.is_posted));
    }
    let body = if is_posted { read_body(&rules.limits, body).await? } else { Bytes::new() };
    let mut question =
        ServedQuestion::read(&route.form, &parts.method, (parts.uri.path(), parts.uri.query()), &body)?;
    question.user = rules.access.user(&parts.headers);
    let body = match route.ask {
        Ask::Ready(ask) => ask(service, &question)?,
        Ask::Computed(ask) => computed(service, &service.computed, (route, ask), question).await?,
        Ask::Campaign(ask) => computed(service, &service.campaigns, (route, ask), question).await?,
        Ask::Document => {
            let clusters: Vec<&str> = service.clusters.iter().map(|one| one.name.as_str()).collect();
            body_of(&openapi::document(ROUTES.iter().map(|route| &route.form), &clusters))
        }
        Ask::Streamed(ask) => return ask(service, &question),
    };
    let mut response = body.response(&parts.headers).await;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(route.form.content));
    Ok(response)
}

async fn read_body(limits: &ServiceLimits, body: Body) -> Result<Bytes, Refused> {
    let most = limits.body;
    match timeout(limits.reading, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Refused::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body is longer than {most} bytes, or was cut short"),
            "send the #SBATCH lines of a script without the rest",
        )),
        Err(_) => {
            Err(Refused::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time", "send it at once"))
        }
    }
}

/// Answers, a bounded number of questions at a time, what has not been answered since the last look. A question whose client is gone, or that
/// takes too long, is not begun, and given up where it has begun.
async fn computed(
    service: &Arc<Service>,
    room: &ComputingRoom,
    (route, ask): (&'static Route, Answering),
    question: ServedQuestion,
) -> Result<ServedBody, Refused> {
    let (snapshot, key) = (answers::snapshot(service, &question)?, question.key(&route.form));
    if let Some(body) = snapshot.answered(&key) {
        return Ok(body);
    }
    let turn = room.turn().await?;
    if let Some(body) = snapshot.answered(&key) {
        return Ok(body);
    }
    let service = service.clone();
    let body = room.compute(turn, move || ask(&service, &question)).await?;
    snapshot.remember(key, &body);
    Ok(body)
}

fn not_allowed(method: &Method, is_posted: bool) -> Refused {
    let takes = if is_posted { "GET, HEAD, POST" } else { "GET, HEAD" };
    Refused::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("{method} is not taken here"),
        format!("it takes {takes}"),
    )
}

fn refusal(refused: &Refused, route: Option<&Route>) -> Response<Body> {
    let mut response = Response::new(Body::from(refused.json()));
    *response.status_mut() = refused.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    match refused.status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(refused.challenge));
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            let takes =
                if route.is_some_and(|one| one.form.is_posted) { "GET, HEAD, POST" } else { "GET, HEAD" };
            headers.insert(header::ALLOW, HeaderValue::from_static(takes));
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(refused.again));
        }
        _ => {}
    }
    response
}

/// What a page may load: nothing but what comes from here. The widget may stand in pages of other hosts.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors 'none'";
const WIDGET_POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors *";

fn protect(response: &mut Response<Body>, path: &str) {
    let policy = if path == "/widget" { WIDGET_POLICY } else { POLICY };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
