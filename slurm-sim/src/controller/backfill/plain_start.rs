//! When a job could start: the slow, plain version that the fast one is held to.

use crate::controller::placement::{Need, NodeLayout, NodeSet, NodeShare, NodeUse, WeightShift, select};

/// A running job: when it reaches its limit, and what it holds.
pub struct PlainHolding {
    pub end: i64,
    pub shares: Vec<NodeShare>,
}

/// From when on and up to when a test looks at running jobs, as Slurm does since 24.11.
pub struct PlainSpan {
    pub from: i64,
    pub until: Option<i64>,
}

/// When a job could start, by releasing running jobs one window after the other and choosing anew.
pub fn will_run(
    (layout, load, shift): (&NodeLayout, &NodeUse, &WeightShift),
    running: &[PlainHolding],
    need: &Need,
    usable: &NodeSet,
    (now, kill_wait): (i64, i64),
    linear: Option<i64>,
    span: Option<PlainSpan>,
) -> Option<(i64, Vec<usize>)> {
    let chosen = |load: &NodeUse| select(layout, load, usable, need, shift);
    if span.as_ref().is_none_or(|span| span.from <= now)
        && let Some(nodes) = chosen(load)
    {
        return Some((now, nodes));
    }
    let mut load = load.clone();
    let mut running: Vec<&PlainHolding> = running.iter().collect();
    let mut until = None;
    if let Some(span) = span {
        let gone = running.extract_if(.., |one| one.end < span.from);
        gone.for_each(|one| one.shares.iter().for_each(|share| load.release(share)));
        if let Some(nodes) = chosen(&load) {
            return Some((now, nodes));
        }
        until = span.until;
    }
    let mut running = running.into_iter().peekable();
    let (mut base, mut width) = (None, 30);
    loop {
        let (mut last, mut next, mut more) = (None, None, false);
        while let Some(one) = running.next() {
            if until.is_some_and(|until| one.end > until) {
                more = false;
                break;
            }
            if !one.shares.iter().any(|share| usable.contains(share.node)) {
                continue;
            }
            let base = *base.get_or_insert(one.end + (30 - one.end.rem_euclid(30)));
            one.shares.iter().for_each(|share| load.release(share));
            last = Some(one.end);
            next = running.peek().map(|one| one.end);
            more = next.is_some();
            if next.is_some_and(|next| next > base + width) {
                break;
            }
        }
        let last = last?;
        let base = base.unwrap_or(0);
        loop {
            width = linear.map_or(width * 2, |step| width + step);
            if next.is_none_or(|next| next <= base + width) {
                break;
            }
        }
        if let Some(nodes) = chosen(&load) {
            let start = if last > now { last } else { (last + kill_wait).max(now + 1) };
            return Some((start, nodes));
        }
        if !more {
            return None;
        }
    }
}
