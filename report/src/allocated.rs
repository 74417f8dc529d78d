//! How many processors to ask for, as text and rows.

use crate::allocated_chart::plot;
use crate::allocated_record::record_table;
use crate::log::guess;
use crate::words::{number_of, percent, whole};
use crate::{Answer, Cell, Column, Document, Table, duration};
use queuecast_forecast::advice::{CalibrationSummary, Prospect, QueueForecast, Target, TimeRange};
use queuecast_place::{Allocated, AllocatedByPartition, AllocationAnswer, LivePast};
use queuecast_trace::MachineSource;
use queuecast_wait::{Calibration, RangeComparison};

/// More rows than this are too many to read.
const ROWS: usize = 16;

/// A start this likely at once is one.
const SURE: f64 = 0.9;

impl Answer for AllocationAnswer {
    fn document(&self) -> Document {
        match self {
            AllocationAnswer::One(one) => document(one),
            AllocationAnswer::Several(several) => by_partition(several),
        }
    }

    /// One row for each size.
    fn table(&self) -> Table {
        match self {
            AllocationAnswer::One(one) => rows(std::slice::from_ref(one)),
            AllocationAnswer::Several(several) => rows(&several.answers),
        }
    }
}

/// What to do, the sizes, the chart, and what it stands on.
fn document(result: &Allocated) -> Document {
    let shown = shown(result);
    let mut document =
        Document::new().with_paragraph(sentence(result)).with_table("sizes", sizes(result, &shown));
    if shown.len() > 1 {
        document = document.with_chart(plot(result, &shown, ""));
    }
    document = document.with_table("machine", machine(result));
    match &result.answer.record {
        Some(record) => document.with_table("record", record_table(record)),
        None => document,
    }
}

/// All sizes if they are few or were asked for by --between; else powers of two, the ends, and those that are spoken of.
fn shown(result: &Allocated) -> Vec<&Prospect> {
    let all = result.answer.advice.prospects();
    if result.answer.between.is_some() {
        return all.iter().collect();
    }
    let ends = [all.first(), all.last()].map(|end| end.map(|end| end.procs));
    let (advice, least) = (&result.answer.advice, result.answer.advice.least());
    let spoken = [advice.recommended().procs, advice.soonest().procs, least.procs];
    let kept = |one: &&Prospect| {
        all.len() <= ROWS
            || one.procs.0.is_power_of_two()
            || ends.contains(&Some(one.procs))
            || spoken.contains(&one.procs)
    };
    all.iter().filter(kept).collect()
}

