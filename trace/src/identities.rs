//! Identities whose numbers do not fit into 32 bits: users, groups, executables, queues and partitions.
//!
//! Jobs hold 32-bit numbers. A column in which every number fits keeps its numbers; any other column is numbered from 1 in
//! the order of first appearance among the jobs, and the numbers of the log become names.

use std::collections::{BTreeMap, HashMap};

use super::record::{Field, Record};
use super::store::{Store, renumber};
use queuecast_core::order;
use queuecast_core::workload::{Names, Withdrawn};

/// The columns that hold identities in the Standard Workload Format.
pub(super) const COLUMNS: [Field; 5] =
    [Field::User, Field::Group, Field::Executable, Field::Queue, Field::Partition];

/// From this number on, a number is replaced by a code while a log is read: whether the column keeps its numbers is not
/// known before its end.
const CODED: i64 = 1 << 31;

/// The first number that a job cannot hold; the last 32-bit number stands for "unknown".
const BEYOND: i64 = u32::MAX as i64;

/// The first column of a record whose number does not fit into 32 bits, and that number.
pub(super) fn beyond(record: &Record) -> Option<(Field, i64)> {
    let Record { user, group, executable, queue, partition, .. } = *record;
    if user.max(group).max(executable).max(queue).max(partition) < BEYOND {
        return None;
    }
    COLUMNS.into_iter().find_map(|field| Some((field, record.known(field)?)).filter(|(_, at)| *at >= BEYOND))
}

/// The large numbers of each column, in the order of appearance.
#[derive(Debug, Default)]
pub(super) struct Identities {
    columns: [LargeNumbers; COLUMNS.len()],
}

/// A column's numbers from [`CODED`] on.
#[derive(Debug, Default)]
struct LargeNumbers {
    /// The numbers in the order of appearance: the code of the first is [`CODED`], and so on.
    numbers: Vec<i64>,
    // Looked up by number, never iterated, so its order has no effect.
    codes: HashMap<i64, i64>,
    renumbered: bool,
}

impl LargeNumbers {
    fn code(&mut self, number: i64) -> i64 {
        self.renumbered |= number >= BEYOND;
        *self.codes.entry(number).or_insert_with(|| {
            self.numbers.push(number);
            CODED + self.numbers.len() as i64 - 1
        })
    }

    /// The number behind a code, or behind a number that was not coded.
    fn number(&self, code: u32) -> i64 {
        let place = usize::try_from(i64::from(code) - CODED).ok();
        place.and_then(|place| self.numbers.get(place).copied()).unwrap_or(i64::from(code))
    }
}

impl Identities {
    /// Replaces large numbers of a record that becomes a job by codes that fit into 32 bits.
    pub fn encode(&mut self, record: &mut Record) {
        let Record { user, group, executable, queue, partition, .. } = record;
        for (column, value) in self.columns.iter_mut().zip([user, group, executable, queue, partition]) {
            if *value >= CODED {
                *value = column.code(*value);
            }
        }
    }

    /// Replaces the codes once all records are read, by the log's numbers or by the order of appearance.
    pub fn decode<K: Store>(self, kept: &mut K, withdrawn: &mut [Withdrawn], names: &mut Names) {
        for (field, column) in COLUMNS.into_iter().zip(self.columns) {
            if column.numbers.is_empty() {
                continue;
            }
            if !column.renumbered {
                let own = &mut |code| column.number(code) as u32;
                each(kept, withdrawn, field, own);
                continue;
            }
            let mut order = HashMap::new();
            let mut originals = Vec::new();
            let by_appearance = &mut |code| {
                *order.entry(code).or_insert_with(|| {
                    originals.push(column.number(code));
                    originals.len() as u32
                })
            };
            each(kept, withdrawn, field, by_appearance);
            let names = table(names, field);
            let name = |original: i64| {
                let known = u32::try_from(original).ok().and_then(|number| names.get(&number));
                known.cloned().unwrap_or_else(|| original.to_string())
            };
            *names = order::map_of((1..).zip(originals.into_iter().map(name)));
        }
    }
}

/// Replaces a column's number in all jobs, in the order of the log.
fn each<K: Store>(
    kept: &mut K,
    withdrawn: &mut [Withdrawn],
    field: Field,
    number: &mut dyn FnMut(u32) -> u32,
) {
    let mut withdrawn = withdrawn.iter_mut().peekable();
    for at in 0..kept.len() {
        while let Some(before) = withdrawn.next_if(|one| one.job.index.at() <= at) {
            renumber(&mut before.job, field, number);
        }
        kept.renumber(at, field, number);
    }
    withdrawn.for_each(|after| renumber(&mut after.job, field, number));
}

fn table(names: &mut Names, field: Field) -> &mut BTreeMap<u32, String> {
    match field {
        Field::Group => &mut names.groups,
        Field::Executable => &mut names.executables,
        Field::Queue => &mut names.queues,
        Field::Partition => &mut names.partitions,
        _ => &mut names.users,
    }
}
