//! A change of a site's configuration, reviewed before it is made.

use super::over_seeds;
use crate::words::number_of;
use crate::{Answer, Cell, Column, Document, Table, duration};
use queuecast_core::units::Seconds;
use queuecast_slurm_texts::{ChangeEffect, SettingChange, SiteChanges};
use queuecast_study::{
    ChangeReview, LargestIncrease, OverThreshold, ReviewEffect, ReviewOutcome, ReviewedGroup, ReviewedWait,
    WaitChange,
};

impl Answer for ChangeReview {
    fn document(&self) -> Document {
        let mut document = Document::new();
        if self.changes.is_empty() {
            return document.with_paragraph(format!("Nothing changed from {} to {}.", self.old, self.new));
        }
        let title = format!("Changed from {} to {}", self.old, self.new);
        let important = || self.changes.settings.iter().filter(|one| one.effect != ChangeEffect::Unimportant);
        if important().next().is_some() {
            document = document.with_table("changes", changes(important()).titled(title));
        }
        for sentence in remarks(self) {
            document = document.with_paragraph(sentence);
        }
        if let Some(effect) = &self.effect {
            let judged = self.outcome.as_ref().map(|outcome| outcome.threshold.per);
            document = document.with_table("waits", waits(self, effect, judged));
            if let Some(sentence) = believable(effect) {
                document = document.with_paragraph(sentence);
            }
            document = document.with_paragraph(lost(effect));
        }
        match &self.outcome {
            Some(outcome) => document.with_paragraph(judgement(outcome, self.effect.as_ref())),
            None => document,
        }
    }

    /// Changes and waits as rows of one table.
    fn table(&self) -> Table {
        let mut rows: Vec<Vec<(Column, Cell)>> = Vec::new();
        for one in &self.changes.settings {
            rows.push(record("change", one.of, &one.part, &one.key, Figures::changed(one)));
        }
        for one in self.effect.iter().flat_map(|effect| &effect.waits) {
            let of = one.of.name().replace('-', "_");
            rows.push(record("wait", one.by, &one.group, &of, Figures::waited(one)));
        }
        if let Some(effect) = &self.effect {
            let figures = Figures { jobs: Cell::count(effect.lost), ..Figures::none() };
            rows.push(record("lost", "all", "all", "", figures));
        }
        Table::records(rows)
    }
}

/// What a row for programs has besides its names.
struct Figures {
    from: Cell,
    to: Cell,
    effect: Cell,
    jobs: Cell,
    difference: Cell,
    confidence: Cell,
    is_beyond: Cell,
}

impl Figures {
    fn none() -> Figures {
        let [from, to, effect, jobs] = [Cell::Missing, Cell::Missing, Cell::Missing, Cell::Missing];
        let [difference, confidence, is_beyond] = [Cell::Missing, Cell::Missing, Cell::Missing];
        Figures { from, to, effect, jobs, difference, confidence, is_beyond }
    }

    fn changed(one: &SettingChange) -> Figures {
        let effect = Cell::text(word(one.effect));
        Figures { from: one.from.as_ref().into(), to: one.to.as_ref().into(), effect, ..Figures::none() }
    }

    fn waited(one: &WaitChange) -> Figures {
        let confidence = one.shaken.and_then(|shaken| shaken.confidence);
        Figures {
            from: Cell::number(one.before, 3),
            to: Cell::number(one.after, 3),
            jobs: Cell::count(one.jobs),
            difference: Cell::number(one.increase(), 3),
            confidence: confidence.map(|half| Cell::number(half, 3)).into(),
            is_beyond: yes_no(one.is_beyond_scatter()),
            ..Figures::none()
        }
    }
}

fn record(kind: &str, of: &str, part: &str, key: &str, figures: Figures) -> Vec<(Column, Cell)> {
    let optional = |text: &str| if text.is_empty() { Cell::Missing } else { Cell::text(text) };
    vec![
        (Column::text("kind"), Cell::text(kind)),
        (Column::text("of"), Cell::text(of)),
        (Column::text("part"), optional(part)),
        (Column::text("key"), optional(key)),
        (Column::text("from"), figures.from),
        (Column::text("to"), figures.to),
        (Column::text("effect"), figures.effect),
        (Column::integer("jobs"), figures.jobs),
        (Column::number("difference"), figures.difference),
        (Column::number("confidence"), figures.confidence),
        (Column::text("beyond_scatter"), figures.is_beyond),
    ]
}

fn yes_no(known: Option<bool>) -> Cell {
    known.map_or(Cell::Missing, |yes| Cell::text(if yes { "yes" } else { "no" }))
}

fn word(effect: ChangeEffect) -> &'static str {
    match effect {
        ChangeEffect::Simulated => "simulated",
        ChangeEffect::NotModelled => "not modelled",
        ChangeEffect::Unimportant => "does not matter",
    }
}

