//! Plans of jobs that wait for a limit, and limits of plans.

use super::planner::BackfillPlanner;
use crate::cluster::QosIndex;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::limits::LimitOf;

/// Seconds after which a job is planned that waits for a limit, if no plan tells when nodes come free.
pub const LIMITED_FOR: i64 = 500;

/// Seconds for which a job is planned that no nodes are kept for (`NoReserve`), where jobs make way for others.
const UNRESERVED_LIMIT: i64 = 60;

impl BackfillPlanner<'_> {
    /// Until when group limits of its QOS and its partition's QOS keep a job waiting, as far as this cycle has found out.
    pub fn blocked_until(&self, job: JobHandle, at: &RequestedPartition, blocked_qos: &[i64]) -> i64 {
        if !self.mode.plans_limited {
            return i64::MIN;
        }
        let name = self.now.cluster[at.partition].qos.as_ref();
        let of_partition = self.now.cluster.qos.iter().position(|qos| Some(&qos.name) == name).map(QosIndex);
        let both = [self.now.jobs[job].holder.qos, of_partition].into_iter().flatten();
        both.filter_map(|qos| blocked_qos.get(qos.0)).copied().max().unwrap_or(i64::MIN)
    }

    /// With `assoc_limit_stop`: whether a limit keeps a job from starting on these nodes now. The inner value is the QOS whose group
    /// limit it is.
    pub fn limited_on(&self, at: &RequestedPartition, nodes: &[usize]) -> Option<Option<QosIndex>> {
        if !self.mode.plans_limited {
            return None;
        }
        let shares = self.now.pool.given(nodes, &at.kept.need);
        let amounts = self.now.limits.amounts(&shares, at.partition);
        let is_limited = self.now.limits.before_selection(&at.limits, at.limit).is_some()
            || self.now.limits.forbid(at, &amounts, &shares);
        is_limited.then(|| match self.now.limits.reached(&at.limits, &amounts, at.limit)?.of {
            LimitOf::Qos(index) => Some(index),
            _ => None,
        })
    }

    /// For how many seconds a job is planned: its time limit, or a minute if no nodes are kept for its QOS (`NoReserve`) and jobs may
    /// make way for others.
    pub fn planned_limit(&self, job: JobHandle, at: &RequestedPartition) -> i64 {
        if self.mode.preempts && self.now.jobs[job].is_unreserved(self.now.cluster) {
            UNRESERVED_LIMIT
        } else {
            at.limit
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::{Cluster, PreemptAction, PreemptKind, Qos, SubmittedJob, Tres};
    use crate::controller::tests::{cluster, job, simulated, start};

    fn of_qos(mut job: SubmittedJob, qos: &str) -> SubmittedJob {
        job.request.qos = vec![qos.into()];
        job
    }

    fn starts(site: &Cluster, jobs: &[SubmittedJob]) -> Vec<i64> {
        simulated(site, jobs.to_vec()).iter().map(start).collect()
    }

    /// Two nodes, one of them taken; a job waits for a limit of its QOS. With `assoc_limit_stop` it is planned for 500 seconds from now on
    /// the other node, where a job of five minutes still starts and one of an hour does not.
    #[test]
    fn a_job_that_waits_for_a_limit_is_planned_if_so_configured() {
        let mut site = cluster(2);
        let mut qos = Qos { name: "few".into(), ..Qos::default() };
        qos.group.tres = Tres([("cpu".to_owned(), 4)].into());
        site.qos = vec![qos];
        site.settings.jobs.enforce.limits = true;
        let jobs = [
            of_qos(job(0, 0, 4, 60, 1_200), "few"),
            of_qos(job(1, 1, 4, 10, 60), "few"),
            job(2, 2, 4, 60, 60),
            job(3, 3, 4, 5, 60),
        ];
        let open = starts(&site, &jobs[..3]);
        assert!(open[2] < 10, "control: {open:?}");
        site.settings.main.assoc_limit_stop = true;
        let found = starts(&site, &jobs);
        assert!(found[3] < 60 && found[2] > 1_000, "{found:?}");
    }

    /// One of two nodes is taken for ten minutes, a job waits for both. Jobs of a QOS with `NoReserve` are planned for one minute where
    /// jobs make way for others, so one of half an hour starts on the free node at once.
    #[test]
    fn a_job_without_reservation_is_planned_for_a_minute_where_jobs_make_way() {
        let mut site = cluster(2);
        let mut low = Qos { name: "low".into(), ..Qos::default() };
        low.flags.no_reserve = true;
        site.qos = vec![Qos { name: "normal".into(), ..Qos::default() }, low];
        let jobs = [
            of_qos(job(0, 0, 4, 10, 590), "normal"),
            of_qos(job(1, 1, 8, 10, 60), "normal"),
            of_qos(job(2, 2, 4, 30, 60), "low"),
        ];
        let kept = starts(&site, &jobs);
        assert!(kept[1] < 620 && kept[2] > 600, "control: {kept:?}");
        site.settings.preempt.kind = PreemptKind::Qos;
        site.settings.preempt.action = PreemptAction::Requeue;
        assert!(starts(&site, &jobs)[2] < 60);
    }
}
