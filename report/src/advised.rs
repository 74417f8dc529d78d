//! What to ask for, as text and rows.

use crate::chart::{RangeBar, RangeBars};
use crate::start::held;
use crate::words::{self, number_of, percent};
use crate::{Answer, Cell, Chart, Column, Document, Table, duration};
use queuecast_forecast::advice::{JobChange, JobOption, SoonestPlace, TimeSpread, is_accepted};
use queuecast_forecast::forecast::TOLD_APART;
use queuecast_place::{AdvisedAnswer, AdvisedJob, AdvisedPlaces};
use queuecast_sim::predict::mixture::OwnRuns;

impl Answer for AdvisedAnswer {
    fn document(&self) -> Document {
        match self {
            AdvisedAnswer::One(job) => document(job),
            AdvisedAnswer::Several(places) => by_place(places),
        }
    }

    fn table(&self) -> Table {
        match self {
            AdvisedAnswer::One(job) => rows([&**job]),
            AdvisedAnswer::Several(places) => rows(places.places()),
        }
    }
}

fn document(of: &AdvisedJob) -> Document {
    Document::new()
        .with_paragraph(advice(of))
        .with_table("options", options(of))
        .with_chart(chart(of))
        .with_paragraph(record(of))
        .with_paragraph(asked(of))
}

fn by_place(of: &AdvisedPlaces) -> Document {
    let soonest = of.soonest.map(|soonest| {
        let name = place(&of.places()[soonest.place]);
        let first = place(&of.places()[0]);
        match soonest {
            SoonestPlace { place: 0, too_close: false, .. } => match next(of) {
                Some((gain, next)) => format!(
                    "Done soonest, by even odds: in {name}, {} sooner than in {next}.",
                    duration::about(gain)
                ),
                None => format!("Done soonest, by even odds: in {name}."),
            },
            SoonestPlace { place: 0, .. } => {
                format!("Done soonest, by even odds: in {name}, but others are too close to call.")
            }
            SoonestPlace { too_close: true, .. } => {
                format!("Done soonest, by even odds: in {name}, but beside {first} it is too close to call.")
            }
            SoonestPlace { gain, .. } => format!(
                "Done soonest, by even odds: in {name}, {} sooner than in {first}.",
                duration::about(gain)
            ),
        }
    });
    let mut lines: Vec<String> = soonest.into_iter().collect();
    lines.extend(of.places().iter().map(|one| format!("{}: {}", place(one), advice(one))));
    lines.extend(of.refused.iter().cloned());
    let mut document = Document::new().with_paragraph(lines.join("\n\n"));
    for one in of.places() {
        document = document.with_table(format!("options {}", place(one)), options(one));
    }
    let records = of.places().iter().map(|one| format!("{}: {}", place(one), record(one)));
    document.with_paragraph(records.collect::<Vec<_>>().join("\n"))
}

/// How much later the job is done in the soonest of the other places than in the first, and its name.
fn next(of: &AdvisedPlaces) -> Option<(f64, &str)> {
    let done = |one: &AdvisedJob| one.plan.advised().done.median;
    let (first, others) = of.places().split_first()?;
    let next = others.iter().min_by(|one, other| done(one).total_cmp(&done(other)))?;
    Some((done(next) - done(first), place(next)))
}

fn range(time: &TimeSpread) -> String {
    words::range(time.low, time.high, words::wait)
}

/// One row for each option of each place.
fn rows<'a>(jobs: impl IntoIterator<Item = &'a AdvisedJob>) -> Table {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let options = jobs.into_iter().flat_map(|job| {
        let best = |at: usize| Some(at) == job.plan.best;
        job.plan.options.iter().enumerate().map(move |(at, option)| (job, option, best(at)))
    });
    let mut columns = ["source", "partition", "change"].map(Column::text).to_vec();
    columns.extend([Column::integer("procs"), Column::duration("limit"), Column::share("risk")]);
    let times =
        ["start", "start low", "start high", "done expected", "done", "done low", "done high", "gain"];
    columns.extend(times.map(Column::duration));
    columns.extend(["too close", "advised"].map(Column::text));
    let mut table = Table::new(columns);
    for (job, option, is_best) in options {
        let JobOption { start, done, .. } = option;
        let mut row: Vec<Cell> = vec![(&job.source).into(), job.partition.as_ref().into()];
        row.extend([
            changed(option).into(),
            option.procs.into(),
            option.limit.into(),
            Cell::share(option.risk),
        ]);
        let times = [start.median, start.low, start.high, done.expected, done.median, done.low, done.high];
        row.extend(times.into_iter().chain([option.gain]).map(Cell::duration));
        row.extend([yes(option.too_close), yes(is_best)].map(Cell::from));
        table.row(row);
    }
    table
}

