//! The queue of a [`super::RunOn`]: in order, with what most looks at it need of each job side by side.

use serde::{Deserialize, Serialize};

/// A job that waits, or will.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueuedJob {
    /// Processors it asks for.
    pub procs: u32,
    /// The run time that the scheduler plans with, in seconds.
    pub planned: i64,
    /// How long it runs.
    pub run: i64,
    /// Its place: jobs of a higher rank come first, of equal ones those that arrived first.
    pub rank: f64,
}

/// The most jobs of a block.
const BLOCK: usize = 64;

/// Jobs of a block at the begin: there is room for some that join.
const FILLED: usize = 48;

/// The largest number that blocks have; larger ones are kept as this one.
const MOST: i64 = i32::MAX as i64;

/// Consecutive jobs of a queue. Only the first `len` of each array count.
#[derive(Debug, Clone)]
struct QueueBlock {
    len: usize,
    numbers: [u32; BLOCK],
    procs: [i32; BLOCK],
    /// The run times that the scheduler plans with, in seconds.
    planned: [i32; BLOCK],
}

impl QueueBlock {
    const EMPTY: QueueBlock =
        QueueBlock { len: 0, numbers: [0; BLOCK], procs: [0; BLOCK], planned: [0; BLOCK] };

    fn numbers(&self) -> &[u32] {
        &self.numbers[..self.len]
    }

    fn insert(&mut self, slot: usize, number: u32, job: &QueuedJob) {
        let moved = slot..self.len;
        self.numbers.copy_within(moved.clone(), slot + 1);
        self.procs.copy_within(moved.clone(), slot + 1);
        self.planned.copy_within(moved, slot + 1);
        self.put(slot, number, job);
        self.len += 1;
    }

    fn put(&mut self, slot: usize, number: u32, job: &QueuedJob) {
        self.numbers[slot] = number;
        self.procs[slot] = i64::from(job.procs).min(MOST) as i32;
        self.planned[slot] = job.planned.clamp(-MOST, MOST) as i32;
    }

    fn remove(&mut self, slot: usize) {
        let moved = slot + 1..self.len;
        self.numbers.copy_within(moved.clone(), slot);
        self.procs.copy_within(moved.clone(), slot);
        self.planned.copy_within(moved, slot);
        self.len -= 1;
    }

    /// The first slot from one on that may start in this room.
    fn next_to_start(&self, from: usize, room: SmallRoom) -> Option<usize> {
        let (procs, planned) = (&self.procs[from..self.len], &self.planned[from..self.len]);
        let each = || procs.iter().zip(planned);
        // Without a branch for each job: most blocks have none that starts.
        let any = each().fold(0, |any, (&procs, &planned)| any | i32::from(room.has(procs, planned)));
        let first = || each().position(|(&procs, &planned)| room.has(procs, planned));
        if any == 0 { None } else { first().map(|slot| from + slot) }
    }
}

/// Classes of sizes: up to 3 processors, 15, 63, and so on; the last has all larger ones.
const CLASSES: usize = 6;

fn class(procs: i32) -> usize {
    (procs.max(1).ilog2() as usize / 2).min(CLASSES - 1)
}

/// What tells of most blocks that no job of theirs can start, block by block.
#[derive(Debug, Clone, Default)]
struct Leasts {
    /// The fewest processors of a job.
    procs: Vec<i32>,
    /// By class: the shortest planned run time of a job of this class or a smaller one.
    planned: [Vec<i32>; CLASSES],
}

impl Leasts {
    fn clear(&mut self) {
        self.procs.clear();
        self.planned.iter_mut().for_each(Vec::clear);
    }

    /// A block without jobs comes to this place.
    fn insert(&mut self, at: usize) {
        self.procs.insert(at, i32::MAX);
        self.planned.iter_mut().for_each(|planned| planned.insert(at, i32::MAX));
    }

    fn remove(&mut self, at: usize) {
        self.procs.remove(at);
        self.planned.iter_mut().for_each(|planned| {
            planned.remove(at);
        });
    }

    /// A job joins a block.
    fn join_one(&mut self, at: usize, procs: i32, planned: i32) {
        self.procs[at] = self.procs[at].min(procs);
        self.planned[class(procs)..].iter_mut().for_each(|column| column[at] = column[at].min(planned));
    }

