//! The number of threads a command computes with.

use queuecast_process::failure::Failure;

/// Runs `work` on this many threads, but on no more than there are simulations; by default on as many as there are
/// cores.
pub fn on_threads<T: Send>(
    threads: Option<u16>,
    simulations: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    // Idle threads look for work, and thousands of them slow the busy ones down.
    let threads = threads.map_or(0, |threads| usize::from(threads).min(simulations.max(1)));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|cause| Failure::unexpected("cannot start threads").because(cause))?.install(work)
}