/// What is changed, in a few words.
fn changed(option: &JobOption) -> String {
    match &option.change {
        JobChange::AsAsked => "as asked".to_owned(),
        JobChange::Limit | JobChange::LongerLimit => format!("limit {}", duration::human(option.limit)),
        JobChange::Queue(name) => format!("queue {name}"),
        JobChange::Size => number_of(option.procs.0, "processor"),
        JobChange::Later(later) => format!("{} later", duration::human(*later)),
    }
}

/// What to do, in plain words.
fn told(option: &JobOption) -> String {
    match &option.change {
        JobChange::AsAsked => "ask as you meant to".to_owned(),
        JobChange::Limit | JobChange::LongerLimit => format!("ask for {}", duration::human(option.limit)),
        JobChange::Queue(name) => format!("submit it to {name}"),
        JobChange::Size => format!("ask for {}", words::asked(option.procs, option.limit)),
        JobChange::Later(later) => format!("submit it {} from now", duration::human(*later)),
    }
}

fn verdict(option: &JobOption) -> String {
    match option.change {
        JobChange::AsAsked => String::new(),
        _ if option.too_close => "too close to call".to_owned(),
        _ if option.gain > 0.0 => format!("{} sooner", duration::about(option.gain)),
        _ => format!("{} later", duration::about(-option.gain)),
    }
}

/// The partition, else the log.
fn place(of: &AdvisedJob) -> &str {
    of.partition.as_ref().unwrap_or(&of.source)
}

fn options(of: &AdvisedJob) -> Table {
    let mut table = Table::of(
        &of.plan.options,
        [
            (Column::text("change").naming(), |one| changed(one).into()),
            (Column::text("limit").spare(4), |one| duration::human(one.limit).into()),
            (Column::share("risk of being stopped").key("risk"), |one| Cell::share(one.risk)),
            (Column::text("starts in, even odds").key("start"), |one| words::wait(one.start.median).into()),
            (Column::text("80 % range").key("start_range").spare(1), |one| range(&one.start).into()),
            (Column::text("done in, even odds").key("done").spare(2), |one| {
                words::wait(one.done.median).into()
            }),
            (Column::text("80 % range").key("done_range").spare(3), |one| range(&one.done).into()),
            (Column::text("done").key("verdict"), |one| verdict(one).into()),
        ],
    )
    .titled(match of.partition.is_some() || of.is_one_of_several {
        true => format!("What it could ask for in {}", place(of)),
        false => "What it could ask for".to_owned(),
    });
    table.note(format!(
        "the last column compares even odds; too close to call: neither is done sooner in {} of 10 cases",
        (TOLD_APART * 10.0).round()
    ));
    if of.plan.options.iter().any(|option| matches!(option.change, JobChange::Later(_))) {
        table.note("later: the job as asked, moved by as much as in simulations with the same run times and arrivals");
    }
    table
}

/// What was asked, of what, and what the answer stands on.
fn asked(of: &AdvisedJob) -> String {
    let date = of.moment.date.as_ref().map_or_else(String::new, |date| format!(" ({date})"));
    let moment = match (&of.partition, &of.moment.date) {
        (Some(_), Some(date)) => date.clone(),
        _ => format!("{} s{date}", of.moment.time),
    };
    let first = &of.plan.options[0];
    let place = of.partition.as_ref().map_or_else(String::new, |name| format!(", partition {name}"));
    [
        format!("Asked: {} at {moment}; {}{place}.", words::asked(first.procs, first.limit), of.source),
        format!(
            "It would run for {} by even odds, 80 % range {}.",
            words::wait(of.plan.run.median),
            range(&of.plan.run)
        ),
        stands_on(of),
        format!("Waits by {}, learned from {}.", of.plan.method, of.history),
    ]
    .into_iter()
    .filter(|line| !line.is_empty())
    .collect::<Vec<String>>()
    .join("\n")
}