    /// Jobs join a block.
    fn join(&mut self, at: usize, procs: &[i32], planned: &[i32]) {
        let mut least = [i32::MAX; CLASSES];
        for (&procs, &planned) in procs.iter().zip(planned) {
            let own = &mut least[class(procs)];
            *own = planned.min(*own);
            self.procs[at] = self.procs[at].min(procs);
        }
        let mut smaller = i32::MAX;
        for (column, least) in self.planned.iter_mut().zip(least) {
            smaller = smaller.min(least);
            column[at] = column[at].min(smaller);
        }
    }

    /// Whether without such a job others may be the least of the block.
    fn is_one(&self, at: usize, procs: i32, planned: i32) -> bool {
        self.procs[at] >= procs || self.planned[class(procs)][at] >= planned
    }

    /// The block is looked at anew.
    fn renew(&mut self, at: usize, block: &QueueBlock) {
        self.procs[at] = i32::MAX;
        self.planned.iter_mut().for_each(|column| column[at] = i32::MAX);
        self.join(at, &block.procs[..block.len], &block.planned[..block.len]);
    }

    /// The first block from one on that may have a job that can start in this room.
    fn next(&self, from: usize, room: SmallRoom) -> Option<usize> {
        let few = room.free.min(room.extra);
        let each = self.procs[from..].iter().zip(&self.planned[class(room.free)][from..]);
        let found = each.into_iter().position(|(&procs, &planned)| {
            (procs <= few) | ((planned <= room.seconds) & (procs <= room.free))
        });
        found.map(|place| from + place)
    }
}

/// What a job behind the head must keep to.
#[derive(Debug, Clone, Copy)]
pub(super) struct BehindRoom {
    /// Free processors.
    pub free: i64,
    /// A job that is planned to run no longer may have all of them.
    pub seconds: i64,
    /// Any other may have these.
    pub extra: i64,
}

/// Such room in the numbers that blocks have.
#[derive(Debug, Clone, Copy)]
struct SmallRoom {
    free: i32,
    seconds: i32,
    extra: i32,
}

impl SmallRoom {
    fn has(self, procs: i32, planned: i32) -> bool {
        (procs <= self.free) & ((planned <= self.seconds) | (procs <= self.extra))
    }
}

/// Where a job is in a queue, as long as none joins or leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueueSpot {
    /// Among the blocks in order.
    block: usize,
    slot: usize,
}

impl QueueSpot {
    /// The first of all.
    pub const HEAD: QueueSpot = QueueSpot { block: 0, slot: 0 };

    /// Behind the head, if that is not the last of its block.
    pub const BEHIND_HEAD: QueueSpot = QueueSpot { block: 0, slot: 1 };

    /// Whether the job is the first of all.
    pub fn is_head(self) -> bool {
        self == QueueSpot::HEAD
    }

    /// The one behind it, if that is of the same block.
    pub fn next(self) -> QueueSpot {
        QueueSpot { slot: self.slot + 1, ..self }
    }
}

/// Waiting jobs in order. To join or leave costs a block and not a queue, which may have thousands of jobs.
#[derive(Debug, Clone, Default)]
pub(super) struct RunQueue {
    /// In no order.
    blocks: Vec<QueueBlock>,
    /// The blocks in order; none of them is empty.
    order: Vec<u32>,
    /// Of each of these.
    least: Leasts,
    /// The blocks that are not in use.
    spare: Vec<u32>,
}

impl RunQueue {
    /// Jobs in this order; `jobs` has each by its number.
    pub fn set(&mut self, numbers: &[u32], jobs: &[QueuedJob]) {
        self.spare.append(&mut self.order);
        self.least.clear();
        for numbers in numbers.chunks(FILLED) {
            let own = self.unused();
            let block = &mut self.blocks[own as usize];
            for (slot, &number) in numbers.iter().enumerate() {
                block.put(slot, number, &jobs[number as usize]);
            }
            block.len = numbers.len();
            let at = self.order.len();
            self.least.insert(at);
            self.least.renew(at, block);
            self.order.push(own);
        }
    }