/// One row for each setting.
fn changes<'a>(settings: impl Iterator<Item = &'a SettingChange>) -> Table {
    let mut table = Table::new([
        Column::text("of").naming(),
        Column::text("setting").naming(),
        Column::text("from"),
        Column::text("to"),
        Column::text("effect"),
    ]);
    let side = |value: &Option<String>| Cell::text(value.as_deref().unwrap_or("not there"));
    for one in settings {
        let of = if one.part.is_empty() { one.of.to_owned() } else { format!("{} {}", one.of, one.part) };
        let key = match (&one.from, one.key.as_str()) {
            (None, "") => "added",
            (Some(_), "") => "removed",
            (_, key) => key,
        };
        let sides = if one.from.is_none() && one.to.is_none() {
            [Cell::Missing, Cell::Missing]
        } else {
            [side(&one.from), side(&one.to)]
        };
        let [from, to] = sides;
        table.row([Cell::text(of), Cell::text(key), from, to, Cell::text(word(one.effect))]);
    }
    table
}

/// What is to be said of the changes besides the table.
fn remarks(of: &ChangeReview) -> Vec<String> {
    let SiteChanges { settings, newly_not_modelled, unread_files, warnings, misread } = &of.changes;
    let mut all = Vec::new();
    let unimportant: Vec<&str> = settings
        .iter()
        .filter(|one| one.effect == ChangeEffect::Unimportant)
        .map(|one| one.key.as_str())
        .collect();
    if !unimportant.is_empty() {
        all.push(format!(
            "Changed, without influence on when and where jobs start: {}.",
            unimportant.join(", ")
        ));
    }
    if settings.iter().any(|one| one.effect == ChangeEffect::NotModelled) {
        all.push(
            "What is not modelled may matter to when and where jobs start: its effect is not in any number here.".to_owned(),
        );
    }
    if !newly_not_modelled.is_empty() {
        all.push(format!("{} uses what is not modelled: {}.", of.new, newly_not_modelled.join(", ")));
    }
    if !unread_files.is_empty() {
        all.push(format!("Files that differ and are not read: {}.", unread_files.join(", ")));
    }
    all.extend(warnings.iter().map(|one| format!("New: {one}.")));
    all.extend(misread.iter().take(3).map(|one| format!("{} cannot be read: {one}.", of.new)));
    if !settings.is_empty() && !of.changes.is_simulated() {
        all.push("Nothing changed that is simulated.".to_owned());
    }
    all
}

fn waits(of: &ChangeReview, effect: &ReviewEffect, judged: Option<ReviewedGroup>) -> Table {
    let per = judged.filter(|per| *per != ReviewedGroup::All).map_or("partition", ReviewedGroup::name);
    let is_shaken = effect.compared.shaking.is_some();
    let mut columns = vec![
        Column::text(per).key("group").naming(),
        Column::integer("jobs").spare(1),
        Column::duration("mean wait before").key("mean_before"),
        Column::duration("after").key("mean_after"),
        Column::duration("difference"),
        Column::share("of the wait"),
    ];
    if is_shaken {
        columns.extend([Column::duration("±").spare(3), Column::text("beyond scatter").spare(2)]);
    }
    columns.extend([
        Column::duration("median before").key("median_before").spare(4),
        Column::duration("after").key("median_after").spare(4),
        Column::duration("90% before").key("p90_before").spare(5),
        Column::duration("after").key("p90_after").spare(5),
    ]);
    let title = format!("What it would have done to the jobs of {}", effect.compared.source);
    let mut table = Table::new(columns).titled(title);
    let number = |group: &WaitChange, which: ReviewedWait| {
        let is_meant = |one: &&WaitChange| one.by == group.by && one.group == group.group && one.of == which;
        effect.waits.iter().find(is_meant)
    };
    let shown = effect.waits.iter().filter(|one| one.of == ReviewedWait::MeanWait);
    for mean in shown.filter(|one| one.by == "all" || one.by == per) {
        let mut row = vec![
            Cell::text(&*mean.group),
            mean.jobs.into(),
            Cell::duration(mean.before),
            Cell::duration(mean.after),
            Cell::duration(mean.increase()),
            Cell::share_of(mean.share()),
        ];
        if is_shaken {
            row.push(mean.shaken.and_then(|shaken| shaken.confidence).map(Cell::duration).into());
            row.push(yes_no(mean.is_beyond_scatter()));
        }
        for which in [ReviewedWait::MedianWait, ReviewedWait::P90Wait] {
            let found = number(mean, which);
            row.push(found.map(|one| Cell::duration(one.before)).into());
            row.push(found.map(|one| Cell::duration(one.after)).into());
        }
        table.row(row);
    }
    table.note(format!(
        "over the {} that start with both {} and {}",
        number_of(effect.compared.common_jobs, "job"),
        of.old,
        of.new
    ));
    if let Some(shaking) = effect.compared.shaking {
        table.note(format!(
            "difference: {}; before and after are with the submissions as they were",
            over_seeds(shaking)
        ));
    }
    table
}

