//! One parameter of Slurm by name: how its text is read into the types, and how its value is told.

use super::notes::{KeyValue, Notes};

/// One parameter of Slurm: a setting, a word of a setting that is a list, or a key of a partition, node, QOS or association. `T` is what it
/// is a parameter of.
pub(super) struct Setting<T> {
    /// As Slurm spells it; of a word of a list, after the list: `SchedulerParameters.bf_interval`.
    pub key: &'static str,
    /// Keys of other versions, and abbreviations.
    pub also: &'static [&'static str],
    /// A value that it could have; empty for a flag.
    pub example: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Whether simulations follow it.
    pub effect: SettingEffect,
    /// Reads its text into its place.
    pub set: fn(&mut T, &KeyValue, &mut Notes),
    /// Its value. It is borrowed for change since one function finds the place for both.
    pub tell: fn(&mut T) -> String,
}

/// Whether simulations follow a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingEffect {
    /// They do.
    Followed,
    /// It is read, and changes nothing yet.
    Ignored,
    /// It is named as not modelled wherever it is not the default.
    LeftOut,
}

impl<T> Setting<T> {
    /// Its name without the list.
    pub fn name(&self) -> &'static str {
        self.key.rsplit('.').next().unwrap_or(self.key)
    }

    /// The key, of this parameter, that is meant: in any case, and without the list if none is named.
    pub fn key_like(&self, key: &str) -> Option<&'static str> {
        let keys = std::iter::once(&self.key).chain(self.also);
        let is_meant = |own: &&&'static str| {
            let bare = own.rsplit('.').next().unwrap_or(own);
            own.eq_ignore_ascii_case(key) || bare.eq_ignore_ascii_case(key)
        };
        keys.copied().find(|own| is_meant(&own))
    }
}

/// The values in which two of a kind differ: name, value of the first, value of the other, in the order of the table.
pub(super) fn differences<'s, T: Clone + 'static>(
    settings: impl Iterator<Item = &'s Setting<T>>,
    one: &T,
    other: &T,
) -> Vec<(&'static str, String, String)> {
    let (mut one, mut other) = (one.clone(), other.clone());
    let told = settings.map(|row| (row.name(), (row.tell)(&mut one), (row.tell)(&mut other)));
    told.filter(|(_, value, other)| value != other).collect()
}

/// How the text of a parameter is read and its value told.
pub(super) struct ValueForm<V: 'static> {
    pub read: ValueReader<V>,
    pub tell: fn(&V) -> String,
}

/// How a text is read.
pub(super) enum ValueReader<V: 'static> {
    /// As one value; the text says what is expected.
    Value(fn(&str) -> Option<V>, &'static str),
    /// In parts, of which some may be not modelled.
    Parts(fn(&mut V, &KeyValue, &mut Notes)),
}

impl<V> ValueForm<V> {
    /// Reads a text into its place.
    pub fn set(&self, place: &mut V, pair: &KeyValue, notes: &mut Notes) {
        match self.read {
            ValueReader::Value(read, expected) => notes.take(place, read(pair.value.trim()), pair, expected),
            ValueReader::Parts(read) => read(place, pair, notes),
        }
    }
}

/// A row for a place in `T`.
macro_rules! row {
    ($of:ty, |$one:ident| $place:expr, $meaning:literal, [$key:literal = $example:literal, $form:ident, $effect:ident $(, $also:literal)*]) => {
        Setting::<$of> {
            key: $key,
            also: &[$($also),*],
            example: $example,
            meaning: $meaning,
            effect: SettingEffect::$effect,
            set: |$one: &mut $of, pair: &KeyValue, notes: &mut Notes| $form.set(&mut $place, pair, notes),
            tell: |$one: &mut $of| ($form.tell)(&$place),
        }
    };
}

/// The rows of a table of `cluster`, within `T` at the place that a function finds.
macro_rules! rows {
    ([$of:ty, $find:ident] $(#[$about:meta])* $group:ident {
        $(#[doc = $meaning:literal] $(#[serde($($flat:tt)*)])? $field:ident: $type:ty = $default:expr $(, $row:tt)*;)*
    }) => {
        &[$($(row!($of, |one| $find(one).$field, $meaning, $row),)*)*]
    };
}

pub(super) use {row, rows};