fn machine(result: &Allocated) -> Table {
    let (state, settings) = (&result.answer.site, &result.answer.settings);
    let fact = |name: &str, value: String| (Column::text(name), Cell::text(value));
    let date = result.moment.date.as_ref().map_or_else(String::new, |date| format!(" ({date})"));
    let waiting = match state.waiting {
        0 => "no job".to_owned(),
        count => format!("{}, for {}", number_of(count, "job"), number_of(state.wanted, "processor")),
    };
    let outlook = settings.outlook().unwrap_or_default();
    let source = match (settings.by, &result.answer.forecast) {
        (_, Some(QueueForecast { method, inside: Some(_), .. })) => {
            format!("{method}, of the methods tried")
        }
        (_, Some(forecast)) => forecast.method.clone(),
        (Some(by), None) => format!("{by}, with outlook {outlook}"),
        (None, None) => format!(
            "{} under {}, with outlook {outlook}",
            number_of(settings.draws as usize, "simulation"),
            settings.policy
        ),
    };
    let corrected = match (&result.answer.calibration, &result.answer.forecast) {
        (Some(CalibrationSummary { jobs, slope }), _) => {
            let past = number_of(*jobs, "past job");
            fact("corrected by", format!("{past}; weight of the simulated queue {slope:.2}"))
        }
        (None, Some(QueueForecast { jobs, inside: Some(inside), .. })) => fact(
            "it was right",
            format!(
                "{} of the last {} started within such a range",
                percent(*inside),
                number_of(*jobs, "job")
            ),
        ),
        (None, Some(_)) => fact("it was right", "not known: too few jobs have started".to_owned()),
        (None, None) => fact("corrected by", "nothing".to_owned()),
    };
    let mut facts = vec![fact("log", result.source.clone())];
    facts.extend(result.partition.as_ref().map(|name| fact("partition", name.clone())));
    let limits = [
        result.answer.limits.most.map(|most| format!("at most {}", number_of(most.0, "processor"))),
        result.answer.limits.longest.map(|longest| format!("at most {}", duration::human(longest))),
    ];
    if result.partition.is_some() && limits.iter().any(Option::is_some) {
        facts.push(fact("a job may have", limits.into_iter().flatten().collect::<Vec<_>>().join(", ")));
    }
    facts.extend([
        fact("moment", format!("{} s{date}", result.moment.time)),
        fact("free", format!("{} of {}", whole(state.free.0), number_of(state.procs.0, "processor"))),
        fact("running", number_of(state.running, "job")),
        fact("waiting ahead", waiting),
        fact(
            "learned from",
            number_of(result.answer.forecast.as_ref().map_or(state.ended, |one| one.learned), "job"),
        ),
        fact("queue times", source),
        corrected,
    ]);
    let mut table = Table::facts(facts).titled("Machine");
    if let Some(guess) = guess(result.machine).or_else(|| result.history.and_then(guess)) {
        table.note(guess);
    }
    if result.partition.is_none() && result.machine.source == MachineSource::Sinfo {
        table.note(format!(
            "the machine is taken to have {}; --procs if the log is of another",
            result.machine
        ));
    }
    if let Some(load) = state.load.filter(|load| *load > 1.0) {
        table.note(format!(
            "an offered load of {}: the machine is larger, or the queue grows without bound (--procs)",
            percent(load)
        ));
    }
    if !result.answer.excluded.is_empty() {
        let sizes: Vec<String> = result.answer.excluded.iter().map(ToString::to_string).collect();
        table.note(format!(
            "not allowed there, for its size or its run time: {} processor{}",
            sizes.join(", "),
            if sizes == ["1"] { "" } else { "s" }
        ));
    }
    if result.partition.is_none() && state.partitions > 1 {
        table.note(format!(
            "the log has jobs of {} partitions; they are treated as one machine",
            state.partitions
        ));
    }
    if state.simulated {
        table.note(format!("the log does not say when jobs started; simulated under {}", settings.policy));
    }
    if state.ended == 0 && result.answer.forecast.is_none() {
        table.note("no job has ended yet, so run times are those of --predictor");
    }
    let most = settings.calibrate;
    let simulated = settings.by.is_none() && result.answer.forecast.is_none();
    if simulated && most > 0 && result.answer.calibration.is_none() {
        let few = if most < Calibration::FEWEST && most <= state.ended {
            format!(
                "asked about {} only: {} are needed to correct queue times",
                number_of(most, "past job"),
                Calibration::FEWEST
            )
        } else {
            format!("fewer than {} past jobs to learn from", Calibration::FEWEST)
        };
        table.note(format!("{few}; ranges are those of the simulations, and may hold far less than 80%"));
    }
    if state.withdrawn > 0 {
        table.note(format!(
            "{} so far left the queue without starting; until then they waited like all others",
            number_of(state.withdrawn, "job")
        ));
    }
    if state.excess.0 > 0 {
        table.note(format!(
            "{} more {} recorded as held than there are; the oldest jobs are taken to hold less",
            number_of(state.excess.0, "processor"),
            if state.excess.0 == 1 { "is" } else { "are" }
        ));
    }
    table
}