/// How far the simulation before the change is from what the log tells.
fn believable(effect: &ReviewEffect) -> Option<String> {
    let report = &effect.compared.variants.first()?.answer.report;
    let (simulated, recorded) = (report.waits.first()?.mean_wait?, report.recorded.as_ref()?.mean_wait?);
    Some(format!(
        "The log tells a mean wait of {}; simulated before the change it is {}.",
        duration::about(recorded),
        duration::about(simulated)
    ))
}

/// Jobs that start only before the change, or only after it.
fn lost(effect: &ReviewEffect) -> String {
    let [old, new] = [0, 1].map(|place| effect.compared.variants.get(place).map_or(0, |one| one.only_here));
    if old + new == 0 {
        return "The same jobs start before and after.".to_owned();
    }
    let mut parts = Vec::new();
    if effect.lost > 0 {
        parts.push(format!("{} would never start after the change", number_of(effect.lost, "job")));
    }
    if old > effect.lost {
        let count = number_of(old - effect.lost, "job");
        parts.push(format!("{count} would be cancelled before the start, as in the log"));
    }
    if new > 0 {
        parts.push(format!("{} would start only after the change", number_of(new, "job")));
    }
    let refused = effect.compared.variants.get(1).map_or(&[][..], |one| &one.answer.report.refused);
    let why = refused.first().map_or(String::new(), |one| format!(" Refused most often: {}.", one.why));
    format!("{}; they are left out of waits.{why}", parts.join(", "))
}

/// What is judged, in words: `mean wait of each partition`.
fn judged(outcome: &ReviewOutcome) -> String {
    let of = outcome.threshold.of.name().replace('-', " ");
    match outcome.threshold.per {
        ReviewedGroup::All => format!("{of} of all jobs"),
        per => format!("{of} of each {}", per.name()),
    }
}

fn judgement(outcome: &ReviewOutcome, effect: Option<&ReviewEffect>) -> String {
    if outcome.is_allowed && !outcome.within_scatter.is_empty() {
        let seeds = effect.and_then(|effect| effect.compared.shaking).map_or(0, |shaking| shaking.seeds);
        return format!(
            "No increase beyond {} is certain: {} {} within the scatter over {}; more seeds (--seeds) tell more.",
            outcome.threshold.max_increase,
            increases(outcome, &outcome.within_scatter),
            if outcome.within_scatter.len() == 1 { "is" } else { "are" },
            number_of(seeds as usize, "seed")
        );
    }
    if outcome.is_allowed {
        let most = match outcome.threshold.max_increase {
            LargestIncrease::Share(_) => format!("{} more", outcome.threshold.max_increase),
            LargestIncrease::Time(_) => format!("{} longer", outcome.threshold.max_increase),
        };
        let short = match outcome.threshold.ignore_below {
            Seconds(below) if below > 0 => {
                format!("; increases below {} are not counted", duration::about(below as f64))
            }
            _ => String::new(),
        };
        return format!("Within the threshold: at most {most} {}{short}.", judged(outcome));
    }
    format!("Over the threshold: {}.", over_threshold(outcome, effect.map_or(0, |effect| effect.lost)))
}

/// By how much groups wait longer: `mean wait of partition batch +2 min (86%)`.
fn increases(outcome: &ReviewOutcome, groups: &[OverThreshold]) -> String {
    let of = outcome.threshold.of.name().replace('-', " ");
    let one = |one: &OverThreshold| {
        let whose = if one.by == "all" { "all jobs".to_owned() } else { format!("{} {}", one.by, one.group) };
        let share = one.share.map_or(String::new(), |share| format!(" ({:.0}%)", share * 100.0));
        format!("{of} of {whose} +{}{share}", duration::about(one.increase))
    };
    groups.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Why a change is over its threshold, in one line; `lost` are the jobs that never start after it.
pub fn over_threshold(outcome: &ReviewOutcome, lost: usize) -> String {
    let threshold = &outcome.threshold;
    let mut parts = Vec::new();
    if !outcome.over.is_empty() {
        let over = increases(outcome, &outcome.over);
        parts.push(format!("{over}, allowed are {}", threshold.max_increase));
    }
    if outcome.loses_jobs {
        let allowed = threshold.max_lost;
        parts.push(format!("{} never start, allowed are {allowed}", number_of(lost, "job")));
    }
    parts.join("; ")
}
