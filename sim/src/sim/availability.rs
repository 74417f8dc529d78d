//! Free processors over the future, for conservative backfilling: the same step function as [`super::profile`],
//! stored in blocks so that a change costs little however many steps there are.

use std::ops::ControlFlow;

use super::size_class::{CLASSES, classes_within};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AvailabilityStep {
    at: i64,
    /// Free processors, less what the whole block has gained.
    free: i64,
}

/// Steps a block holds before it is split.
const CAPACITY: usize = 64;

/// Neighbouring steps.
#[derive(Debug, Clone)]
struct StepBlock {
    /// Added to every step of the block.
    gained: i64,
    /// No step has fewer free processors, `gained` left out.
    fewest: i64,
    /// No step has more.
    most: i64,
    /// Changes since these bounds were exact.
    changes: u32,
    steps: Vec<AvailabilityStep>,
}

/// How many changes make it worth while to measure the bounds of a block again.
const WORTH_MEASURING: u32 = 16;

impl StepBlock {
    fn of(gained: i64, steps: Vec<AvailabilityStep>) -> StepBlock {
        let mut block = StepBlock { gained, fewest: 0, most: 0, changes: 0, steps };
        block.measure();
        block
    }

    fn measure(&mut self) {
        let bounds = self.steps.iter().map(|step| step.free);
        (self.fewest, self.most) =
            bounds.fold((i64::MAX, i64::MIN), |(low, high), free| (low.min(free), high.max(free)));
        self.changes = 0;
    }

    fn add(&mut self, from: usize, to: usize, procs: i64) {
        self.steps[from..to].iter_mut().for_each(|step| step.free += procs);
        self.changes += 1;
        if self.changes > WORTH_MEASURING {
            self.measure();
        } else if procs < 0 {
            self.fewest += procs;
        } else {
            self.most += procs;
        }
    }
}

/// A length of time as summaries hold it: at most what 32 bits hold.
pub(super) fn seconds(length: i64) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

/// Where a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepPlace {
    block: usize,
    step: usize,
}

/// Free processors from now on, as steps; the last one lasts for ever. No block is empty.
#[derive(Debug, Clone)]
pub(super) struct Availability {
    blocks: Vec<StepBlock>,
}

/// Which starts a search may find.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartRange {
    /// The first start considered.
    pub from: i64,
    /// Starts from here on are not considered.
    pub before: i64,
    /// Where the job's present reservation begins: it needs no other room from there on. [`i64::MAX`] for a job
    /// without a reservation.
    pub own: i64,
}

/// What an interval of time offers: see [`Availability::offer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FreeTime {
    /// The first step.
    pub place: StepPlace,
    /// Most processors free at one instant of the interval.
    pub most: i64,
    /// For each size class, the longest time for which its smallest size is free without a break, if some of that
    /// time lies in the interval; at most what 32 bits hold.
    pub longest: [i32; CLASSES],
}

impl Availability {
    /// `free` processors from `now` on, for ever.
    pub fn new(now: i64, free: i64) -> Availability {
        Availability { blocks: vec![StepBlock::of(0, vec![AvailabilityStep { at: now, free }])] }
    }

    /// From steps, each with its begin and its free processors, of which there is at least one.
    pub fn of(steps: impl Iterator<Item = (i64, i64)>) -> Availability {
        let steps: Vec<AvailabilityStep> = steps.map(|(at, free)| AvailabilityStep { at, free }).collect();
        let blocks = steps.chunks(CAPACITY / 2).map(|steps| StepBlock::of(0, steps.to_vec())).collect();
        Availability { blocks }
    }

    /// The steps, each with its begin and its free processors.
    pub fn steps(&self) -> impl Iterator<Item = (i64, i64)> {
        self.blocks
            .iter()
            .flat_map(|block| block.steps.iter().map(|step| (step.at, step.free + block.gained)))
    }

    /// Drops what is before `now`.
    pub fn advance(&mut self, now: i64) {
        let passed = self.blocks.partition_point(|block| block.steps[0].at <= now).saturating_sub(1);
        if passed > 0 {
            self.blocks.drain(..passed);
        }
        let steps = &mut self.blocks[0].steps;
        let passed = steps.partition_point(|step| step.at <= now);
        if passed > 1 {
            steps.drain(..passed - 1);
        }
        steps[0].at = steps[0].at.max(now);
    }

    /// The place of the step in force at an instant; the first one for instants before all.
    fn locate(&self, at: i64) -> StepPlace {
        let block = self.blocks.partition_point(|block| block.steps[0].at <= at).saturating_sub(1);
        let step = self.blocks[block].steps.partition_point(|step| step.at <= at).saturating_sub(1);
        StepPlace { block, step }
    }

    fn free(&self, place: StepPlace) -> i64 {
        let block = &self.blocks[place.block];
        block.steps[place.step].free + block.gained
    }

    /// The steps after a place, each with its begin and its free processors.
    fn steps_after(&self, StepPlace { block, step }: StepPlace) -> impl Iterator<Item = (i64, i64)> {
        let mut skip = step + 1;
        self.blocks[block..].iter().flat_map(move |block| {
            let steps = &block.steps[std::mem::take(&mut skip)..];
            steps.iter().map(|step| (step.at, step.free + block.gained))
        })
    }