/// What the run time stands on: the user's runs like this one, or the limit.
fn stands_on(of: &AdvisedJob) -> String {
    let Some(own) = &of.plan.own_runs else { return String::new() };
    let first = &of.plan.options[0];
    let last = format!("the last {} of this user", number_of(own.jobs, "run"));
    let size = number_of(first.procs.0, "processor");
    let limit = duration::human(first.limit);
    match own {
        OwnRuns { of_both: count @ 1.., .. } => {
            format!(
                "That is from {count} of {last}, on {size} with a limit of {limit}, and less from the others."
            )
        }
        OwnRuns { of_limit: count @ 1.., .. } => {
            format!(
                "That is from {count} of {last}, with a limit of {limit} but of other sizes, and less from the others."
            )
        }
        own if own.tell_of_another_limit() => format!(
            "None of {last} asked for {limit}: half of it is by how others use such a limit, half by these runs, longer or shorter by the square root of how the limit differs. They ran for {}, half of them for up to {}. If this is the same job, measure it: --runs {}=TIME.",
            words::range(own.p10.0 as f64, own.p90.0 as f64, words::wait),
            words::wait(own.median.0 as f64),
            first.procs
        ),
        _ => format!(
            "That is mostly by the limit: none of {last} asked for {limit}, {} had {size}. They ran for {}, half of them for up to {}. If this is the same job, measure it: --runs {}=TIME.",
            own.of_size,
            words::range(own.p10.0 as f64, own.p90.0 as f64, words::wait),
            words::wait(own.median.0 as f64),
            first.procs
        ),
    }
}

/// The advice in plain words.
fn advice(of: &AdvisedJob) -> String {
    let plan = &of.plan;
    let (first, best) = (&plan.options[0], plan.advised());
    let mut lines = Vec::new();
    lines.extend(of.doubt.as_ref().map(|doubt| format!("No reliable advice here: {doubt}.")));
    let (is_safe, limit) = (is_accepted(best.risk, of.risk), duration::human(first.limit));
    let risk = percent(first.risk);
    lines.push(match plan.best {
        None if plan.run.high > first.limit.0 as f64 => format!(
            "Ask for more time than any of these: it would run for up to {}, and the limit is {limit}.",
            duration::about(plan.run.high)
        ),
        None => format!(
            "Ask for more time: {risk} of such jobs run into the limit of {limit}, and no longer one is known there to lessen that."
        ),
        Some(0) => "No change helps for sure: ask as you meant to.".to_owned(),
        Some(_) if best.change == JobChange::LongerLimit => format!(
            "Ask for {}: {risk} of such jobs run into the limit of {limit}, {} into that{}.",
            duration::human(best.limit),
            percent(best.risk),
            match is_safe {
                true => String::new(),
                false => format!("; no limit known there keeps a risk of {}", percent(of.risk)),
            }
        ),
        Some(_) => {
            let sooner = first.start.median - best.start.median;
            let start = match sooner {
                sooner if sooner >= 60.0 => format!(", median start {} sooner", duration::about(sooner)),
                _ => String::new(),
            };
            let mut told = told(best);
            if let Some(letter) = told.get_mut(..1) {
                letter.make_ascii_uppercase();
            }
            format!(
                "{told}: done {} sooner{start}, {} risk of being stopped.",
                duration::about(best.gain),
                percent(best.risk)
            )
        }
    });
    let limit = &plan.limit;
    let advice = duration::human(limit.limit);
    lines.extend(if limit.is_bounded {
        None
    } else if limit.limit < first.limit {
        Some(format!(
            "A limit of {advice} is enough: at most {} risk ({} of the last {} with such limits would have been stopped).",
            percent(of.risk),
            percent(limit.risk),
            number_of(limit.tried.unwrap_or(0), "job")
        ))
    } else {
        Some(format!("No shorter limit is known to keep a risk of {}.", percent(of.risk)))
    });
    if !of.is_known {
        lines.push("Without --user the run time is that of any such job of the site.".to_owned());
    }
    lines.join("\n")
}

/// How often such ranges held, as `when` says it of the job that is advised.
fn record(of: &AdvisedJob) -> String {
    let plan = &of.plan;
    held(plan.record.as_ref(), plan.regime.as_ref()).unwrap_or_else(|| {
        let started = match plan.learned {
            0 => "No job has started so far".to_owned(),
            1 => "Only 1 job has started so far".to_owned(),
            count => format!("Only {count} jobs have started so far"),
        };
        format!("{started}: ranges are wide, and how often they hold is not known.")
    })
}

fn chart(of: &AdvisedJob) -> Chart {
    let range = |option: &JobOption| {
        let done = &option.done;
        RangeBar::of_time(changed(option), [done.low, done.median, done.high])
    };
    Chart::RangeBars(RangeBars::new(
        "Done in: 80 % range, with a tick at even odds",
        of.plan.options.iter().map(range),
    ))
}
