//! Plans of the last backfill cycle that hold in this one.
//!
//! A plan is made of what runs, of the plans before it in the cycle and of the clock. It is kept if the first two are what they were, and
//! if the clock alone makes no difference: every start that the planner tries after now is an absolute instant, with the same free nodes
//! and the same windows. Only the try for now moves, and the end of the window; a plan is made anew if an earlier plan begins or ends
//! between the old and the new end of the job if it started now, or of the window, or between the two cycles.

use std::sync::Arc;

use crate::cluster::PartitionIndex;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::{CachedNeed, LoadVersion};

/// When and where a job is planned, if it is.
pub type Planned = Option<(i64, Vec<usize>)>;

/// What runs where: the load of the nodes, and how often the list of running jobs has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanBasis {
    pub load: LoadVersion,
    pub running: u64,
}

/// A plan as it was made.
#[derive(Debug)]
struct MadePlan {
    job: JobHandle,
    kept: Arc<CachedNeed>,
    partition: PartitionIndex,
    limit: i64,
    planned: Planned,
    /// How many plans held nodes by then.
    held_before: usize,
    /// What ran then; `None` if it cannot be kept.
    basis: Option<PlanBasis>,
}

/// Nodes are held for a plan, from one instant of the grid to another.
#[derive(Debug, Clone, Copy)]
struct HeldPlan {
    from: i64,
    to: i64,
    /// The place of the plan among those made; `None` if these are not its nodes.
    plan: Option<usize>,
}

/// The plans of a cycle, in their order.
#[derive(Debug, Default)]
struct CyclePlans {
    /// When it began, in seconds.
    begin: i64,
    /// When its time map ends.
    end: i64,
    made: Vec<MadePlan>,
    held: Vec<HeldPlan>,
}

impl CyclePlans {
    /// The nodes that are held for a plan.
    fn nodes(&self, held: HeldPlan) -> Option<&[usize]> {
        let (_, nodes) = self.made.get(held.plan?)?.planned.as_ref()?;
        Some(nodes)
    }
}

/// The plans of the last cycle and of this one.
#[derive(Debug, Default)]
pub struct KeptPlans {
    last: CyclePlans,
    this: CyclePlans,
    /// The length of the window, in seconds.
    window: i64,
    /// Instants at which nodes come to be held or free in the last cycle, in order.
    bounds: Vec<i64>,
    /// Whether the plans that have held nodes so far are those of the last cycle.
    is_alike: bool,
    /// The first plan of the last cycle that was made with as many held plans as there are now, or an earlier one.
    next: usize,
    /// How many plans were kept.
    #[cfg(test)]
    pub count: usize,
}

impl KeptPlans {
    /// A cycle begins to plan; its time map ends at `end`. Its plans so far are those of the last cycle from now on.
    pub fn begin(&mut self, begin: i64, window: i64, end: i64, grid: i64) {
        let this = CyclePlans { begin, end, ..CyclePlans::default() };
        self.last = std::mem::replace(&mut self.this, this);
        self.bounds.clear();
        let held = self.last.held.iter();
        self.bounds.extend(held.flat_map(|one| [one.from, one.to.max(one.from.saturating_add(grid))]));
        self.bounds.sort_unstable();
        (self.window, self.next) = (window, 0);
        self.is_alike = self.last.begin <= begin
            && self.has_no_bound(self.last.begin, begin)
            && self.has_no_bound(self.last.end - 1, end - 1);
    }

    /// No plan of the last cycle is kept: something has changed that is not told by what runs.
    pub fn forget(&mut self) {
        self.this = CyclePlans::default();
    }

    /// Whether nodes of no plan come to be held or free after one instant and up to another.
    fn has_no_bound(&self, after: i64, to: i64) -> bool {
        let up_to = |at: i64| self.bounds.partition_point(|&bound| bound <= at);
        up_to(after) == up_to(to)
    }

    /// The plan of the last cycle for a job, if it holds.
    pub fn get(&mut self, job: JobHandle, at: &RequestedPartition, basis: PlanBasis) -> Option<Planned> {
        if !self.is_alike {
            return None;
        }
        let (last, this) = (&self.last, &self.this);
        let rest = &last.made[self.next..];
        self.next += rest.iter().take_while(|one| one.held_before < this.held.len()).count();
        let mut same = last.made[self.next..].iter().take_while(|one| one.held_before == this.held.len());
        let one = same.find(|one| one.job == job)?;
        let is_same_question = one.basis == Some(basis)
            && one.limit == at.limit
            && one.partition == at.partition
            && Arc::ptr_eq(&one.kept, &at.kept);
        let (was, is) = (last.begin, this.begin);
        // Plans beyond the window are not compared with others.
        let is_as_far = one
            .planned
            .as_ref()
            .is_none_or(|&(start, _)| start > is && (start <= was + self.window || start > is + self.window));
        let holds = is_same_question && is_as_far && self.has_no_bound(was + at.limit, is + at.limit);
        let planned = holds.then(|| one.planned.clone());
        #[cfg(test)]
        {
            self.count += usize::from(planned.is_some());
        }
        planned
    }