fn sizes(result: &Allocated, shown: &[&Prospect]) -> Table {
    let sampled = result.answer.settings.by.is_none();
    let uncertain = result.answer.give_or_take > 1.0;
    let mut columns = vec![
        Column::integer("processors"),
        Column::duration("queue time"),
        Column::text("80% range").spare(2),
    ];
    columns.push(Column::duration("run time"));
    if uncertain {
        columns.push(Column::text("80% range").spare(3));
    }
    columns.extend([Column::duration("turnaround"), Column::text("80% range")]);
    if sampled {
        columns.extend([Column::share("at once").spare(4), Column::share(best_named(result)).spare(1)]);
    }
    let mut table = Table::new(columns).titled("Sizes");
    for (place, prospect) in shown.iter().enumerate() {
        let mut row =
            vec![prospect.procs.into(), Cell::duration(prospect.queue.median), range(&prospect.queue)];
        row.push(Cell::duration(prospect.run.median));
        if uncertain {
            row.push(range(&prospect.run));
        }
        row.extend([Cell::duration(prospect.turnaround.median), range(&prospect.turnaround)]);
        if sampled {
            row.extend(
                [prospect.at_once, prospect.best].map(|share| share.map_or(Cell::Missing, Cell::share)),
            );
        }
        table.row(row);
        if result.is_recommended(prospect) {
            table.mark(place, 0);
        }
    }
    table.note(starred(result));
    if sampled && !result.is_plain() {
        table.note(match result.answer.target() {
            Target::Median => "done first: probability that this size is done before all others; the star counts a later start as a cost, too".to_owned(),
            target => format!("done first: probability that this size is done before all others; the star goes by {target} instead"),
        });
    }
    if let Some(RangeComparison { cases, score, usual_score }) =
        result.answer.ranges.filter(|_| result.answer.falls_back())
    {
        table.note(format!(
            "ranges of queue times are those of all past waits, whatever the size: on {} they were better than the predicted ones (interval score {} against {}); sizes are compared by the predicted ones",
            number_of(cases, "past job"),
            duration::about(usual_score),
            duration::about(score)
        ));
        table.note(
            "medians of queue times are corrected by the site's past (--check says how right they were)",
        );
    } else if let Some(forecast) = &result.answer.forecast {
        table.note(match forecast.inside {
            Some(inside) => format!(
                "ranges should hold eight times in ten; of the last {} so predicted {} started within theirs",
                number_of(forecast.jobs, "job"),
                percent(inside)
            ),
            None => {
                "ranges should hold eight times in ten; too few past jobs to say how often they do".to_owned()
            }
        });
    } else if result.answer.calibration.is_some() {
        table.note("queue times and their ranges are corrected by the site's past (--check says how right they were)");
    } else if sampled {
        table.note("ranges show the variation of run times only; later arrivals are not simulated (--check says how right they were)");
    }
    if let Some(between) = &result.answer.between {
        let measured: Vec<String> = between.measured.iter().map(ToString::to_string).collect();
        table.note(format!(
            "run times on other sizes than {} are by a fitted curve (parallelism {:.1}, variance {:.2}), which is at most {:.1}% off the measured ones",
            measured.join(", "),
            between.parallelism,
            between.variance,
            100.0 * between.deviation
        ));
    }
    let all = result.answer.advice.prospects().len();
    if shown.len() < all {
        table.note(format!("{} of {all} sizes are shown; --format csv has all", shown.len()));
    }
    if !result.answer.unknown.is_empty() {
        let unknown: Vec<String> = result.answer.unknown.iter().map(ToString::to_string).collect();
        let why = match result.answer.forecast {
            Some(_) => "it would never start there",
            None => "no running job holds as many",
        };
        table.note(format!("nothing is predicted of {}: {why}", unknown.join(", ")));
    }
    table
}

fn range(range: &TimeRange) -> Cell {
    match (range.low, range.high) {
        (Some(low), Some(high)) => Cell::text(between(low, high, "–")),
        _ => Cell::Missing,
    }
}

/// Two lengths as they are written, or one if they look the same.
fn between(low: f64, high: f64, word: &str) -> String {
    let [low, high] = [low, high].map(duration::about);
    if low == high { low } else { format!("{low} {word} {high}") }
}

/// By another target, or averse to waiting, the one most likely done first need not be the best.
fn best_named(result: &Allocated) -> &'static str {
    if result.is_plain() { "best" } else { "done first" }
}

