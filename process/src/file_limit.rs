//! How many files this process may have open, connections among them.

/// Files besides connections: the store, the log, what is read at the start.
const OTHERS: u64 = 128;

/// Raises the limit on open files so that `connections` may be open, as far as that is allowed; returns how many may be.
#[cfg(unix)]
pub fn raise_for(connections: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let wanted = connections as u64 + OTHERS;
    let limit = getrlimit(Resource::Nofile);
    let allowed = match limit.current {
        Some(current) if current < wanted => {
            let raised = limit.maximum.map_or(wanted, |most| wanted.min(most)).max(current);
            let is_raised =
                setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }).is_ok();
            if is_raised { raised } else { current }
        }
        _ => wanted,
    };
    within(allowed).min(connections)
}

/// Elsewhere the limit is not known.
#[cfg(not(unix))]
pub fn raise_for(connections: usize) -> usize {
    connections
}

/// The connections that may be open where `files` files may be.
fn within(files: u64) -> usize {
    // Half of a limit that is very low.
    usize::try_from(files.saturating_sub(OTHERS).max(files / 2)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_others() {
        assert_eq!((within(4_224), within(1_024), within(64), within(0)), (4_096, 896, 32, 0));
    }
}
