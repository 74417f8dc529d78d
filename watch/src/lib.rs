//! The screen of `queuecast watch`: its state, what keys and answers make of it, and how it is drawn. Nothing here reads a terminal, a
//! clock or a site: events come in, a frame goes out.

mod clock;
mod columns;
mod draw;
mod job_list;
mod keys;
mod state;
mod theme;
mod trail;

#[cfg(test)]
mod tests;

pub use draw::draw;
pub use state::{WatchNews, WatchState, WatchWish, WatchedPlace};
pub use theme::WatchTheme;
pub use trail::SaidStart;
