//! One job at one moment of a log has one start, whichever question it is part of: the whole distribution, to the byte.

use crate::support;
use crate::wait_methods::{log, settings};
use proptest::prelude::*;
use queuecast_core::asking::Learning;
use queuecast_core::job::{Job, UserId};
use queuecast_core::units::{Procs, Seconds};
use queuecast_forecast::advice::{
    JobChange, JobChanges, JobLimits, MoldableJob, PlanQuestion, PlanSettings, Preference, RunTimeBySize,
    Target, TimeRange, forecast_sizes, plan_job,
};
use queuecast_forecast::forecast::{WhenSource, when, when_each};

proptest! {
    #![proptest_config(support::cases(40))]
    #[test]
    fn a_job_starts_alike_in_all_answers(
        at in 40_usize..400,
        size in 0_u32..6,
        other in 0_u32..6,
        minutes in 10_i64..600,
        user in 0_u32..9,
        method in 0_usize..3,
    ) {
        let workload = log(420);
        let at = workload.jobs()[at.min(workload.jobs().len() - 1)].submit;
        let when_settings = settings(&[["trees:40,refit=100", "simulated:6", "knn"][method], "past"]);
        let source = WhenSource::Log { workload: &workload, at };
        let (size, other) = (Procs(1 << size), Procs(1 << other));
        let limit = Seconds(60 * minutes);
        let mut job = Job::rigid(u64::MAX, at, size, Some(limit));
        job.user = UserId::new(user);
        let start = |procs: Procs, limit: Seconds| {
            let mut job = job.clone();
            (job.shape.procs, job.shape.limit) = (procs, Some(limit));
            when(&job, &source, &when_settings, Learning::ALONE).unwrap()
        };
        let asked = start(size, limit);
        let mut runs = vec![(size, limit), (other, limit)];
        runs.sort_unstable();
        runs.dedup();
        let moldable = MoldableJob {
            runs: RunTimeBySize::Measured { runs, between: false },
            sizes: Vec::new(),
            fewest: None,
            most: None,
            give_or_take: 1.0,
        };
        let question = PlanQuestion {
            job: job.clone(),
            changes: JobChanges { sizes: Some(moldable.clone()), later: Vec::new(), risk: 0.1 },
            limits: JobLimits::default(),
            queues: None,
        };
        let plan_settings = PlanSettings { when: when_settings.clone(), draws: 20 };
        let plan = plan_job(&question, &source, &plan_settings, Learning::ALONE).unwrap();
        prop_assert_eq!((&plan.method, &plan.record, &plan.regime), (&asked.method, &asked.record, &asked.regime));
        prop_assert_eq!(&plan.options[0].wait, &asked.wait.distribution);
        for option in &plan.options {
            // Each variant starts as `when` says of a job that asks for that.
            let alone = start(option.procs, option.limit);
            prop_assert_eq!(&option.wait, &alone.wait.distribution, "{:?}", option.change);
            let (start, done) = (option.start, option.done);
            prop_assert!(start.low <= done.low && start.median <= done.median && start.high <= done.high);
        }
        let preference = Preference { target: Target::Median, averse: 0.0 };
        let limits = (JobLimits::default(), preference);
        let sizes = forecast_sizes(&moldable, &job, &source, limits, &when_settings, Learning::ALONE).unwrap();
        for prospect in sizes.advice.prospects() {
            let alone = start(prospect.procs, limit);
            let (low, high) = (alone.wait.low, alone.wait.high);
            let TimeRange { low: own_low, median, high: own_high, .. } = prospect.queue;
            prop_assert_eq!((own_low, median, own_high), (Some(low), alone.wait.median, Some(high)));
            if prospect.procs == sizes.advice.recommended().procs {
                prop_assert_eq!(&sizes.regime, &alone.regime);
            }
        }
        let each = when_each(&[job.clone(), job.clone()], &source, &when_settings, Learning::ALONE).unwrap();
        prop_assert!(each.iter().all(|one| *one == asked.wait));
        // Control: a size that is asked about as another one is another question.
        let is_size = |change: &JobChange| *change == JobChange::Size;
        prop_assert_eq!(plan.options.iter().any(|one| is_size(&one.change)), other != size);
    }
}
