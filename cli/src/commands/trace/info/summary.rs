//! The portrait in a dozen lines.

use queuecast::portrait::{Accuracy, Disparity, Flurries, Owners, Portrait, Repeats, SittingHabits};
use queuecast::report::{Cell, Column, Page, Table, duration};

use super::{Described, counted, percent, user};

/// How many of the most popular estimates are named.
const NAMED: usize = 4;

/// What people ask for and what they do, in one line each.
pub fn table(described: &Described) -> Table {
    let mut facts: Vec<(Column, Cell)> = Vec::new();
    let mut say = |name: &str, words: String| facts.push((Column::text(name), Cell::text(words)));
    let Some(portrait) = &described.portrait else {
        say("jobs", "none: nothing is left of these records after cleaning".to_owned());
        return Table::facts(facts).titled("Estimates and habits");
    };
    match &portrait.estimates {
        None => say("estimates", "unknown: no job asks for a time".to_owned()),
        Some(estimates) => {
            say("estimates", values(estimates, portrait));
            say("most popular", popular(estimates));
            let longest = duration::human(estimates.longest);
            say("longest", format!("{longest}, asked for by {}", percent(estimates.longest_share)));
            say("whole minutes", percent(estimates.whole_minutes));
        }
    }
    if let Some(one) = &portrait.accuracy {
        say("accuracy", accuracy(one));
    }
    match &portrait.owners {
        None if portrait.estimates.is_some() => {
            say("estimates per user", "unknown: no user is known".to_owned());
        }
        None => {}
        Some(owners) => {
            let one = &owners.estimates_per_user;
            say("estimates per user", format!("median {}, at most {}", one.median, one.max));
            say("used by one user only", owned(owners));
        }
    }
    match &portrait.sittings {
        None => say("sittings", "unknown: no user is known".to_owned()),
        Some(one) => {
            say("sittings", sittings(one));
            say("next job of a sitting", alike(&one.within));
        }
    }
    say("flurries", flurries(portrait));
    Table::facts(facts).titled(title(described, portrait))
}

fn title(described: &Described, portrait: &Portrait) -> String {
    let removed = described.cleaning.as_ref().filter(|report| report.removed > 0);
    let of = removed.map_or_else(String::new, |report| {
        format!(" that ruleset {} leaves of {} records", report.ruleset, counted(report.lines))
    });
    format!("Estimates and habits of {} jobs{of}", counted(portrait.jobs))
}

fn values(estimates: &Disparity, portrait: &Portrait) -> String {
    let some = if estimates.jobs < portrait.jobs {
        format!(" in {} of the jobs", percent(estimates.jobs as f64 / portrait.jobs as f64))
    } else {
        String::new()
    };
    let ratio = (estimates.joint_ratio * 100.0).round();
    let head = estimates.head().len();
    format!(
        "{} values{some}; {head} cover {}; joint ratio {}/{ratio}",
        counted(estimates.values as u64),
        percent(estimates.head_share),
        100.0 - ratio
    )
}

fn popular(estimates: &Disparity) -> String {
    let named = estimates.modes.iter().take(NAMED);
    let named: Vec<String> =
        named.map(|mode| format!("{} {}", duration::human(mode.time), percent(mode.share))).collect();
    named.join(", ")
}

fn accuracy(accuracy: &Accuracy) -> String {
    let all = accuracy.jobs as f64;
    let limit = percent((accuracy.reached + accuracy.exceeded) as f64 / all);
    format!("{} of an estimate is used on average; {limit} ran to it or past it", percent(accuracy.mean))
}

fn owned(owners: &Owners) -> String {
    let values = format!("{} values ({})", counted(owners.owned), percent(owners.owned_share));
    match owners.owners.first() {
        None => "no value".to_owned(),
        Some(most) => format!(
            "{values}, by {} users; most by {}: {} ({})",
            counted(owners.owners.len() as u64),
            user(most.user, most.name.as_ref()),
            counted(most.modes),
            percent(most.share)
        ),
    }
}

fn sittings(one: &SittingHabits) -> String {
    let jobs = Cell::number(one.jobs_per_sitting.mean, 1).shown(&Page::default());
    format!(
        "{} by {} users, {jobs} jobs each, {} with one job (a pause of {} ends one)",
        counted(one.sittings),
        counted(one.users),
        percent(one.alone_share),
        duration::human(one.gap)
    )
}

/// How often the next job is like the last.
fn alike(repeats: &Repeats) -> String {
    let known = [
        ("estimate", repeats.estimate),
        ("processors", repeats.processors),
        ("executable", repeats.executable),
    ];
    let known: Vec<String> =
        known.into_iter().filter_map(|(what, share)| Some(format!("{what} {}", percent(share?)))).collect();
    if known.is_empty() { "there is none".to_owned() } else { format!("same {}", known.join(", same ")) }
}

fn flurries(portrait: &Portrait) -> String {
    let Some(Flurries { flurries, median_week, .. }) = &portrait.flurries else {
        return if portrait.with_user == 0 {
            "unknown: no user is known".to_owned()
        } else {
            format!("unknown: jobs arrive in fewer than {} weeks", Flurries::FEWEST_WEEKS)
        };
    };
    let usual = format!("a median week has {} jobs", counted(*median_week));
    let Some(most) = flurries.iter().max_by(|a, b| a.times_median.total_cmp(&b.times_median)) else {
        return format!("none ({usual})");
    };
    format!(
        "{}; greatest by {}: {} jobs in {}, {} of all ({usual})",
        counted(flurries.len() as u64),
        user(most.user, most.name.as_ref()),
        counted(most.jobs),
        if most.weeks == 1 { "a week".to_owned() } else { format!("{} weeks", most.weeks) },
        percent(most.share)
    )
}