/// What the star means, and what the times beside it are.
fn starred(result: &Allocated) -> String {
    let mut said = "* the size to ask for; times are medians".to_owned();
    if close_sizes(result).is_some() {
        let which = if is_smallest(result) { "smallest" } else { "soonest to start" };
        said += &format!("; the star is on the {which} of the sizes whose turnarounds cannot be told apart");
    }
    let (asked, target) = (result.answer.settings.preference.target, result.answer.target());
    if target != Target::Median {
        said += &format!("; the star is by {target}");
    } else if asked != target {
        said += &format!("; the star is by median too, for --formula does not know the {asked}");
    }
    if result.answer.settings.preference.averse > 0.0 {
        said += &format!(
            "; a later start must gain more than {} of the run time",
            result.answer.settings.preference.averse
        );
    }
    said
}

/// What to do, in one line.
fn sentence(result: &Allocated) -> String {
    let (best, soonest) = (result.answer.advice.recommended(), result.answer.advice.soonest());
    let processors = |count: u32| format!("{count} processor{}", if count == 1 { "" } else { "s" });
    let target = result.answer.target();
    let by = if target == Target::Median { String::new() } else { format!(", by {target}") };
    let doubt = result.answer.forecast.as_ref().and_then(|forecast| forecast.doubt.as_ref());
    let doubt = doubt.map_or_else(String::new, |doubt| format!("No reliable advice here: {doubt}.\n"));
    let mut first = format!("{doubt}Ask for {}{by}: {}", processors(best.procs.0), done(best, target));
    if let Some(sizes) = close_sizes(result) {
        let why = if is_smallest(result) { "the smallest" } else { "the one that starts soonest" };
        let told = match target {
            Target::P90 => " by p90, which is known to two hundredths of its level only",
            Target::Median | Target::Mean => "",
        };
        first += &format!("; {sizes} are too close to call{told}, and this is {why}");
    }
    if let Some(least) = result.passed_over() {
        let averse = result.answer.settings.preference.averse;
        let [later, sooner] = [best, least].map(|one| target.of(&one.turnaround));
        let gains = if later - sooner < averse * best.run.median { "less than" } else { "just" };
        return format!(
            "{first}; {} would be done sooner (about {}), but gains {gains} {averse} of the run time on {}.",
            least.procs,
            duration::about(sooner),
            best.procs
        );
    }
    if best.procs == soonest.procs {
        return format!("{first}; no size starts sooner.");
    }
    let at_once = soonest.at_once.map_or(soonest.queue.median == 0.0, |share| share >= SURE);
    let start = match at_once {
        true => "start at once".to_owned(),
        false => format!("start in about {}", duration::about(soonest.queue.median)),
    };
    format!(
        "{first}; {} would {start} and take {}.",
        processors(soonest.procs.0),
        duration::about(soonest.run.median)
    )
}

/// Whether the size to ask for is the smallest of those that are too close to call.
fn is_smallest(result: &Allocated) -> bool {
    result.answer.advice.too_close().first() == Some(&result.answer.advice.recommended().procs)
}

/// The sizes whose turnarounds cannot be told apart, if the one to ask for is among them: "4, 8 and 16".
fn close_sizes(result: &Allocated) -> Option<String> {
    let close = result.answer.advice.too_close();
    if !close.contains(&result.answer.advice.recommended().procs) {
        return None;
    }
    let names: Vec<String> = close.iter().map(ToString::to_string).collect();
    let (last, others) = names.split_last()?;
    Some(format!("{} and {last}", others.join(", ")))
}

/// When a size is done: what sizes are compared by comes first.
fn done(size: &Prospect, target: Target) -> String {
    let range = match (size.turnaround.low, size.turnaround.high) {
        (Some(low), Some(high)) if duration::about(low) != duration::about(high) => {
            format!(" ({})", between(low, high, "to"))
        }
        _ => String::new(),
    };
    let about = if range.is_empty() && size.queue.median == 0.0 { "" } else { "about " };
    let length = duration::about(target.of(&size.turnaround));
    match target {
        Target::Median => format!("done in {about}{length}{range}"),
        Target::Mean => format!("done in {about}{length} on average{range}"),
        Target::P90 => {
            format!(
                "done in {about}{length} or less nine times in ten (median {})",
                duration::about(size.turnaround.median)
            )
        }
    }
}