    /// An empty block.
    fn unused(&mut self) -> u32 {
        match self.spare.pop() {
            Some(spare) => {
                self.blocks[spare as usize].len = 0;
                spare
            }
            None => {
                self.blocks.push(QueueBlock::EMPTY);
                self.blocks.len() as u32 - 1
            }
        }
    }

    fn block(&self, place: usize) -> &QueueBlock {
        &self.blocks[self.order[place] as usize]
    }

    /// The number of the first job.
    pub fn head(&self) -> Option<u32> {
        self.order.first().map(|&first| self.blocks[first as usize].numbers[0])
    }

    /// The number of a job.
    pub fn number(&self, at: QueueSpot) -> u32 {
        self.block(at.block).numbers[at.slot]
    }

    /// A job joins the queue behind all that go ahead of it.
    pub fn join(&mut self, number: u32, job: &QueuedJob, goes_ahead: impl Fn(u32) -> bool) -> QueueSpot {
        let begins_ahead = |&own: &u32| goes_ahead(self.blocks[own as usize].numbers[0]);
        let mut at = self.order.partition_point(begins_ahead).saturating_sub(1);
        if self.order.is_empty() {
            let own = self.unused();
            self.order.push(own);
            self.least.insert(0);
        }
        let mut slot = self.block(at).numbers().partition_point(|&other| goes_ahead(other));
        if self.block(at).len == BLOCK {
            self.split(at);
            if slot > BLOCK / 2 {
                (at, slot) = (at + 1, slot - BLOCK / 2);
            }
        }
        let block = &mut self.blocks[self.order[at] as usize];
        block.insert(slot, number, job);
        self.least.join_one(at, block.procs[slot], block.planned[slot]);
        QueueSpot { block: at, slot }
    }

    /// The second half of a full block becomes one of its own.
    fn split(&mut self, at: usize) {
        let own = self.unused();
        let mut new = std::mem::replace(&mut self.blocks[own as usize], QueueBlock::EMPTY);
        let old = &mut self.blocks[self.order[at] as usize];
        let half = BLOCK / 2;
        new.numbers[..half].copy_from_slice(&old.numbers[half..]);
        new.procs[..half].copy_from_slice(&old.procs[half..]);
        new.planned[..half].copy_from_slice(&old.planned[half..]);
        (old.len, new.len) = (half, half);
        self.least.insert(at + 1);
        self.least.renew(at, old);
        self.least.renew(at + 1, &new);
        self.order.insert(at + 1, own);
        self.blocks[own as usize] = new;
    }

    /// A job leaves the queue; where the one behind it is then.
    pub fn remove(&mut self, at: QueueSpot) -> QueueSpot {
        let own = self.order[at.block];
        let block = &mut self.blocks[own as usize];
        let (procs, planned) = (block.procs[at.slot], block.planned[at.slot]);
        block.remove(at.slot);
        if block.len == 0 {
            self.order.remove(at.block);
            self.least.remove(at.block);
            self.spare.push(own);
        } else if self.least.is_one(at.block, procs, planned) {
            self.least.renew(at.block, block);
        }
        at
    }

    /// Whether one behind the head may ask for no more than this; of very large numbers it is not certain.
    pub fn has_behind(&self, free: i64) -> bool {
        let free = free.min(MOST) as i32;
        let Some((_, behind)) = self.least.procs.split_first() else { return false };
        let first = self.block(0);
        first.procs[1..first.len].iter().any(|&procs| procs <= free)
            || behind.iter().any(|&procs| procs <= free)
    }

