//! The socket: connections within limits, until the service is told to end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{interval, sleep, timeout};

use crate::app::app;
use crate::cluster::ServedCluster;
use crate::patient_stream::PatientStream;
use crate::service::{LogEvent, Service, ServiceSettings};

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

/// Connections have this long to end once the service does.
const FAREWELL: Duration = Duration::from_secs(5);

/// How often it is looked whether the service is to end.
const MOMENT: Duration = Duration::from_millis(50);

/// A head of a request is not longer.
const HEAD: usize = 16 << 10;

/// Threads that connections share; answers are computed in others.
const THREADS: usize = 2;

/// Serves clusters until `stops` says so.
///
/// # Errors
/// If the address cannot be listened on, or a thread cannot be started.
pub fn serve(
    clusters: Vec<ServedCluster>,
    settings: &ServiceSettings,
    stops: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<(), ServeError> {
    let failed = |what: String, hint| move |cause| ServeError { what, cause, hint };
    let service = Arc::new(Service::new(&clusters, settings));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_io()
        .enable_time()
        .build()
        .map_err(failed("cannot start threads".to_owned(), "check the limits of this user"))?;
    let address = settings.listen;
    let hint = "another program may listen there; give another address with --listen";
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .map_err(failed(format!("cannot listen on {address}"), hint))?;
    let bound = listener.local_addr().unwrap_or(address);
    (service.tell)(LogEvent::new("listening", &[("address", &format!("http://{bound}/"))]));
    let followed = service.follow(clusters);
    followed.map_err(failed("cannot start a thread".to_owned(), "check the limits of this user"))?;
    runtime.block_on(accept(listener, service.clone(), bound, stops));
    (service.tell)(LogEvent::new("ended", &[]));
    // What is still being computed ends with the process.
    runtime.shutdown_background();
    Ok(())
}

/// Takes connections until the service is to end, and then lets those end that are open.
async fn accept(
    listener: TcpListener,
    service: Arc<Service>,
    address: SocketAddr,
    stops: impl Fn() -> bool + Send + Sync + 'static,
) {
    let (room, router) = (Arc::new(Semaphore::new(service.limits.connections)), app(service.clone()));
    let mut moments = interval(MOMENT);
    loop {
        // A connection that has no room waits in the system's queue.
        let taken = async {
            let room = room.clone().acquire_owned().await;
            (room, listener.accept().await)
        };
        tokio::select! {
            (permit, connection) = taken => match connection {
                Ok((stream, _)) => {
                    let (service, router) = (service.clone(), router.clone());
                    tokio::spawn(async move {
                        converse(stream, &service, router).await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    let values = [("address", address.to_string()), ("why", error.to_string())];
                    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
                    (service.tell)(LogEvent::new("not-accepted", &values).warning());
                    // Such as too many open files: trying at once again would be in vain.
                    sleep(MOMENT).await;
                }
            },
            () = ended(&mut moments, &stops) => break,
        }
    }
    drop(listener);
    service.end();
    let all = u32::try_from(service.limits.connections).unwrap_or(u32::MAX);
    // All room is free again once every connection has ended.
    let _ = timeout(FAREWELL, room.acquire_many(all)).await;
}

async fn ended(moments: &mut tokio::time::Interval, stops: &impl Fn() -> bool) {
    while !stops() {
        moments.tick().await;
    }
}

/// Answers the requests of one connection. One that sends no request in time, or takes no answer, is closed.
async fn converse(stream: TcpStream, service: &Service, router: Router) {
    let mut stop = service.stop.subscribe();
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(service.limits.reading)
        .max_buf_size(HEAD)
        .serve_connection(
            TokioIo::new(PatientStream::new(stream, service.limits.reading)),
            TowerToHyperService::new(router),
        );
    tokio::pin!(connection);
    let ends = async { stop.wait_for(|stop| *stop).await.is_ok() };
    // A client that breaks off, or sends no HTTP, is none of the service's errors.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = ends => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