    /// A plan was made or kept.
    pub fn note(
        &mut self,
        job: JobHandle,
        at: &RequestedPartition,
        planned: &Planned,
        basis: Option<PlanBasis>,
    ) {
        self.this.made.push(MadePlan {
            job,
            kept: at.kept.clone(),
            partition: at.partition,
            limit: at.limit,
            planned: planned.clone(),
            held_before: self.this.held.len(),
            basis,
        });
    }

    /// Nodes are held for the plan that was made or kept last.
    pub fn hold(&mut self, from: i64, to: i64, nodes: &[usize]) {
        let (last, this) = (&self.last, &mut self.this);
        let mut held = HeldPlan { from, to, plan: this.made.len().checked_sub(1) };
        if this.nodes(held) != Some(nodes) {
            held.plan = None;
        }
        self.is_alike = self.is_alike
            && held.plan.is_some()
            && last.held.get(this.held.len()).is_some_and(|&other| {
                (other.from, other.to) == (from, to) && last.nodes(other) == Some(nodes)
            });
        this.held.push(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::placement::{Load, Need, NodeLayout};
    use crate::controller::tests::cluster;

    const BASIS: fn() -> PlanBasis = || {
        let load = Load::none(&NodeLayout::of(&cluster(2)));
        PlanBasis { load: load.version(), running: 3 }
    };

    fn asked(limit: i64) -> RequestedPartition {
        RequestedPartition {
            partition: PartitionIndex(0),
            kept: Arc::new(CachedNeed::new(Arc::new(Need::nothing(2)), 0)),
            whole: None,
            limits: Arc::default(),
            is_barred: false,
            limit,
            priority: 1,
        }
    }

    /// Job 0 is planned for 1,000 to 1,600 and job 1 for 5,000 by a cycle at 100; then the next cycle begins.
    fn after(now: i64, at: [&RequestedPartition; 2]) -> KeptPlans {
        let mut plans = KeptPlans::default();
        plans.begin(100, 100_000, 100_080, 60);
        plans.note(JobHandle(0), at[0], &Some((1_000, vec![0])), Some(BASIS()));
        plans.hold(960, 1_600, &[0]);
        plans.note(JobHandle(1), at[1], &Some((5_000, vec![1])), Some(BASIS()));
        plans.hold(4_980, 5_600, &[1]);
        plans.begin(now, 100_000, now + 99_980, 60);
        plans
    }

    #[test]
    fn a_plan_is_kept_while_nothing_but_the_clock_has_changed() {
        let (one, other) = (asked(600), asked(600));
        let mut plans = after(130, [&one, &other]);
        assert_eq!(plans.get(JobHandle(0), &one, BASIS()), Some(Some((1_000, vec![0]))));
        plans.note(JobHandle(0), &one, &Some((1_000, vec![0])), Some(BASIS()));
        assert_eq!(plans.get(JobHandle(1), &other, BASIS()), None, "the first holds no nodes yet");
        plans.hold(960, 1_600, &[0]);
        assert_eq!(plans.get(JobHandle(1), &other, BASIS()), Some(Some((5_000, vec![1]))));
    }

    #[test]
    fn a_plan_is_made_anew_if_anything_that_it_is_made_of_has_changed() {
        let (one, other) = (asked(600), asked(600));
        let kept = |mut plans: KeptPlans, at: &RequestedPartition, basis| plans.get(JobHandle(0), at, basis);
        let is_kept = |now: i64| kept(after(now, [&one, &other]), &one, BASIS()).is_some();
        assert!(is_kept(130) && is_kept(355), "control");
        // If it started now, it would end after 960 and not before any more; another plan begins then.
        assert!(!is_kept(360));
        // Its own begin is past.
        assert!(!is_kept(1_000));
        let other_load = PlanBasis { running: 4, ..BASIS() };
        assert_eq!(kept(after(130, [&one, &other]), &one, other_load), None);
        assert_eq!(kept(after(130, [&one, &other]), &asked(600), BASIS()), None, "another need");
        let longer = RequestedPartition { limit: 660, ..one.clone() };
        assert_eq!(kept(after(130, [&one, &other]), &longer, BASIS()), None, "another limit");
        let mut forgotten = after(130, [&one, &other]);
        forgotten.forget();
        forgotten.begin(140, 100_000, 100_120, 60);
        assert_eq!(kept(forgotten, &one, BASIS()), None);
        // Another plan came before.
        let mut plans = after(130, [&one, &other]);
        plans.hold(960, 1_600, &[1]);
        assert_eq!(plans.get(JobHandle(1), &other, BASIS()), None);
    }
}
