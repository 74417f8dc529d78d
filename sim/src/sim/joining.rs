//! Jobs of a run that join its queue later: at a time, after the ends of others, or when fewer of their array are there.

use std::collections::{BTreeMap, VecDeque};

use queuecast_core::order;
use queuecast_core::units::Time;

/// A job whose end others wait for, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AwaitedEnd {
    /// Of a job that runs at the beginning.
    Running(u32),
    /// Of one that waits then.
    Waiting(u32),
}

/// One of the waiting jobs, and what it needs before it joins the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joiner {
    /// Its place among the waiting jobs.
    pub place: u32,
    /// It joins no sooner.
    pub at: Time,
    /// It joins once all of these have ended.
    pub after: Vec<AwaitedEnd>,
    /// Its array, if the number of its jobs that may run at once is limited.
    pub array: Option<u32>,
}

/// Jobs that are asked about together. A run goes on until all of them have started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Joining {
    joiners: Vec<Joiner>,
    /// Which joiner is at a place, for the places up to that of the last.
    of_place: Vec<Option<u32>>,
    /// The joiners that wait for an end.
    behind: BTreeMap<AwaitedEnd, Vec<u32>>,
    /// The arrays of jobs that run at the beginning.
    held: BTreeMap<u32, u32>,
    /// How many of each array may run at once.
    at_once: Vec<u32>,
}

impl Joining {
    /// Of these jobs. `at_once` says how many jobs of each array may run at once, `held` which of the running jobs are of which array.
    pub fn new(joiners: Vec<Joiner>, at_once: Vec<u32>, held: &[(u32, u32)]) -> Joining {
        let mut of_place: Vec<Option<u32>> = Vec::new();
        let mut behind: BTreeMap<AwaitedEnd, Vec<u32>> = BTreeMap::new();
        for (joiner, number) in joiners.iter().zip(0..) {
            let place = joiner.place as usize;
            of_place.resize(of_place.len().max(place + 1), None);
            of_place[place] = Some(number);
            for &end in &joiner.after {
                behind.entry(end).or_default().push(number);
            }
        }
        let held = order::map_of(held.iter().copied());
        Joining { joiners, of_place, behind, held, at_once }
    }

    /// The jobs, in their order.
    pub fn joiners(&self) -> &[Joiner] {
        &self.joiners
    }

    /// Whether the job at a place is one of these.
    pub(super) fn has(&self, place: usize) -> bool {
        self.number(place).is_some()
    }

    fn number(&self, place: usize) -> Option<u32> {
        self.of_place.get(place).copied().flatten()
    }
}

/// Which jobs have not joined yet, in one run.
#[derive(Debug, Clone, Default)]
pub(super) struct JoinState {
    /// For each joiner, how many things it waits for.
    missing: Vec<u32>,
    /// How many more jobs of each array may be in the queue or run.
    room: Vec<i64>,
    /// Those that only wait for room in their array.
    ready: Vec<VecDeque<u32>>,
    /// When joiners may join at the earliest, the first at the end.
    times: Vec<(i64, u32)>,
    /// Those that join now.
    pub joins: Vec<u32>,
    /// Since when each joiner is eligible.
    since: Vec<i64>,
}

impl JoinState {
    /// At the beginning of a run; those that join at once are in `joins`.
    pub fn set(&mut self, joining: &Joining, now: i64) {
        let joiners = &joining.joiners;
        self.missing.clear();
        self.missing.extend(joiners.iter().map(|one| one.after.len() as u32 + u32::from(one.at.0 > now)));
        self.room.clear();
        self.room.extend(joining.at_once.iter().copied().map(i64::from));
        for &array in joining.held.values() {
            // More may run than are allowed now.
            if let Some(room) = self.room.get_mut(array as usize) {
                *room -= 1;
            }
        }
        self.ready.iter_mut().for_each(VecDeque::clear);
        self.ready.resize(self.room.len(), VecDeque::new());
        self.since.clear();
        self.since.resize(joiners.len(), now);
        self.times.clear();
        let later = joiners.iter().zip(0..).filter(|(one, _)| one.at.0 > now);
        self.times.extend(later.map(|(one, number)| (one.at.0, number)));
        self.times.sort_unstable_by(|one, other| other.cmp(one));
        self.joins.clear();
        for number in 0..joiners.len() as u32 {
            if self.missing[number as usize] == 0 {
                self.eligible(joining, number, now);
            }
        }
    }

    /// When the next joiner may join by its time.
    pub fn next(&self) -> Option<i64> {
        self.times.last().map(|one| one.0)
    }

    /// Times up to this one have come.
    pub fn reached(&mut self, joining: &Joining, at: i64) {
        while let Some((_, number)) = self.times.pop_if(|one| one.0 <= at) {
            self.fulfilled(joining, number, at);
        }
    }

    /// A job has ended.
    pub fn ended(&mut self, joining: &Joining, end: AwaitedEnd, at: i64) {
        let array = match end {
            AwaitedEnd::Running(place) => joining.held.get(&place).copied(),
            AwaitedEnd::Waiting(place) => {
                joining.number(place as usize).and_then(|number| joining.joiners[number as usize].array)
            }
        };
        if let Some(array) = array.map(|array| array as usize).filter(|&array| array < self.room.len()) {
            self.room[array] += 1;
            if self.room[array] > 0
                && let Some(next) = self.ready[array].pop_front()
            {
                self.room[array] -= 1;
                self.joins.push(next);
            }
        }
        for &number in joining.behind.get(&end).into_iter().flatten() {
            self.fulfilled(joining, number, at);
        }
    }

    fn fulfilled(&mut self, joining: &Joining, number: u32, at: i64) {
        self.missing[number as usize] -= 1;
        if self.missing[number as usize] == 0 {
            self.eligible(joining, number, at);
        }
    }

    fn eligible(&mut self, joining: &Joining, number: u32, at: i64) {
        self.since[number as usize] = at;
        let array = joining.joiners[number as usize].array.map(|array| array as usize);
        match array.filter(|&array| array < self.room.len()) {
            Some(array) if self.room[array] <= 0 => self.ready[array].push_back(number),
            Some(array) => {
                self.room[array] -= 1;
                self.joins.push(number);
            }
            None => self.joins.push(number),
        }
    }

    /// Since when a joiner is eligible.
    pub fn since(&self, number: u32) -> i64 {
        self.since[number as usize]
    }
}
