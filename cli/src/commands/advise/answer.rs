//! What to ask for, as text, rows and JSON.

use queuecast::forecast::{JobChange, JobOption, JobPlan, SoonestPlace, TimeSpread};
use queuecast::report::chart::{Bar, Bars};
use queuecast::report::{Answer, Cell, Chart, Column, Document, Page, Table, duration};
use serde::Serialize;

use crate::commands::moment::Moment;

/// The advice for one job, in one place. Uses nothing that a log records of later.
#[derive(Debug, Serialize)]
pub struct AdvisedJob {
    pub version: &'static str,
    pub source: String,
    pub moment: Moment,
    /// On a live site.
    pub partition: Option<String>,
    /// Whether other sites are answered for too.
    #[serde(skip)]
    pub is_one_of_several: bool,
    /// Whose past it was learned from.
    pub history: String,
    /// The accepted risk of being stopped at the limit.
    pub risk: f64,
    /// Whether the user was named.
    #[serde(skip)]
    pub is_known: bool,
    #[serde(flatten)]
    pub plan: JobPlan,
}

/// A length hardly longer than this is "at once".
const AT_ONCE: f64 = 1.0;

fn percent(share: f64) -> String {
    Cell::share(share).shown(&Page::default())
}

fn about(seconds: f64) -> String {
    if seconds < AT_ONCE { "at once".to_owned() } else { duration::about(seconds) }
}

fn range(time: &TimeSpread) -> String {
    match (about(time.low), about(time.high)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    }
}

/// What is changed, in a few words.
fn changed(option: &JobOption) -> String {
    match &option.change {
        JobChange::AsAsked => "as asked".to_owned(),
        JobChange::Limit => format!("limit {}", duration::human(option.limit)),
        JobChange::Queue(name) => format!("queue {name}"),
        JobChange::Size => format!("{} processors", option.procs),
        JobChange::Later(later) => format!("{} later", duration::human(*later)),
    }
}