    /// The steps in force from an instant on, each with its begin and its free processors.
    fn steps_from(&self, at: i64) -> impl Iterator<Item = (i64, i64)> {
        let place = self.locate(at);
        let first = (self.blocks[place.block].steps[place.step].at, self.free(place));
        std::iter::once(first).chain(self.steps_after(place))
    }

    /// The earliest start of a search at which `procs` processors are free for `length`, the job's own reservation
    /// left out. `None` if there is none.
    pub fn earliest(&self, search: StartRange, procs: i64, length: i64) -> Option<i64> {
        let StartRange { from, before, own } = search;
        let StepPlace { block: first, step: mut skip } = self.locate(from);
        // When enough processors became free, and when they will have been so for long enough: where the own
        // reservation begins, its processors are free for all of the length.
        let mut run = None::<(i64, i64)>;
        let begin_run = |at: i64| {
            let begin = at.max(from);
            (begin < before).then(|| (begin, own.min(begin.saturating_add(length))))
        };
        let many = self.blocks.len() > 1;
        for (place, block) in self.blocks.iter().enumerate().skip(first) {
            let steps = &block.steps[std::mem::take(&mut skip)..];
            let wanted = procs - block.gained;
            let next_block = self.next_block(place);
            if many && block.fewest >= wanted {
                let (begin, enough) = run.or_else(|| begin_run(steps[0].at))?;
                if next_block >= enough {
                    return Some(begin);
                }
                run = Some((begin, enough));
                continue;
            }
            let mut rest = if many && block.most < wanted { &[] } else { steps };
            if rest.is_empty() {
                run = None;
            }
            while let Some(step) = rest.first() {
                let Some((begin, enough)) = run else {
                    // Skip what is too little.
                    let Some(found) = rest.iter().position(|step| step.free >= wanted) else { break };
                    rest = &rest[found..];
                    run = Some(begin_run(rest[0].at)?);
                    continue;
                };
                if step.free < wanted {
                    run = None;
                    continue;
                }
                rest = &rest[1..];
                if rest.first().map_or(next_block, |next| next.at) >= enough {
                    return Some(begin);
                }
            }
            if run.is_none() && next_block >= before {
                return None;
            }
        }
        run.map(|(begin, _)| begin)
    }

    /// Whether `procs` processors are free in an interval.
    pub fn fits(&self, from: i64, to: i64, procs: i64) -> bool {
        self.steps_from(from).take_while(|&(at, _)| at < to).all(|(_, free)| free >= procs)
    }

    /// From the first to the last instant of an interval at which fewer than no processors are free.
    pub fn overbooked(&self, from: i64, to: i64) -> Option<(i64, i64)> {
        let mut found = None::<(i64, i64)>;
        let mut negative_since = None::<i64>;
        for (at, free) in self.steps_from(from) {
            if let Some(since) = negative_since.take() {
                found = Some((found.map_or(since, |(first, _)| first), at.min(to)));
            }
            if at >= to {
                return found;
            }
            negative_since = (free < 0).then_some(at.max(from));
        }
        if let Some(since) = negative_since {
            found = Some((found.map_or(since, |(first, _)| first), to));
        }
        found
    }

    /// What an interval offers: see [`FreeTime`]. No job of a class is longer than `longest` says; of a time as long as that
    /// or longer, it is only said that it is.
    pub fn offer(&self, from: i64, to: i64, longest: &[i32; CLASSES]) -> FreeTime {
        let place = self.locate(from);
        let mut runs = [0_i32; CLASSES];
        // Since when each of the first `open` classes has been free.
        let mut since = [0; CLASSES];
        let mut most = self.free(place);
        let mut open = classes_within(most);
        self.extend_back(place, from, longest, &mut since[..open]);
        // From the end of the interval on, nothing that begins counts: go on until what is open ends or is long enough.
        let mut enough = None::<i64>;
        let _: ControlFlow<()> = self.steps_after(place).try_for_each(|(at, free)| {
            let mut within = classes_within(free);
            if at < to {
                most = most.max(free);
            } else {
                let enough = *enough.get_or_insert_with(|| {
                    let needed = since[..open].iter().zip(longest);
                    needed
                        .map(|(since, &long)| since.saturating_add(i64::from(long)))
                        .max()
                        .unwrap_or(i64::MIN)
                });
                if open == 0 || at >= enough {
                    return ControlFlow::Break(());
                }
                within = within.min(open);
            }
            if within < open {
                for (run, since) in runs[within..open].iter_mut().zip(&since[within..open]) {
                    *run = (*run).max(seconds(at - since));
                }
            } else if within > open {
                since[open..within].fill(at);
            }
            open = within;
            ControlFlow::Continue(())
        });
        runs[..open].fill(i32::MAX);
        FreeTime { place, most, longest: runs }
    }

