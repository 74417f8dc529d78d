//! The sites at which a job could start, the soonest first, and the one to submit it to.

use queuecast::forecast::{PredictedWait, SoonestStart, WhenAnswer};
use queuecast::report::chart::{Bar, Bars};
use queuecast::report::{Answer, Cell, Chart, Column, Document, Table, duration};
use queuecast::trace::MachineSize;
use serde::Serialize;

use crate::commands::moment::Moment;
use crate::commands::newcomer::Asked;

/// When the job would start at one site. Uses nothing that a log records of later.
#[derive(Debug, Serialize)]
pub struct SiteStart {
    pub site: String,
    pub source: String,
    #[serde(skip)]
    pub is_live: bool,
    pub moment: Moment,
    /// The partition, of a live site.
    pub partition: Option<String>,
    /// The queue that takes it, where the file of sites names queues.
    pub queue: Option<String>,
    pub machine: MachineSize,
    /// What it asks for there: a faster site is asked for less time.
    pub asked: Asked,
    /// Whether the site does not know its user.
    #[serde(skip)]
    pub is_strange: bool,
    /// Whose past it was learned from.
    pub history: String,
    #[serde(flatten)]
    pub answer: WhenAnswer,
}

/// A site that does not take the job.
#[derive(Debug, Serialize)]
pub struct RefusedSite {
    pub site: String,
    pub why: String,
}

/// Where to submit a job.
#[derive(Debug, Serialize)]
pub struct SiteChoice {
    version: &'static str,
    file: String,
    asked: Asked,
    user: Option<String>,
    /// The sites that may start it first; one if that is clear.
    first: Vec<String>,
    /// The answer in plain words.
    sentence: String,
    /// The soonest first.
    sites: Vec<SiteStart>,
    refused: Vec<RefusedSite>,
    #[serde(skip)]
    has_speeds: bool,
}

/// A shorter wait is "at once".
const AT_ONCE: f64 = 1.0;

fn about(seconds: f64) -> String {
    if seconds < AT_ONCE { "at once".to_owned() } else { rounded(seconds) }
}

/// From ten minutes on in whole minutes: seconds of a prediction tell nothing.
fn rounded(seconds: f64) -> String {
    duration::about(if seconds < 600.0 { seconds.round() } else { (seconds / 60.0).round() * 60.0 })
}

/// From one in ten sooner to one in ten later.
fn range(wait: &PredictedWait) -> String {
    let (low, high) = (about(wait.p10), about(wait.p90));
    if low == high { low } else { format!("{low} to {high}") }
}

impl SiteChoice {
    /// Of the answers of at least one site.
    pub fn new(
        file: String,
        asked: Asked,
        user: Option<String>,
        has_speeds: bool,
        starts: Vec<SiteStart>,
        refused: Vec<RefusedSite>,
    ) -> SiteChoice {
        let waits: Vec<&PredictedWait> = starts.iter().map(|one| &one.answer.wait).collect();
        let SoonestStart { order, close } = SoonestStart::of(&waits);
        let mut starts: Vec<Option<SiteStart>> = starts.into_iter().map(Some).collect();
        let sites: Vec<SiteStart> = order.iter().filter_map(|&place| starts[place].take()).collect();
        let first = sites.iter().take(close).map(|one| one.site.clone()).collect();
        let sentence = sentence(&sites, close);
        let version = env!("CARGO_PKG_VERSION");
        SiteChoice { version, file, asked, user, first, sentence, sites, refused, has_speeds }
    }

    fn starts(&self) -> Table {
        let mut table = Table::new([
            Column::text("site").naming(),
            Column::integer("processors"),
            Column::integer("free"),
            Column::integer("jobs waiting"),
            Column::duration("median wait"),
            Column::text("80% range").naming(),
            Column::text("method").spare(1),
        ])
        .titled(format!("{} processors for {}", self.asked.procs, duration::human(self.asked.time)));
        for one in &self.sites {
            let (wait, state) = (&one.answer.wait, &one.answer.state);
            table.row([
                Cell::text(&*one.site),
                state.procs.into(),
                state.free.into(),
                Cell::count(state.waiting),
                Cell::duration(wait.median),
                Cell::text(range(wait)),
                Cell::text(&*one.answer.method),
            ]);
        }
        for one in &self.refused {
            let mut cells = vec![Cell::text(&*one.site)];
            cells.extend(std::iter::repeat_n(Cell::Missing, 4));
            cells.extend([Cell::text("not taken"), Cell::Missing]);
            table.row(cells);
        }
        table.notes = self.notes();
        table
    }

