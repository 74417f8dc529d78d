//! Runs of neighbouring nodes, and which of them a job takes.

use super::missing::Missing;

/// Chooses `missing` nodes out of runs `(weight, from, to)`: among the lightest runs, the smallest that suffices, else the
/// largest, and so on.
pub(super) fn of_runs(mut runs: Vec<(u32, usize, usize)>, mut missing: usize) -> Option<Vec<usize>> {
    let mut chosen = Vec::with_capacity(missing);
    let mut is_sorted = false;
    let mut first = 0;
    while missing > 0 {
        // Of the lightest runs the smallest that suffices, else the largest; of equal ones the first.
        let length = |run: &(u32, usize, usize)| run.2 - run.1;
        let lightest = match is_sorted {
            true => runs[first].0,
            false => runs.iter().map(|run| run.0).min()?,
        };
        let mut best: Option<usize> = None;
        for (index, run) in runs.iter().enumerate().skip(first) {
            if run.0 != lightest {
                if is_sorted {
                    break;
                }
                continue;
            }
            let Some(other) = best.map(|best| &runs[best]) else {
                best = Some(index);
                continue;
            };
            let (one, other) = (length(run), length(other));
            let better = match (one >= missing, other >= missing) {
                (true, false) => true,
                (true, true) => one < other,
                (false, _) => one > other,
            };
            if better {
                best = Some(index);
            } else if is_sorted && one < missing {
                // The longest come first.
                break;
            }
        }
        let (_, from, to) = runs[best?];
        let taken = (to - from).min(missing);
        chosen.extend(from..from + taken);
        missing -= taken;
        if is_sorted {
            first += 1;
        } else {
            runs.remove(best?);
            // Many runs will be needed.
            if missing > 0 {
                runs.sort_by_key(|run| (run.0, std::cmp::Reverse(run.2 - run.1)));
                is_sorted = true;
            }
        }
    }
    Some(chosen)
}

/// Nodes next to each other of one weight.
pub(super) struct NodeRun {
    /// Known once there is a node that the job does not name.
    pub weight: Option<u64>,
    pub from: usize,
    pub to: usize,
    /// How many nodes that the job does not name, and their usable processors.
    pub nodes: usize,
    pub cpus: i64,
    /// And what they have of what the whole job asks for.
    pub gres: Vec<u64>,
    /// The first node that it names.
    pub named: Option<usize>,
}

/// The run that is taken next.
pub(super) fn best_run(runs: &[NodeRun], missing: &Missing) -> Option<usize> {
    let suffices = |run: &NodeRun| {
        run.cpus >= missing.cpus && missing.is_enough(run.nodes) && missing.would_have_each(&run.gres)
    };
    (0..runs.len()).reduce(|best, index| {
        let (one, other) = (&runs[index], &runs[best]);
        let comes_first = other.named.is_none() && one.named.is_some() || one.weight < other.weight;
        let fits_better = one.weight == other.weight
            && match (suffices(one), suffices(other)) {
                (true, false) => true,
                (true, true) => one.cpus < other.cpus,
                (false, _) => one.cpus > other.cpus,
            };
        if comes_first || fits_better { index } else { best }
    })
}
