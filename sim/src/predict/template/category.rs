//! One category: the jobs that are similar by one template, as far back as it remembers.

use std::collections::VecDeque;

use super::moments::{Comoments, Estimate, Moments};
use super::{Estimator, Template};
use queuecast_core::job::Job;
use queuecast_core::units::Seconds;

/// What is kept of one job.
#[derive(Debug, Clone, Copy)]
struct Point {
    y: i64,
    procs: u32,
    ran: Seconds,
}

/// The jobs of one category that have ended.
#[derive(Debug, Clone, Default)]
pub struct Category {
    moments: Moments,
    comoments: Comoments,
    /// Kept only where the oldest is forgotten, or where a job's age selects among them.
    points: VecDeque<Point>,
}

impl Category {
    /// Takes in a job that has ended, and forgets the oldest where the template's history is full. A job
    /// without a requested time means nothing to a relative template.
    pub fn insert(&mut self, template: &Template, job: &Job, ran: Seconds) {
        let Some(y) = template.data.of(job, ran) else { return };
        let procs = job.shape.procs.0;
        if let Some(history) = template.history
            && self.points.len() >= history as usize
            && let Some(oldest) = self.points.pop_front()
        {
            self.moments.remove(oldest.y);
            self.comoments.remove(template.predictor.regressor(oldest.procs), oldest.y);
        }
        self.moments.add(y);
        self.comoments.add(template.predictor.regressor(procs), y);
        if template.history.is_some() || template.age {
            self.points.push_back(Point { y, procs, ran });
        }
    }

    /// How many jobs it remembers.
    pub fn len(&self) -> usize {
        self.moments.count() as usize
    }

    /// Whether it remembers none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is predicted of a job, in seconds, if that can be said. If the template conditions on age and the
    /// job has run already, only those that ran for longer count.
    pub fn estimate(&self, template: &Template, job: &Job, elapsed: Seconds) -> Option<Estimate> {
        let conditioned = template.age && elapsed > Seconds::ZERO;
        let (moments, comoments) =
            if conditioned { self.older(template, elapsed) } else { (self.moments, self.comoments) };
        let estimate = match template.predictor {
            Estimator::Mean => moments.estimate(),
            other => comoments.estimate(&moments, other.regressor(job.shape.procs.0)),
        };
        template.data.in_seconds(estimate?, job.shape.limit)
    }

    /// The sums over those that ran for longer than this.
    fn older(&self, template: &Template, elapsed: Seconds) -> (Moments, Comoments) {
        let mut sums = (Moments::default(), Comoments::default());
        for point in self.points.iter().filter(|point| point.ran > elapsed) {
            sums.0.add(point.y);
            sums.1.add(template.predictor.regressor(point.procs), point.y);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use queuecast_core::units::{Procs, Time};

    fn job(procs: u32, limit: i64) -> Job {
        Job::rigid(1, Time(0), Procs(procs), Some(Seconds(limit)))
    }

    fn template(text: &str) -> Template {
        text.parse().unwrap()
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let template = template("(h=2)");
        let mut category = Category::default();
        for ran in [1000, 10, 20] {
            category.insert(&template, &job(1, 60), Seconds(ran));
        }
        assert_eq!((category.len(), category.is_empty()), (2, false));
        assert_eq!(category.estimate(&template, &job(1, 60), Seconds(0)).unwrap().point, 15.0);
    }

    #[test]
    fn age_leaves_only_those_that_ran_for_longer() {
        let (aged, plain) = (template("(age)"), template("()"));
        let (mut category, mut other) = (Category::default(), Category::default());
        for ran in [0, 10, 100, 300] {
            category.insert(&aged, &job(1, 60), Seconds(ran));
            other.insert(&plain, &job(1, 60), Seconds(ran));
        }
        let at = |elapsed| category.estimate(&aged, &job(1, 60), Seconds(elapsed)).map(|found| found.point);
        assert_eq!([0, 10, 99, 100].map(at), [Some(102.5), Some(200.0), Some(200.0), None]);
        let other = other.estimate(&plain, &job(1, 60), Seconds(100));
        assert_eq!(other.map(|found| found.point), Some(102.5));
    }

    proptest! {
        /// Sums kept up to date, with the oldest taken out, are those of the last `history` jobs alone.
        #[test]
        fn incremental_statistics_equal_recomputation(
            jobs in prop::collection::vec((1_u32..600, 1_i64..200_000, 0_i64..400_000), 0..60),
            history in 1_u32..20,
            kind in 0_usize..8,
        ) {
            let text = ["", "rel,", "lr,", "lr,rel,", "inv,", "inv,rel,", "log,", "log,rel,"][kind];
            let bounded = template(&format!("({text}h={history})"));
            let unbounded = Template { history: None, ..bounded };
            let mut kept = Category::default();
            let mut plain = Category::default();
            for (place, &(procs, limit, ran)) in jobs.iter().enumerate() {
                kept.insert(&bounded, &job(procs, limit), Seconds(ran));
                plain.insert(&unbounded, &job(procs, limit), Seconds(ran));
                let mut anew = Category::default();
                let first = (place + 1).saturating_sub(history as usize);
                for &(procs, limit, ran) in &jobs[first..=place] {
                    anew.insert(&unbounded, &job(procs, limit), Seconds(ran));
                }
                prop_assert_eq!((kept.moments, kept.comoments), (anew.moments, anew.comoments));
                let asked = job(procs, limit);
                let said = kept.estimate(&bounded, &asked, Seconds(0));
                prop_assert_eq!(said, anew.estimate(&unbounded, &asked, Seconds(0)));
                // Control: what is forgotten mattered.
                if first > 0 && ran != jobs[0].2 {
                    prop_assert_ne!(plain.moments, kept.moments);
                }
            }
        }
    }
}