    /// The first job from a place on that may start in this room; of very large numbers it is not certain.
    pub fn next_to_start(&self, from: QueueSpot, room: BehindRoom) -> Option<QueueSpot> {
        let small = |most: i64| most.clamp(-MOST, MOST) as i32;
        let room =
            SmallRoom { free: small(room.free), seconds: small(room.seconds), extra: small(room.extra) };
        let mut from = from;
        while from.block < self.order.len() {
            let block = self.least.next(from.block, room)?;
            let slot = if block == from.block { from.slot } else { 0 };
            if slot < self.block(block).len
                && let Some(slot) = self.block(block).next_to_start(slot, room)
            {
                return Some(QueueSpot { block, slot });
            }
            from = QueueSpot { block: block + 1, slot: 0 };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::RngExt;

    use super::*;
    use queuecast_core::seed::Seed;

    /// Jobs that join, are looked for and leave are those of a plain list.
    #[test]
    fn blocks_are_a_plain_list() {
        let mut random = Seed(1).stream("queue");
        let mut queue = RunQueue::default();
        for first in [0, 1, 48, 49, 500] {
            let mut job = || QueuedJob {
                procs: random.random_range(1..200),
                planned: random.random_range(1..200),
                run: 1,
                rank: f64::from(random.random_range(0..50)),
            };
            let mut jobs: Vec<QueuedJob> = (0..first).map(|_| job()).collect();
            jobs.sort_by(|one, other| other.rank.total_cmp(&one.rank));
            let mut list: Vec<u32> = (0..first).collect();
            queue.set(&list, &jobs);
            let (mut most, mut found) = (0, 0);
            for step in 0..3_000 {
                // It grows, and then it is emptied.
                let joins = if step < 1_500 { 70 } else { 30 };
                let mut draw = |below: i64| random.random_range(0..below);
                if draw(100) < joins {
                    let (procs, planned, rank) = (1 + draw(200) as u32, 1 + draw(200), draw(50) as f64);
                    let (number, new) = (jobs.len() as u32, QueuedJob { procs, planned, run: 1, rank });
                    jobs.push(new);
                    let place = list.partition_point(|&other| jobs[other as usize].rank >= rank);
                    list.insert(place, number);
                    let at = queue.join(number, &new, |other| jobs[other as usize].rank >= rank);
                    assert_eq!((queue.number(at), at.is_head()), (number, place == 0));
                } else {
                    let room = BehindRoom { free: draw(200), seconds: draw(200), extra: draw(50) };
                    let starts = |number: &u32| {
                        let QueuedJob { procs, planned, .. } = jobs[*number as usize];
                        i64::from(procs) <= room.free
                            && (planned <= room.seconds || i64::from(procs) <= room.extra)
                    };
                    let expected = list.iter().skip(1).position(starts).map(|place| place + 1);
                    let at = queue.next_to_start(QueueSpot::BEHIND_HEAD, room);
                    assert_eq!(at.map(|at| queue.number(at)), expected.map(|place| list[place]));
                    let fits = |number: &u32| i64::from(jobs[*number as usize].procs) <= room.free;
                    assert_eq!(queue.has_behind(room.free), list.iter().skip(1).any(fits));
                    if let (Some(at), Some(place)) = (at, expected) {
                        list.remove(place);
                        let behind = queue.remove(at);
                        let any = BehindRoom { free: 200, seconds: 200, extra: 200 };
                        let next = queue.next_to_start(behind, any).map(|at| queue.number(at));
                        assert_eq!(next, list.get(place).copied());
                        found += 1;
                    } else if let Some(head) = queue.head() {
                        queue.remove(QueueSpot::HEAD);
                        assert_eq!(list.remove(0), head);
                    }
                }
                most = most.max(list.len());
                assert_eq!(queue.head(), list.first().copied());
            }
            assert!(most > 500 && found > 500, "control: {most} {found}");
        }
    }

    #[test]
    fn very_large_numbers_are_never_passed_over() {
        let job = |procs, planned| QueuedJob { procs, planned, run: 1, rank: 0.0 };
        let jobs = [job(1, 1), job(u32::MAX, i64::MAX), job(u32::MAX, 1)];
        let mut queue = RunQueue::default();
        queue.set(&[0, 1, 2], &jobs);
        let room = BehindRoom { free: i64::from(u32::MAX), seconds: 1, extra: 0 };
        assert_eq!(queue.next_to_start(QueueSpot::BEHIND_HEAD, room).map(|at| queue.number(at)), Some(2));
        let room = BehindRoom { seconds: i64::MAX, ..room };
        assert_eq!(queue.next_to_start(QueueSpot::BEHIND_HEAD, room).map(|at| queue.number(at)), Some(1));
        assert!(queue.has_behind(i64::from(u32::MAX)));
        assert!(!queue.has_behind(1_000));
    }
}