    /// Since when each of some classes, which are free at a step, has been free, as far back as matters.
    fn extend_back(&self, place: StepPlace, from: i64, longest: &[i32; CLASSES], since: &mut [i64]) {
        let mut open = since.len();
        let enough = from - i64::from(longest[..open].iter().copied().max().unwrap_or(0));
        let mut begin = self.blocks[place.block].steps[place.step].at;
        let mut upto = place.step;
        for block in self.blocks[..=place.block].iter().rev() {
            let upto = std::mem::replace(&mut upto, usize::MAX).min(block.steps.len());
            for step in block.steps[..upto].iter().rev() {
                if open == 0 || begin <= enough {
                    since[..open].fill(begin);
                    return;
                }
                let within = classes_within(step.free + block.gained);
                if within < open {
                    since[within..open].fill(begin);
                    open = within;
                }
                begin = step.at;
            }
        }
        since[..open].fill(begin);
    }

    /// Since when `procs` processors have been free without a break until an instant; `None` if they are not free
    /// right before it.
    pub fn free_since(&self, until: i64, procs: i64) -> Option<i64> {
        let place = self.locate(until - 1);
        let mut since = None;
        let mut upto = place.step + 1;
        for block in self.blocks[..=place.block].iter().rev() {
            let upto = std::mem::replace(&mut upto, usize::MAX).min(block.steps.len());
            for step in block.steps[..upto].iter().rev() {
                if step.free + block.gained < procs {
                    return since;
                }
                since = Some(step.at);
            }
        }
        since
    }

    /// Changes the free processors of an interval.
    pub fn add(&mut self, from: i64, to: i64, procs: i64) {
        if from >= to {
            return;
        }
        let first = self.cut(from, None);
        let past = self.cut(to, Some(first));
        if first.block == past.block {
            self.blocks[first.block].add(first.step, past.step, procs);
        } else {
            let length = self.blocks[first.block].steps.len();
            self.blocks[first.block].add(first.step, length, procs);
            self.blocks[first.block + 1..past.block].iter_mut().for_each(|block| block.gained += procs);
            self.blocks[past.block].add(0, past.step, procs);
        }
        self.join(past);
        self.join(first);
    }

    /// The place of the step that begins at an instant, made if there is none. With `first`, an earlier step, that
    /// one keeps its place.
    fn cut(&mut self, at: i64, first: Option<StepPlace>) -> StepPlace {
        let mut place = match first {
            Some(StepPlace { block, step }) if self.next_block(block) > at => {
                let later = &self.blocks[block].steps[step..];
                StepPlace { block, step: step + later.partition_point(|step| step.at <= at) - 1 }
            }
            _ => self.locate(at),
        };
        let found = self.blocks[place.block].steps[place.step];
        if found.at >= at {
            return place;
        }
        // Room for two, so that the second cut need not split the block of the first.
        if self.blocks[place.block].steps.len() + 2 > CAPACITY
            && first.is_none_or(|first| first.block < place.block)
        {
            let upper = self.blocks[place.block].steps.split_off(CAPACITY / 2);
            let gained = self.blocks[place.block].gained;
            self.blocks[place.block].measure();
            self.blocks.insert(place.block + 1, StepBlock::of(gained, upper));
            if place.step >= CAPACITY / 2 {
                place = StepPlace { block: place.block + 1, step: place.step - CAPACITY / 2 };
            }
        }
        place.step += 1;
        self.blocks[place.block].steps.insert(place.step, AvailabilityStep { at, free: found.free });
        place
    }

    /// When the block after this one begins.
    fn next_block(&self, block: usize) -> i64 {
        self.blocks.get(block + 1).map_or(i64::MAX, |next| next.steps[0].at)
    }

    /// Removes a step if it says the same as the one before.
    fn join(&mut self, place: StepPlace) {
        let StepPlace { block, step } = place;
        let before = match (block, step) {
            (0, 0) => return,
            (_, 0) => StepPlace { block: block - 1, step: self.blocks[block - 1].steps.len() - 1 },
            _ => StepPlace { block, step: step - 1 },
        };
        let free = |place: StepPlace| {
            self.blocks[place.block].steps[place.step].free + self.blocks[place.block].gained
        };
        if free(before) != free(place) {
            return;
        }
        self.blocks[block].steps.remove(step);
        if self.blocks[block].steps.is_empty() {
            self.blocks.remove(block);
        }
    }

    /// A reader of free processors at later and later instants, from a step on.
    pub fn reader(&self, StepPlace { block, step }: StepPlace) -> Reader<'_> {
        Reader { availability: self, block, step }
    }
}

/// Reads free processors at later and later instants.
pub(super) struct Reader<'a> {
    availability: &'a Availability,
    block: usize,
    step: usize,
}

impl Reader<'_> {
    /// Processors free at an instant, not before the last one asked for.
    pub fn free_at(&mut self, at: i64) -> i64 {
        while self.availability.next_block(self.block) <= at {
            (self.block, self.step) = (self.block + 1, 0);
        }
        let block = &self.availability.blocks[self.block];
        while block.steps.get(self.step + 1).is_some_and(|next| next.at <= at) {
            self.step += 1;
        }
        block.steps[self.step].free + block.gained
    }
}

#[cfg(test)]
mod tests;