/// What to do, then the sizes, the chart and the machine of each partition.
fn by_partition(of: &AllocatedByPartition) -> Document {
    let mut document = Document::new().with_paragraph(sentences(of));
    for one in &of.answers {
        let name = one.partition.clone().unwrap_or_default();
        let shown = shown(one);
        let sizes = sizes(one, &shown).titled(format!("Sizes in {name}"));
        document = document.with_table(format!("sizes {name}"), sizes);
        if shown.len() > 1 {
            document = document.with_chart(plot(one, &shown, &format!(" in {name}")));
        }
        document =
            document.with_table(format!("machine {name}"), machine(one).titled(format!("Partition {name}")));
    }
    // Past jobs are those of the whole site.
    if let Some(record) = of.answers.iter().find_map(|one| one.answer.record.as_ref()) {
        document = document.with_table("record", record_table(record));
    }
    document
}

/// The partition whose recommended size is done soonest, then each answer in a line.
fn sentences(of: &AllocatedByPartition) -> String {
    let name = |one: &Allocated| one.partition.clone().unwrap_or_default();
    let done = |one: &Allocated| one.answer.target().of(&one.answer.advice.recommended().turnaround);
    let soonest = of.answers.iter().min_by(|one, other| done(one).total_cmp(&done(other)));
    let soonest = soonest.map(|one| {
        let size = number_of(one.answer.advice.recommended().procs.0, "processor");
        format!(
            "Of all, {size} in {} would be done soonest, in about {}.",
            name(one),
            duration::about(done(one))
        )
    });
    let mut lines: Vec<String> = soonest.into_iter().collect();
    lines.extend(of.answers.iter().map(|one| format!("{}: {}", name(one), sentence(one))));
    lines.extend(of.refused.iter().map(|one| format!("{}: {}", one.partition, one.why)));
    lines.join("\n")
}

fn rows(answers: &[impl std::borrow::Borrow<Allocated>]) -> Table {
    let mut columns = vec![Column::integer("procs")];
    for what in ["queue", "run", "turnaround"] {
        columns
            .extend(["low", "median", "high", "mean"].map(|part| Column::duration(format!("{what} {part}"))));
    }
    columns.extend([Column::share("at once"), Column::share("best"), Column::integer("recommended")]);
    columns.push(Column::text("partition"));
    let mut table = Table::new(columns);
    for answer in answers.iter().map(std::borrow::Borrow::borrow) {
        for prospect in answer.answer.advice.prospects() {
            let mut row = vec![prospect.procs.into()];
            for range in [prospect.queue, prospect.run, prospect.turnaround] {
                let TimeRange { low, median, high, mean } = range;
                row.extend([low, Some(median), high, mean].map(|time| time.map(Cell::duration).into()));
            }
            row.extend([prospect.at_once, prospect.best].map(|share| share.map(Cell::share).into()));
            row.push(Cell::Integer(i64::from(answer.is_recommended(prospect))));
            row.push(answer.partition.as_ref().into());
            table.row(row);
        }
    }
    table
}

/// Warnings of a fitted curve that deserves no trust, and of a machine on which the jobs of the log cannot have run.
pub fn allocation_warnings(of: &Allocated, past: Option<LivePast<'_>>) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(between) = &of.answer.between {
        if between.measured.len() < 3 {
            warnings.push("--between: two measured sizes fit many curves; measure a third".to_owned());
        }
        if between.is_bad() {
            warnings.push(format!(
                "--between: the fitted curve is up to {:.1}% off the measured run times; do not trust the sizes between them",
                100.0 * between.deviation
            ));
        }
    }
    if let Some((past, load)) = past.zip(of.answer.site.load.filter(|load| *load > 1.0)) {
        warnings.push(format!(
            "{}: an offered load of {:.0}% on {} processors: the machine is larger, or the queue grows without bound; \
             --procs says how large it is",
            past.name,
            100.0 * load,
            past.workload.machine().procs
        ));
    }
    warnings
}
