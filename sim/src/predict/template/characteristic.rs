//! What can make two jobs similar, besides their size: discrete facts that a log may or may not record.

use std::collections::BTreeSet;
use std::fmt;

use queuecast_core::job::Job;

/// A discrete fact known of a job when it arrives. The paper's type and class are queues here, its script is
/// an executable; arguments and network adaptors are in no log that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Characteristic {
    /// `q`: the queue or class.
    Queue,
    /// `p`: the part of the machine.
    Partition,
    /// `o`: the quality of service.
    Qos,
    /// `u`: who submitted it.
    User,
    /// `g`: the user's group.
    Group,
    /// `k`: the account charged.
    Account,
    /// `e`: the executable, script or job name.
    Executable,
}

impl Characteristic {
    /// Every one, in the order they are written.
    pub const ALL: [Characteristic; 7] = [
        Characteristic::Queue,
        Characteristic::Partition,
        Characteristic::Qos,
        Characteristic::User,
        Characteristic::Group,
        Characteristic::Account,
        Characteristic::Executable,
    ];

    /// How it is written in a template.
    pub fn letter(self) -> &'static str {
        ["q", "p", "o", "u", "g", "k", "e"][self as usize]
    }

    /// What it is called.
    pub fn word(self) -> &'static str {
        ["queue", "partition", "quality of service", "user", "group", "account", "executable"][self as usize]
    }

    /// The one with this letter.
    pub fn read(letter: &str) -> Option<Characteristic> {
        Characteristic::ALL.into_iter().find(|one| one.letter() == letter)
    }

    /// The number it has on this job; `None` where the log does not say.
    pub fn of(self, job: &Job) -> Option<u32> {
        match self {
            Characteristic::Queue => job.queue.map(|queue| queue.number()),
            Characteristic::Partition => job.partition.map(|partition| partition.number()),
            Characteristic::Qos => job.qos.map(|qos| qos.number()),
            Characteristic::User => job.user.map(|user| user.number()),
            Characteristic::Group => job.group.map(|group| group.number()),
            Characteristic::Account => job.account.map(|account| account.number()),
            Characteristic::Executable => job.executable.map(|executable| executable.number()),
        }
    }
}

impl fmt::Display for Characteristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.letter(), self.word())
    }
}

/// A set of characteristics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Characteristics(u8);

impl Characteristics {
    /// None of them.
    pub const NONE: Characteristics = Characteristics(0);

    /// All of them.
    pub const ALL: Characteristics = Characteristics((1 << Characteristic::ALL.len()) - 1);

    /// Those that tell jobs apart: at least two different known values among these jobs.
    pub fn present(jobs: &[Job]) -> Characteristics {
        let tells = |one: &Characteristic| {
            let mut values = jobs.iter().filter_map(|job| one.of(job));
            values.next().is_some_and(|first| values.any(|value| value != first))
        };
        Characteristic::ALL.into_iter().filter(tells).collect()
    }

    /// Whether this one is among them.
    pub fn contains(self, one: Characteristic) -> bool {
        self.0 & (1 << one as u8) != 0
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, one: Characteristic) -> Characteristics {
        Characteristics(self.0 | 1 << one as u8)
    }

    /// These without one.
    #[must_use]
    pub fn without(self, one: Characteristic) -> Characteristics {
        Characteristics(self.0 & !(1 << one as u8))
    }

    /// Those of these that are not among the others.
    #[must_use]
    pub fn beyond(self, others: Characteristics) -> Characteristics {
        Characteristics(self.0 & !others.0)
    }

    /// In the order they are written.
    pub fn iter(self) -> impl Iterator<Item = Characteristic> {
        Characteristic::ALL.into_iter().filter(move |&one| self.contains(one))
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// As a number below [`Characteristics::ALL`]`.bits() + 1`, one bit for each.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// How many different values these have among the jobs, taken together; unknown is a value.
    pub fn values(self, jobs: &[Job]) -> usize {
        let seen: BTreeSet<Vec<Option<u32>>> =
            jobs.iter().map(|job| self.iter().map(|one| one.of(job)).collect()).collect();
        seen.len()
    }
}

impl FromIterator<Characteristic> for Characteristics {
    fn from_iter<I: IntoIterator<Item = Characteristic>>(those: I) -> Characteristics {
        those.into_iter().fold(Characteristics::NONE, Characteristics::with)
    }
}

impl fmt::Display for Characteristics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        let names: Vec<String> = self.iter().map(|one| one.to_string()).collect();
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job::{QueueId, UserId};
    use queuecast_core::units::{Procs, Time};

    fn job(user: Option<u32>, queue: Option<u32>) -> Job {
        let mut job = Job::rigid(1, Time(0), Procs(1), None);
        (job.user, job.queue) = (user.and_then(UserId::new), queue.and_then(QueueId::new));
        job
    }

    #[test]
    fn present_is_what_tells_known_jobs_apart() {
        let jobs = [job(Some(1), Some(0)), job(Some(2), Some(0)), job(None, None)];
        assert_eq!(Characteristics::present(&jobs).to_string(), "u (user)");
        assert_eq!(Characteristics::present(&jobs[..1]), Characteristics::NONE);
        assert_eq!(Characteristics::present(&[]).to_string(), "none");
        // Unknown does not tell apart what is otherwise one, yet it is a value of its own.
        let user = Characteristics::NONE.with(Characteristic::User);
        assert_eq!((user.values(&jobs), user.with(Characteristic::Queue).values(&jobs)), (3, 3));
        assert_eq!(Characteristics::NONE.values(&jobs), 1);
    }

    #[test]
    fn letters_are_read_as_written_and_sets_add_and_remove() {
        for one in Characteristic::ALL {
            assert_eq!(Characteristic::read(one.letter()), Some(one));
            assert!(Characteristics::ALL.contains(one) && !Characteristics::ALL.without(one).contains(one));
        }
        assert_eq!(Characteristic::read("n"), None);
        let pair: Characteristics = [Characteristic::Executable, Characteristic::User].into_iter().collect();
        assert_eq!(pair.iter().map(Characteristic::letter).collect::<String>(), "ue");
        assert_eq!(pair.beyond(Characteristics::NONE.with(Characteristic::User)).len(), 1);
        assert_eq!(usize::from(Characteristics::ALL.bits()) + 1, 128);
    }
}