    /// What the table does not say.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> =
            self.refused.iter().map(|one| format!("{} does not take it: {}", one.site, one.why)).collect();
        for one in &self.sites {
            let moment = match (&one.moment.date, one.is_live) {
                (Some(date), true) => format!("now, {date}"),
                (Some(date), false) => format!("at {date}"),
                (None, _) => format!("at {} s", one.moment.time),
            };
            let place = one.partition.as_ref().map_or_else(String::new, |name| format!(", partition {name}"));
            let queue = one.queue.as_ref().map_or_else(String::new, |name| format!(", queue {name}"));
            let learned = match one.answer.learned {
                0 => "no history yet, so its wait is simulated from its queue alone".to_owned(),
                _ => format!("learned from {}", one.history),
            };
            notes.push(format!("{}: {}{place}{queue}, {moment}; {learned}", one.site, one.source));
            if one.machine.is_guessed() {
                notes.push(format!(
                    "{} is taken to have {} (procs = N says otherwise)",
                    one.site, one.machine
                ));
            }
            if let Some(user) = self.user.as_ref().filter(|_| one.is_strange) {
                notes.push(format!("{} has no user {user}; its answer is that for any", one.site));
            }
        }
        if self.has_speeds {
            notes.push("a faster site is asked for less time; compared are starts, not ends".to_owned());
        }
        if self.sites.len() > 1 {
            notes.push(format!(
                "80% range: from one in ten sooner to one in ten later; sites whose medians differ by no more than {}% of the \
                 wider range are too close to call",
                (SoonestStart::UNDECIDED * 100.0).round(),
            ));
        }
        notes
    }

    fn bars(&self) -> Chart {
        let bar = |one: &SiteStart| Bar::new(&*one.site, Cell::duration(one.answer.wait.median));
        let asked = format!("{} processors for {}", self.asked.procs, duration::human(self.asked.time));
        let bars = Bars::new("Median wait", self.sites.iter().map(bar)).on(asked);
        Chart::Bars(bars.marking((self.first.len() == 1).then_some(0)))
    }
}

/// When it would start, after "it would start".
fn start(wait: &PredictedWait) -> String {
    match wait.p90 < AT_ONCE {
        true => "at once".to_owned(),
        false if wait.median < AT_ONCE => format!("at once (80%: {})", range(wait)),
        false => format!("in about {} (80%: {})", rounded(wait.median), range(wait)),
    }
}

fn sentence(sites: &[SiteStart], close: usize) -> String {
    let Some(first) = sites.first() else { return String::new() };
    let wait = &first.answer.wait;
    if close > 1 {
        let names: Vec<&str> = sites.iter().take(close).map(|one| one.site.as_str()).collect();
        let (last, others) = names.split_last().map_or(("", &names[..]), |(last, others)| (*last, others));
        let names = format!("{} and {last}", others.join(", "));
        let close = &sites[..close];
        if close.iter().all(|one| one.answer.wait.p90 < AT_ONCE) {
            return format!("It would start at once at {names}: submit to any of them.");
        }
        let each = close.iter().map(|one| format!("at {} {}", one.site, start(&one.answer.wait)));
        let each = each.collect::<Vec<_>>().join(", ");
        return format!(
            "Too close to call between {names}: their medians differ by less than their ranges can tell. It would start {each}."
        );
    }
    let later = sites.iter().skip(1).map(|one| {
        let later = one.answer.wait.median - wait.median;
        format!("{} about {} later", one.site, rounded(later))
    });
    let later: Vec<String> = later.collect();
    let others = if later.is_empty() { String::new() } else { format!("; {}", later.join(", ")) };
    format!("Submit to {}: it would start {}{others}.", first.site, start(wait))
}

impl Answer for SiteChoice {
    fn document(&self) -> Document {
        let document = Document::new().with_table("sites", self.starts());
        let document = if self.sites.len() > 1 { document.with_chart(self.bars()) } else { document };
        document.with_paragraph(self.sentence.clone())
    }

    /// One row per site, the soonest first, then those that do not take it.
    fn table(&self) -> Table {
        let time = |name: &str| Column::duration(name);
        let mut columns = vec![Column::text("site"), Column::integer("procs"), Column::integer("free")];
        columns.extend(["running", "waiting"].map(Column::integer));
        columns.push(time("time"));
        columns.extend(["p10", "p25", "median", "p75", "p90"].map(time));
        columns.extend([Column::text("method"), Column::integer("learned"), Column::integer("first")]);
        columns.push(Column::text("refused"));
        let mut table = Table::new(columns);
        for one in &self.sites {
            let (wait, state) = (&one.answer.wait, &one.answer.state);
            table.row([
                Cell::text(&*one.site),
                state.procs.into(),
                state.free.into(),
                Cell::count(state.running),
                Cell::count(state.waiting),
                Cell::duration(one.asked.time.0 as f64),
                Cell::duration(wait.p10),
                Cell::duration(wait.p25),
                Cell::duration(wait.median),
                Cell::duration(wait.p75),
                Cell::duration(wait.p90),
                Cell::text(&*one.answer.method),
                Cell::count(one.answer.learned),
                Cell::Integer(i64::from(self.first.contains(&one.site))),
                Cell::Missing,
            ]);
        }
        for one in &self.refused {
            let mut cells = vec![Cell::text(&*one.site)];
            cells.extend(std::iter::repeat_n(Cell::Missing, 12));
            cells.extend([Cell::Integer(0), Cell::text(&*one.why)]);
            table.row(cells);
        }
        table
    }
}
