//! The socket: connections within limits, until the service is told to end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{interval, sleep, timeout};

use crate::app::{app, metrics_app};
use crate::cluster::ServedCluster;
use crate::log_event::LogEvent;
use crate::patient_stream::PatientStream;
use crate::service::{Service, ServiceRules, ServiceSettings};

/// Why a service does not run.
#[derive(Debug)]
pub struct ServeError {
    /// What was tried.
    pub what: String,
    /// Why it failed.
    pub cause: io::Error,
    /// What to do.
    pub hint: &'static str,
}

/// What a service is told while it runs.
#[derive(Debug)]
pub enum ServiceCall {
    /// It is to end: what was asked before is answered.
    End,
    /// Requests that begin from now on are answered by these rules.
    Change(Box<ServiceRules>),
}

/// How often it is looked whether the service is called.
const MOMENT: Duration = Duration::from_millis(50);

/// Connections that the system has taken before the end are answered too; none comes for this long, or there is no end of them.
const LAST_ARRIVAL: Duration = Duration::from_millis(10);
const LAST_ARRIVALS: Duration = Duration::from_millis(250);

/// A client that closed no connection and does not acknowledge what it was sent is given up after this multiple of the time that it
/// may take to read.
const SILENCES: u32 = 3;

/// A head of a request is not longer.
const HEAD: usize = 16 << 10;

/// Threads that connections share; answers are computed in others.
const THREADS: usize = 2;

/// Serves clusters until it is called to end.
///
/// # Errors
/// If the address cannot be listened on, a thread cannot be started, or no cluster can be followed any more.
pub fn serve(
    clusters: Vec<ServedCluster>,
    settings: &ServiceSettings,
    mut calls: impl FnMut() -> Option<ServiceCall> + Send + 'static,
) -> Result<(), ServeError> {
    const THREAD: &str = "cannot start a thread";
    const USER: &str = "check the limits of this user";
    let failed = |what: &str, hint| {
        let what = what.to_owned();
        move |cause| ServeError { what, cause, hint }
    };
    let service = Arc::new(Service::new(&clusters, settings));
    let no_pool = service.computed.failure().or(service.campaigns.failure()).map(io::Error::other);
    no_pool.map_or(Ok(()), Err).map_err(failed(THREAD, USER))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_io()
        .enable_time()
        .build()
        .map_err(failed(THREAD, USER))?;
    let address = settings.listen;
    let hint = "another program may listen there; give another address with --listen";
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .map_err(failed(&format!("cannot listen on {address}"), hint))?;
    let bound = listener.local_addr().unwrap_or(address);
    let metrics = settings.metrics_listen.map(|address| {
        let hint = "another program may listen there; give another address with --metrics-listen";
        let listener = runtime.block_on(TcpListener::bind(address));
        listener.map_err(failed(&format!("cannot listen on {address}"), hint))
    });
    let metrics = metrics.transpose()?;
    (service.tell)(LogEvent::new("listening", &[("address", &format!("http://{bound}/"))]));
    if let Some(listener) = metrics {
        let bound = listener.local_addr().unwrap_or(address);
        (service.tell)(LogEvent::new("listening", &[("metrics", &format!("http://{bound}/metrics"))]));
        let (ending, router) = (service.clone(), metrics_app(service.clone()));
        let calls = move || ending.stop.borrow().then_some(ServiceCall::End);
        runtime.spawn(accept(listener, router, service.clone(), bound, calls));
    }
    service.follow(clusters).map_err(failed(THREAD, USER))?;
    let (router, followed) = (app(service.clone()), service.clone());
    let calls = move || calls().or_else(|| followed.failure().map(|_| ServiceCall::End));
    runtime.block_on(accept(listener, router, service.clone(), bound, calls));
    (service.tell)(LogEvent::new("ended", &[]));
    // What is still being computed has no client left, and ends with the process.
    runtime.shutdown_background();
    let what = "no cluster can be followed any more".to_owned();
    let hint =
        "mend what is wrong, and start the service again; the page has nothing to show without a cluster";
    service.failure().map_or(Ok(()), |why| Err(ServeError { what, cause: io::Error::other(why), hint }))
}

/// Takes connections until the service is to end, and then lets those end that are open.
async fn accept(
    listener: TcpListener,
    router: Router,
    service: Arc<Service>,
    address: SocketAddr,
    mut calls: impl FnMut() -> Option<ServiceCall> + Send + 'static,
) {
    let most = service.rules().limits.connections;
    let room = Arc::new(Semaphore::new(most));
    let converse_with = |stream: TcpStream, permit: Option<OwnedSemaphorePermit>| {
        let (service, router) = (service.clone(), router.clone());
        tokio::spawn(async move {
            converse(stream, &service, router).await;
            drop(permit);
        });
    };
    let mut moments = interval(MOMENT);
    loop {
        // A connection that has no room waits in the system's queue.
        let taken = async {
            let room = room.clone().acquire_owned().await;
            (room, listener.accept().await)
        };
        tokio::select! {
            (permit, connection) = taken => match connection {
                Ok((stream, _)) => converse_with(stream, permit.ok()),
                Err(error) => {
                    let values = [("address", address.to_string()), ("why", error.to_string())];
                    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
                    (service.tell)(LogEvent::new("not-accepted", &values).warning());
                    // Such as too many open files: trying at once again would be in vain.
                    sleep(MOMENT).await;
                }
            },
            call = called(&mut moments, &mut calls) => match call {
                ServiceCall::Change(rules) => service.change(*rules),
                ServiceCall::End => break,
            },
        }
    }
    let ends = Instant::now();
    while ends.elapsed() < LAST_ARRIVALS
        && let Ok(permit) = room.clone().try_acquire_owned()
        && let Ok(Ok((stream, _))) = timeout(LAST_ARRIVAL, listener.accept()).await
    {
        converse_with(stream, Some(permit));
    }
    drop(listener);
    service.end();
    let all = u32::try_from(most).unwrap_or(u32::MAX);
    let limits = service.rules().limits;
    // All room is free again once every connection has ended, which none can put off for longer than an answer and its reader take.
    let _ = timeout(limits.request + limits.reading, room.acquire_many(all)).await;
}

async fn called(
    moments: &mut tokio::time::Interval,
    calls: &mut impl FnMut() -> Option<ServiceCall>,
) -> ServiceCall {
    loop {
        moments.tick().await;
        if let Some(call) = calls() {
            return call;
        }
    }
}

/// Answers the requests of one connection. One that sends no request in time, or takes no answer, is closed.
async fn converse(stream: TcpStream, service: &Service, router: Router) {
    let (mut stop, reading) = (service.stop.subscribe(), service.rules().limits.reading);
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(reading * SILENCES));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(reading)
        .max_buf_size(HEAD)
        .serve_connection(
            TokioIo::new(PatientStream::new(stream, reading)),
            TowerToHyperService::new(router),
        );
    tokio::pin!(connection);
    let ends = async { stop.wait_for(|stop| *stop).await.is_ok() };
    // A client that breaks off, or sends no HTTP, is none of the service's errors.
    tokio::select! {
        // A request that has come is read before the end is seen.
        biased;
        _ = connection.as_mut() => {}
        _ = ends => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