/// What to do, in plain words.
fn told(option: &JobOption) -> String {
    match &option.change {
        JobChange::AsAsked => "ask as you meant to".to_owned(),
        JobChange::Limit => format!("ask for {}", duration::human(option.limit)),
        JobChange::Queue(name) => format!("submit it to {name}"),
        JobChange::Size => {
            format!("ask for {} processors for {}", option.procs, duration::human(option.limit))
        }
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

impl AdvisedJob {
    /// The partition, else the log.
    fn place(&self) -> &str {
        self.partition.as_ref().unwrap_or(&self.source)
    }

    fn options(&self) -> Table {
        let mut table = Table::new(vec![
            Column::text("change").naming(),
            Column::text("limit").spare(3),
            Column::share("risk of being stopped").key("risk"),
            Column::text("starts in, even odds").key("start"),
            Column::text("80 % range").key("start_range").spare(2),
            Column::text("done in, expected").key("done").spare(1),
            Column::text("80 % range").key("done_range"),
            Column::text("done").key("verdict"),
        ])
        .titled(match self.partition.is_some() || self.is_one_of_several {
            true => format!("What it could ask for in {}", self.place()),
            false => "What it could ask for".to_owned(),
        });
        for option in &self.plan.options {
            table.row([
                Cell::text(changed(option)),
                Cell::text(duration::human(option.limit)),
                Cell::share(option.risk),
                Cell::text(about(option.start.median)),
                Cell::text(range(&option.start)),
                Cell::text(about(option.done.expected)),
                Cell::text(range(&option.done)),
                Cell::text(verdict(option)),
            ]);
        }
        table.note("the last column compares even odds; too close to call: they differ by no more than a tenth of the wider range, or five minutes");
        if self.plan.options.iter().any(|option| matches!(option.change, JobChange::Later(_))) {
            table.note("later: the job as asked, moved by as much as in simulations with the same run times and arrivals");
        }
        table
    }

    fn facts(&self) -> Table {
        let fact = |name: &str, value: String| (Column::text(name), Cell::text(value));
        let date = self.moment.date.as_ref().map_or_else(String::new, |date| format!(" ({date})"));
        let moment = match (&self.partition, &self.moment.date) {
            (Some(_), Some(date)) => date.clone(),
            _ => format!("{} s{date}", self.moment.time),
        };
        let first = &self.plan.options[0];
        let mut facts = vec![fact("log", self.source.clone())];
        facts.extend(self.partition.as_ref().map(|name| fact("partition", name.clone())));
        facts.extend([
            fact("moment", moment),
            fact("job", format!("{} processors for {}", first.procs, duration::human(first.limit))),
            fact(
                "it would run for",
                format!("{} by even odds, 80 % range {}", about(self.plan.run.median), range(&self.plan.run)),
            ),
            fact("learned from", self.history.clone()),
            fact("waits by", self.plan.method.clone()),
        ]);
        Table::facts(facts).titled("Question")
    }

    /// The advice in plain words.
    pub fn sentence(&self) -> String {
        let plan = &self.plan;
        let (first, best) = (&plan.options[0], &plan.options[plan.best]);
        let mut lines = Vec::new();
        lines.push(match plan.best {
            0 => "No change helps for sure: ask as you meant to.".to_owned(),
            _ => {
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
        lines.push(if limit.is_bounded {
            format!(
                "The limit of {advice} is short: {} of such jobs run into it, and how long they would run is not known.",
                percent(limit.risk)
            )
        } else if limit.limit < first.limit {
            format!(
                "A limit of {advice} is enough: at most {} risk ({} of the last {} jobs with such limits would have been stopped).",
                percent(self.risk),
                percent(limit.risk),
                limit.tried.unwrap_or(0)
            )
        } else {
            format!("No shorter limit is known to keep a risk of {}.", percent(self.risk))
        });
        if !self.is_known {
            lines.push("Without --user the run time is that of any such job of the site.".to_owned());
        }
        lines.push(match &plan.record {
            Some(record) => format!(
                "Of the last {} jobs so predicted, {} started within such a range (80 % should).",
                record.jobs,
                percent(record.inside)
            ),
            None => format!(
                "Only {} jobs have started so far: ranges are wide, and how often they hold is not known.",
                plan.learned
            ),
        });
        lines.join("\n")
    }

    fn chart(&self) -> Chart {
        let bars = self.plan.options.iter();
        let bars = bars.map(|option| Bar::new(changed(option), Cell::duration(option.done.median)));
        Chart::Bars(Bars::new("Done in, by even odds", bars))
    }

    fn add_rows(&self, table: &mut Table) {
        for (place, option) in self.plan.options.iter().enumerate() {
            let JobOption { start, done, .. } = option;
            table.row([
                Cell::text(&*self.source),
                self.partition.as_ref().map_or(Cell::Missing, |name| Cell::text(&**name)),
                Cell::text(changed(option)),
                option.procs.into(),
                Cell::duration(option.limit.0 as f64),
                Cell::share(option.risk),
                Cell::duration(start.median),
                Cell::duration(start.low),
                Cell::duration(start.high),
                Cell::duration(done.expected),
                Cell::duration(done.median),
                Cell::duration(done.low),
                Cell::duration(done.high),
                Cell::duration(option.gain),
                Cell::text(if option.too_close { "yes" } else { "no" }),
                Cell::text(if place == self.plan.best { "yes" } else { "no" }),
            ]);
        }
    }

    fn columns() -> Vec<Column> {
        let mut columns = ["source", "partition", "change"].map(Column::text).to_vec();
        columns.push(Column::integer("procs"));
        columns.push(Column::duration("limit"));
        columns.push(Column::share("risk"));
        let times =
            ["start", "start low", "start high", "done expected", "done", "done low", "done high", "gain"];
        columns.extend(times.map(Column::duration));
        columns.extend(["too close", "advised"].map(Column::text));
        columns
    }
}

impl Answer for AdvisedJob {
    fn document(&self) -> Document {
        Document::new()
            .with_table("question", self.facts())
            .with_table("options", self.options())
            .with_chart(self.chart())
            .with_paragraph(self.sentence())
    }

    fn table(&self) -> Table {
        let mut table = Table::new(AdvisedJob::columns());
        self.add_rows(&mut table);
        table
    }
}

/// The advice for each of several places; never empty: partitions of a live site, or sites by their logs.
#[derive(Debug, Serialize)]
pub struct AdvisedPlaces {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<AdvisedJob>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<AdvisedJob>,
    /// Places that do not allow the job, and why.
    pub refused: Vec<String>,
    /// Among the partitions or sites.
    pub soonest: Option<SoonestPlace>,
}

impl AdvisedPlaces {
    pub fn partitions(partitions: Vec<AdvisedJob>, refused: Vec<String>) -> AdvisedPlaces {
        let soonest = AdvisedPlaces::soonest(&partitions);
        AdvisedPlaces { partitions, sites: Vec::new(), refused, soonest }
    }

    pub fn sites(sites: Vec<AdvisedJob>, refused: Vec<String>) -> AdvisedPlaces {
        let soonest = AdvisedPlaces::soonest(&sites);
        AdvisedPlaces { partitions: Vec::new(), sites, refused, soonest }
    }

    fn soonest(places: &[AdvisedJob]) -> Option<SoonestPlace> {
        let advised: Vec<&JobOption> = places.iter().map(|one| one.plan.advised()).collect();
        SoonestPlace::of(&advised)
    }

    fn places(&self) -> &[AdvisedJob] {
        if self.sites.is_empty() { &self.partitions } else { &self.sites }
    }
}

impl Answer for AdvisedPlaces {
    fn document(&self) -> Document {
        let mut document = Document::new();
        let mut lines = Vec::new();
        for one in self.places() {
            let name = one.place();
            document = document.with_table(format!("options {name}"), one.options());
            lines.push(format!("{name}: {}", one.sentence()));
        }
        lines.extend(self.refused.iter().cloned());
        lines.extend(self.soonest.map(|soonest| {
            let name = self.places()[soonest.place].place();
            let first = self.places()[0].place();
            match soonest {
                SoonestPlace { place: 0, .. } => format!("Done soonest, by even odds: in {name}."),
                SoonestPlace { too_close: true, .. } => {
                    format!(
                        "Done soonest, by even odds: in {name}, but beside {first} it is too close to call."
                    )
                }
                SoonestPlace { gain, .. } => format!(
                    "Done soonest, by even odds: in {name}, {} sooner than in {first}.",
                    duration::about(gain)
                ),
            }
        }));
        document.with_paragraph(lines.join("\n\n"))
    }

    fn table(&self) -> Table {
        let mut table = Table::new(AdvisedJob::columns());
        self.places().iter().for_each(|one| one.add_rows(&mut table));
        table
    }
}
