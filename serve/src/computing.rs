//! Questions that are computed: in threads of their own, a bounded number at a time, the others in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use queuecast_core::wanted::while_wanted;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::refused::Refused;

/// Room for questions of one kind. Those of another kind neither wait for them nor share their threads.
#[derive(Debug)]
pub(crate) struct ComputingRoom {
    turns: Arc<Semaphore>,
    /// Room to wait for a turn; unbounded if `None`.
    waiting: Option<Arc<Semaphore>>,
    pool: Result<ThreadPool, ThreadPoolBuildError>,
}

/// After as many seconds a question that found no room may be asked again.
const AGAIN: u16 = 10;

impl ComputingRoom {
    /// For `at_once` questions at once, in `threads` threads of this name; of those that wait, at most `waiting`.
    pub fn new(
        at_once: usize,
        waiting: Option<usize>,
        (name, threads): (&'static str, usize),
    ) -> ComputingRoom {
        ComputingRoom {
            turns: Arc::new(Semaphore::new(at_once)),
            waiting: waiting.map(|most| Arc::new(Semaphore::new(most))),
            pool: ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |number| format!("{name} {number}"))
                // The request is told; without unwinding the process has ended.
                .panic_handler(|_| {})
                .build(),
        }
    }

    /// Why there are no threads, if there are none.
    pub fn failure(&self) -> Option<String> {
        self.pool.as_ref().err().map(ToString::to_string)
    }

    /// A turn, once there is one.
    ///
    /// # Errors
    /// If as many wait already as may.
    pub async fn turn(&self) -> Result<OwnedSemaphorePermit, Refused> {
        if let Ok(turn) = self.turns.clone().try_acquire_owned() {
            return Ok(turn);
        }
        let waits = self.waiting.clone().map(Semaphore::try_acquire_owned).transpose().map_err(|_| {
            Refused::not_now(
                "as many arrays and chains are being computed, and wait for that, as may be",
                format!("ask again in {AGAIN} s; single jobs are answered meanwhile"),
            )
            .again_after(AGAIN)
        })?;
        let turn = self.turns.clone().acquire_owned().await;
        drop(waits);
        turn.map_err(|_| Refused::not_now("the service ends", "ask again later"))
    }

    /// Runs `work` in a thread of this room, and gives up the turn after it. Work whose client has gone is not begun, and given up between
    /// two simulations: a caller that drops what this returns has gone.
    ///
    /// # Errors
    /// If there are no threads, or as the work does.
    pub async fn compute<T: Send + 'static>(
        &self,
        turn: OwnedSemaphorePermit,
        work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        let pool = self.pool.as_ref().map_err(|why| {
            Refused::not_now(format!("no threads to compute with: {why}"), "tell the administrator")
        })?;
        let (tell, told) = oneshot::channel();
        let (here, gone) = WaitingClient::new();
        pool.spawn(move || {
            let is_here = move || !gone.load(Ordering::Relaxed);
            if is_here() {
                // What is not wanted any more has no one to be told to.
                let _ = while_wanted(is_here, work).map(|done| tell.send(done));
            }
            drop(turn);
        });
        let done = told.await.map_err(|_| Refused::bug());
        drop(here);
        done?
    }
}

/// A client that waits; once this is dropped, it has gone.
struct WaitingClient(Arc<AtomicBool>);

impl WaitingClient {
    /// A client that is here, and whether it has gone.
    fn new() -> (WaitingClient, Arc<AtomicBool>) {
        let gone = Arc::new(AtomicBool::new(false));
        (WaitingClient(gone.clone()), gone)
    }
}

impl Drop for WaitingClient {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_has_no_client_any_more_is_given_up_and_leaves_its_turn() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let room = ComputingRoom::new(1, None, ("answer", 1));
            let (tell, told) = std::sync::mpsc::channel();
            let turn = room.turn().await.unwrap();
            // As many simulations as there may be; each tells that it is made.
            let endless = move || {
                let steps = (0..).take_while(|_| queuecast_core::wanted::is_wanted());
                for step in steps {
                    let _ = tell.send(step);
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            };
            let asked = tokio::time::timeout(Duration::from_millis(50), room.compute(turn, endless));
            assert!(asked.await.is_err());
            // The turn is free again, and the thread too.
            let turn = tokio::time::timeout(Duration::from_secs(10), room.turn()).await.unwrap().unwrap();
            assert_eq!(room.compute(turn, || Ok(3)).await.unwrap(), 3);
            let made: Vec<i32> = told.iter().collect();
            assert!(made.len() > 1, "{made:?}");
        });
    }

    #[test]
    fn what_finds_no_room_is_refused_and_another_room_is_not_full() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let campaigns = Arc::new(ComputingRoom::new(1, Some(1), ("campaign", 1)));
            let others = ComputingRoom::new(1, None, ("answer", 1));
            let (go, gone) = std::sync::mpsc::channel::<()>();
            let turn = campaigns.turn().await.unwrap();
            let room = campaigns.clone();
            let long = tokio::spawn(async move {
                let work = move || {
                    gone.recv().unwrap();
                    Ok(1)
                };
                room.compute(turn, work).await
            });
            let room = campaigns.clone();
            let waits = tokio::spawn(async move { room.turn().await.map(drop) });
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert!(!waits.is_finished());
            let refused = campaigns.turn().await.unwrap_err();
            assert_eq!((refused.status.as_u16(), refused.again), (503, AGAIN));
            // The long one still runs.
            let turn = others.turn().await.unwrap();
            assert_eq!(others.compute(turn, || Ok(2)).await.unwrap(), 2);
            assert!(!long.is_finished());
            go.send(()).unwrap();
            assert_eq!(long.await.unwrap().unwrap(), 1);
            waits.await.unwrap().unwrap();
        });
    }
}
