//! A computation that takes long, and the caller that awaits it.

/// What the caller of a long computation is told, and tells.
#[derive(Clone, Copy)]
pub struct Awaited<'a> {
    /// Told of each step that is done.
    pub done: &'a (dyn Fn() + Sync),
    /// Whether the answer is still wanted; asked before each step.
    pub is_wanted: &'a (dyn Fn() -> bool + Sync),
}

impl Awaited<'_> {
    /// Wanted to the end, and told of nothing.
    pub const ALWAYS: Awaited<'static> = Awaited { done: &|| {}, is_wanted: &|| true };
}
