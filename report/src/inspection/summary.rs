//! The portrait in a dozen lines.

use super::described::{DescribedLog, user};
use crate::words::{number_of, percent, whole};
use crate::{Cell, Column, Table, duration};
use queuecast_core::number;
use queuecast_synth::characterization::{
    Accuracy, Characterization, Disparity, Flurries, Owners, Repeats, SessionStatistics,
};

/// How many of the most popular estimates are named.
const NAMED: usize = 4;

/// Estimates and habits of the users, one line each.
pub fn table(described: &DescribedLog) -> Table {
    let mut facts: Vec<(Column, Cell)> = Vec::new();
    let mut say = |name: &str, words: String| facts.push((Column::text(name), Cell::text(words)));
    let Some(portrait) = &described.portrait else {
        say("jobs", "none: nothing is left of these records after cleaning".to_owned());
        return Table::facts(facts).titled("Estimates and habits");
    };
    match &portrait.estimates {
        None => say("requested times", "unknown: no job asks for a time".to_owned()),
        Some(estimates) => {
            say("requested times", values(estimates));
            if estimates.jobs < portrait.jobs {
                say("without a requested time", jobs(portrait.jobs - estimates.jobs, portrait.jobs));
            }
            say("most popular", popular(estimates));
            let asking = (estimates.longest_share * estimates.jobs as f64).round() as u64;
            let longest = duration::human(estimates.longest);
            say("longest", format!("{longest}, by {}", jobs(asking, estimates.jobs)));
            say("whole minutes", format!("{} of the requested times", percent(estimates.whole_minutes)));
        }
    }
    if let Some(one) = &portrait.accuracy {
        say("accuracy", accuracy(one));
    }
    match &portrait.owners {
        None if portrait.estimates.is_some() => {
            say("requested times per user", "unknown: no user is known".to_owned());
        }
        None => {}
        Some(owners) => {
            let one = &owners.estimates_per_user;
            say("requested times per user", format!("median {}, at most {}", one.median, one.max));
            say("used by one user", owned(owners));
        }
    }
    match &portrait.sessions {
        None => say("sessions", "unknown: no user is known".to_owned()),
        Some(one) => {
            say("sessions", sessions(one));
            say("next job repeats", alike(&one.within));
        }
    }
    say("flurries", flurries(portrait));
    Table::facts(facts).titled(title(described, portrait))
}

fn title(described: &DescribedLog, portrait: &Characterization) -> String {
    let jobs = number_of(portrait.jobs, "job");
    match described.cleaning.as_ref().filter(|report| report.removed > 0) {
        None => format!("Estimates and habits: {jobs}"),
        Some(report) => {
            let records = number_of(report.lines, "record");
            format!("Estimates and habits: {jobs} of {records} (ruleset {})", report.ruleset)
        }
    }
}

fn jobs(count: u64, of: u64) -> String {
    format!("{} ({})", number_of(count, "job"), percent(count as f64 / of as f64))
}

fn values(estimates: &Disparity) -> String {
    let ratio = (estimates.joint_ratio * 100.0).round();
    format!(
        "{} different; {} cover {} of the jobs; joint ratio {}/{ratio}",
        whole(estimates.values),
        estimates.head().len(),
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
    let all = percent((accuracy.reached + accuracy.exceeded) as f64 / accuracy.jobs as f64);
    let (mean, peak) = (percent(accuracy.mean), percent(accuracy.peak_share));
    format!("mean {mean}; {peak} use at least 95%, {all} all or more")
}

fn owned(owners: &Owners) -> String {
    let values = format!("{} requested times ({})", whole(owners.owned), percent(owners.owned_share));
    match owners.owners.first() {
        None => "no requested time".to_owned(),
        Some(most) => format!(
            "{values} of {}; {} has {} ({})",
            number_of(owners.owners.len(), "user"),
            user(most.user, most.name.as_ref()),
            whole(most.modes),
            percent(most.share)
        ),
    }
}

fn sessions(one: &SessionStatistics) -> String {
    format!(
        "{} of {}; {} jobs each, {} with one only",
        whole(one.sessions),
        number_of(one.users, "user"),
        number::decimal(one.jobs_per_session.mean, 1),
        percent(one.alone_share)
    )
}

/// How often the next job is like the last.
fn alike(repeats: &Repeats) -> String {
    let known = [
        ("requested time", repeats.estimate),
        ("processors", repeats.processors),
        ("executable", repeats.executable),
    ];
    let known: Vec<String> =
        known.into_iter().filter_map(|(what, share)| Some(format!("{what} {}", percent(share?)))).collect();
    if known.is_empty() { "unknown: no session has two jobs".to_owned() } else { known.join(", ") }
}

fn flurries(portrait: &Characterization) -> String {
    let Some(Flurries { flurries, median_week, .. }) = &portrait.flurries else {
        return if portrait.with_user == 0 {
            "unknown: no user is known".to_owned()
        } else {
            format!("unknown: jobs arrive in fewer than {} weeks", Flurries::FEWEST_WEEKS)
        };
    };
    let usual = whole(*median_week);
    let Some(most) = flurries.iter().max_by(|a, b| a.times_median.total_cmp(&b.times_median)) else {
        return format!("none (median week: {})", number_of(*median_week, "job"));
    };
    let which = match flurries.len() {
        1 => "1".to_owned(),
        several => format!("{several}, the greatest"),
    };
    format!(
        "{which}: {}, {} jobs in {} (median {usual})",
        user(most.user, most.name.as_ref()),
        whole(most.jobs),
        if most.weeks == 1 { "a week".to_owned() } else { format!("{} weeks", most.weeks) }
    )
}
