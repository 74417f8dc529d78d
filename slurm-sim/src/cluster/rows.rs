//! Groups of Slurm parameters as tables: one row for each, with everything that is known of it.
//!
//! A table is a macro such as [`backfill_settings!`](crate::backfill_settings) that hands its rows to another macro: here to
//! [`settings_struct`], which makes the struct of the group out of them, and in the crate that reads texts to one that reads, writes and
//! changes the parameters by name. A row is
//!
//! ```text
//! /// What the parameter means, in one line.
//! field: Type = default, ["Key" = "example", FORM, Effect, "Other.Key"];
//! ```
//!
//! - the key is the name as Slurm spells it, after the setting that lists it where it is a word of a list:
//!   `SchedulerParameters.bf_interval`. `--set` takes the same key; a flag has an empty example.
//! - the form says how its text is read and written.
//! - the effect says whether simulations follow it: `Followed`, `Ignored` (it is read, and changes nothing yet) or `LeftOut` (it is
//!   named as not modelled wherever it is not the default).
//! - other keys are those of other versions, and abbreviations.
//!
//! A field without a key is not set by one parameter alone.

/// Makes the struct of a group, with its defaults, out of the rows of its table.
macro_rules! settings_struct {
    ([$($derive:ident)*] $(#[$about:meta])* $group:ident {
        $(#[doc = $meaning:literal] $(#[serde($($flat:tt)*)])? $field:ident: $type:ty = $default:expr $(, [$($row:tt)*])*;)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, $($derive),*)]
        pub struct $group {
            $(#[doc = $meaning] $(#[serde($($flat)*)])? pub $field: $type,)*
        }

        impl Default for $group {
            fn default() -> $group {
                $group { $($field: $default,)* }
            }
        }
    };
}

pub(super) use settings_struct;
