//! Numbers of GPUs that a request says in several ways, and that do not go together.

use super::request::{GresRequest, JobRequest};

/// What speaks against the numbers of GPUs of a request, as sbatch and slurmctld check them: GPUs of the job, of each node and of each
/// task, beside its tasks and nodes.
pub fn gpu_contradiction(request: &JobRequest) -> Option<String> {
    let gpus = |all: &[GresRequest]| -> Option<u64> {
        let counts = all.iter().filter(|one| one.name == "gpu").map(|one| one.count);
        counts.reduce(u64::saturating_add).filter(|&count| count > 0)
    };
    let gres = &request.gres;
    let (of_job, of_node, of_task) = (gpus(&gres.per_job), gpus(&gres.per_node), gpus(&gres.per_task));
    if let (Some(job), Some(node)) = (of_job, of_node)
        && job < node
    {
        return Some(format!("{job} GPUs of the job are fewer than {node} of each node"));
    }
    let each = of_task?;
    // A number of nodes alone is one of tasks, too.
    let by_nodes = request.min_nodes.filter(|_| request.cpus_per_task.is_none());
    let by_node = request.tasks_per_node.map(|each| request.min_nodes.unwrap_or(1).saturating_mul(each));
    let Some(tasks) = request.tasks.or(by_node).or(by_nodes).map(u64::from) else {
        let why = || "GPUs of each task need a number of GPUs (--gpus) or of tasks (-n)".to_owned();
        return of_job.is_none().then(why);
    };
    if let Some(job) = of_job.filter(|&job| job != each.saturating_mul(tasks)) {
        return Some(format!("{job} GPUs of the job are not {each} of each of {tasks} tasks"));
    }
    let on_node = of_node? / each;
    let why =
        || format!("{} GPUs of a node are those of {on_node} tasks, and it has {tasks}", on_node * each);
    (on_node > tasks).then(why)
}

#[cfg(test)]
mod tests {
    use super::gpu_contradiction;
    use crate::cluster::{GresRequest, JobRequest};

    /// What a recorded Slurm admitted and refused: nodes, tasks, then GPUs of the job, of each node and of each task.
    #[test]
    fn numbers_that_slurm_refuses_are_found() {
        let asked = |min_nodes, tasks, [job, node, task]: [u64; 3]| {
            let gpus = |count| vec![GresRequest { name: "gpu".into(), kind: None, count }];
            let mut one = JobRequest { min_nodes, tasks, ..JobRequest::default() };
            (one.gres.per_job, one.gres.per_node, one.gres.per_task) = (gpus(job), gpus(node), gpus(task));
            one
        };
        for (nodes, tasks, gpus) in [
            (Some(1), None, [0, 2, 2]),
            (Some(2), None, [0, 4, 2]),
            (Some(1), Some(2), [0, 4, 2]),
            (Some(1), None, [0, 0, 2]),
            (None, Some(4), [8, 4, 0]),
            (Some(2), None, [4, 0, 2]),
            (None, None, [4, 0, 1]),
            (None, Some(2), [0, 2, 1]),
        ] {
            assert_eq!(gpu_contradiction(&asked(nodes, tasks, gpus)), None, "{nodes:?} {tasks:?} {gpus:?}");
        }
        for (nodes, tasks, gpus) in [
            (Some(1), None, [0, 4, 2]),
            (Some(1), Some(1), [0, 4, 2]),
            (None, None, [0, 4, 2]),
            (Some(1), None, [4, 0, 2]),
            (None, None, [0, 0, 2]),
            (Some(1), None, [2, 4, 0]),
        ] {
            assert!(gpu_contradiction(&asked(nodes, tasks, gpus)).is_some(), "{nodes:?} {tasks:?} {gpus:?}");
        }
        // Without the tasks that a number of nodes stands for.
        let mut wide = asked(Some(1), None, [0, 2, 2]);
        wide.cpus_per_task = Some(2);
        assert!(gpu_contradiction(&wide).is_some());
        wide.tasks_per_node = Some(1);
        assert_eq!(gpu_contradiction(&wide), None);
    }
}
