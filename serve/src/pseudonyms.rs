//! Other users' names, replaced: the same name by the same word for as long as the service runs, and no word tells a name.

use std::hash::{BuildHasher, RandomState};

use queuecast_place::{JobAhead, MachineAnswer, PendingAnswer, PendingJob, WaitsFor};

/// Replaces names of users.
#[derive(Debug, Default)]
pub(crate) struct Pseudonyms {
    /// Keyed at random when the service starts, so that names cannot be tried.
    key: RandomState,
}

impl Pseudonyms {
    fn of(&self, name: &str) -> String {
        format!("user-{:010x}", self.key.hash_one(name) >> 24)
    }

    /// The word for an account.
    pub fn account(&self, name: &str) -> String {
        format!("account-{:010x}", self.key.hash_one(("account", name)) >> 24)
    }

    /// Replaces a name that is not one's own.
    fn replace(&self, name: &mut Option<String>, own: Option<&str>) {
        if let Some(text) = name.as_mut().filter(|text| Some(text.as_str()) != own) {
            *text = self.of(text);
        }
    }

    /// Replaces the name of a job's user, and leaves it out of what the job waits for.
    fn job(&self, job: &mut PendingJob, own: Option<&str>) {
        if let Some(name) = job.user.as_deref().filter(|name| Some(*name) != own) {
            let (named, unnamed) = (format!("user {name}"), "its user");
            job.why = job.why.replace(&named, unnamed);
            if let WaitsFor::Limit(limit) = &mut job.waits_for {
                limit.of = limit.of.replace(&named, unnamed);
            }
        }
        self.replace(&mut job.user, own);
    }

    /// Replaces the names in a queue.
    pub fn pending(&self, answer: &mut PendingAnswer, own: Option<&str>) {
        answer.jobs.iter_mut().for_each(|job| self.job(job, own));
        self.replace(&mut answer.user, own);
    }

    /// Replaces the names on a machine.
    pub fn machine(&self, answer: &mut MachineAnswer, own: Option<&str>) {
        answer.running.iter_mut().for_each(|job| self.replace(&mut job.user, own));
        answer.planned.iter_mut().for_each(|job| self.replace(&mut job.user, own));
    }

    /// Replaces the names of a job and those before it.
    pub fn ahead(&self, answer: &mut JobAhead, own: Option<&str>) {
        self.job(&mut answer.job, own);
        answer.ahead.iter_mut().for_each(|job| self.replace(&mut job.user, own));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_word_and_ones_own_stays() {
        let words = Pseudonyms::default();
        let shown = |name: &str, own: Option<&str>| {
            let mut name = Some(name.to_owned());
            words.replace(&mut name, own);
            name.unwrap()
        };
        assert_eq!(shown("anna", None), shown("anna", Some("bob")));
        assert_ne!(shown("anna", None), shown("bob", None));
        assert!(!shown("anna", None).contains("anna"));
        assert_eq!(shown("anna", Some("anna")), "anna");
        // Another service has other words.
        assert_ne!(shown("anna", None), Pseudonyms::default().of("anna"));
    }
}
