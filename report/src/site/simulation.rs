//! The answer of a simulation at a site as tables.

use crate::words::{number_of, percent};
use crate::{Answer, Cell, Column, Document, Table};
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::controller::WaitReason;
use queuecast_study::{ClusterReport, InterruptedJobs, SimulatedSite, SiteAnswer, WaitMeasures};

impl Answer for SimulatedSite {
    fn document(&self) -> Document {
        document(&self.site, &self.source, &self.answer)
    }

    fn table(&self) -> Table {
        waits(&self.answer.report, None)
    }
}

/// More accounts or users than this are not listed in text; JSON and CSV have all.
const MOST_OF_ONE: usize = 12;

/// All tables, and what is left out.
fn document(site: &str, source: &str, answer: &SiteAnswer) -> Document {
    let mut document = Document::new().with_table("simulation", facts(site, source, answer));
    for (key, table) in [
        ("changes", changes(answer)),
        ("waits", waits(&answer.report, Some(MOST_OF_ONE))),
        ("reasons", reasons(&answer.report)),
        ("refused", refused(&answer.report)),
        ("resources", resources(&answer.report)),
        ("rules", rules(answer)),
    ] {
        if !table.rows().is_empty() {
            document = document.with_table(key, table);
        }
    }
    if !answer.log.assumed.is_empty() {
        document = document.with_paragraph(format!("Assumed: {}.", answer.log.assumed.join("; ")));
    }
    if !answer.missing.is_empty() {
        let why = |why: &Option<String>| {
            why.as_ref().map_or(String::new(), |why| format!("; could not be asked: {why}"))
        };
        let missing = answer.missing.iter();
        let missing: Vec<String> =
            missing.map(|one| format!("{} ({} instead{})", one.what, one.instead, why(&one.why))).collect();
        document = document.with_paragraph(format!("Not in the folder: {}.", missing.join("; ")));
    }
    if !answer.warnings.is_empty() {
        document = document.with_paragraph(format!("Odd: {}.", answer.warnings.join("; ")));
    }
    if !answer.not_modelled.is_empty() {
        document = document.with_paragraph(format!("Not modelled: {}.", answer.not_modelled.join(", ")));
    }
    document
}

fn facts(site: &str, source: &str, answer: &SiteAnswer) -> Table {
    let report = &answer.report;
    let states: Vec<String> = report.states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let fact = |name: &str, cell: Cell| (Column::text(name), cell);
    Table::facts(
        [
            fact("site", Cell::text(site)),
            fact("policy", Cell::text(answer.policy.to_string())),
            fact("submissions", Cell::text(format!("{source} ({})", answer.log.kind))),
            fact("submitted", Cell::count(report.submissions)),
            fact("jobs with array tasks", Cell::count(report.jobs)),
            fact("became", Cell::text(states.join(", "))),
            fact("until the last end", Cell::duration(report.makespan.0 as f64)),
        ]
        .into_iter()
        .chain(interrupted(report).map(|text| fact("stopped before their end", Cell::text(text)))),
    )
    .titled(if answer.policy.is_slurm() {
        "Simulation by Slurm's scheduler"
    } else {
        "Simulation by another policy"
    })
}

/// Jobs that were preempted or requeued, and what that cost.
fn interrupted(report: &ClusterReport) -> Option<String> {
    let InterruptedJobs { jobs, preempted, requeued, lost_cpu_seconds } = report.interruptions;
    (jobs > 0).then(|| {
        format!(
            "{}: {preempted} preemptions, {requeued} requeues; {:.1} CPU-hours lost",
            number_of(jobs, "job"),
            lost_cpu_seconds as f64 / 3600.0
        )
    })
}

fn refused(report: &ClusterReport) -> Table {
    Table::of(
        &report.refused,
        [
            (Column::text("refused because").naming(), |one| (&*one.why).into()),
            (Column::integer("jobs"), |one| one.jobs.into()),
        ],
    )
    .titled("Refused")
}

fn changes(answer: &SiteAnswer) -> Table {
    let columns = ["set", "value", "from", "to"].map(Column::text);
    let mut table = Table::new(columns).titled("Changed");
    for one in &answer.changes {
        let mut set = Cell::text(&*one.change);
        if one.values.is_empty() {
            table.row([set, Cell::text("(as it is)"), Cell::Missing, Cell::Missing]);
            continue;
        }
        for value in &one.values {
            let set = std::mem::replace(&mut set, Cell::Missing);
            table.row([set, Cell::text(&*value.name), Cell::text(&*value.from), Cell::text(&*value.to)]);
        }
    }
    table.note("lengths of time in seconds, memory in MB");
    table
}

/// Waits of all groups; of accounts and users at most `most`, those with the most jobs.
fn waits(report: &ClusterReport, most: Option<usize>) -> Table {
    let mut table = Table::new([
        Column::text("by").naming(),
        Column::text("group").naming(),
        Column::integer("started").spare(1),
        Column::integer("not started").spare(6),
        Column::duration("mean wait"),
        Column::duration("median").key("p50_wait_seconds").spare(2),
        Column::duration("90%").key("p90_wait_seconds"),
        Column::duration("longest").key("max_wait_seconds").spare(5),
        Column::number("bounded slowdown").key("mean_bounded_slowdown").spare(3),
        Column::share("backfilled").spare(4),
    ])
    .titled("Waits of jobs, each from its first submission to its last start");
    let mut hidden = 0;
    for by in ["all", "partition", "qos", "account", "user", "size_class"] {
        let mut group: Vec<&WaitMeasures> = report.waits.iter().filter(|one| one.by == by).collect();
        if let Some(most) = most.filter(|most| ["account", "user"].contains(&by) && group.len() > *most) {
            let mut sizes: Vec<usize> = group.iter().map(|one| one.started + one.not_started).collect();
            sizes.sort_unstable_by(|one, other| other.cmp(one));
            hidden += group.len();
            group.retain(|one| one.started + one.not_started >= sizes[most - 1]);
            group.truncate(most);
            hidden -= group.len();
        }
        if !table.rows().is_empty() && !group.is_empty() {
            table.rule();
        }
        group.into_iter().for_each(|one| table.row(row(one, most.is_some())));
        if by == "all" {
            report.recorded.iter().for_each(|one| table.row(row(one, most.is_some())));
        }
    }
    if hidden > 0 {
        table.note(format!("and {hidden} more accounts and users with fewer jobs; --format csv has all"));
    }
    table
}

fn row(one: &WaitMeasures, for_readers: bool) -> [Cell; 10] {
    let seconds = |wait: Option<Seconds>| wait.map(|wait| Cell::duration(wait.0 as f64)).into();
    [
        Cell::text(if for_readers { one.by.replace('_', " ") } else { one.by.to_owned() }),
        (&one.group).into(),
        one.started.into(),
        one.not_started.into(),
        one.mean_wait.map(Cell::duration).into(),
        seconds(one.p50_wait),
        seconds(one.p90_wait),
        seconds(one.max_wait),
        one.mean_bounded_slowdown.map(|value| Cell::number(value, 2)).into(),
        one.backfilled.map(Cell::share).into(),
    ]
}

fn reasons(report: &ClusterReport) -> Table {
    Table::of(
        &report.reasons,
        [
            (Column::text("waited for").naming(), |one| waited_for(one.reason).into()),
            (Column::share("share"), |one| Cell::share(one.share)),
            (Column::duration("time"), |one| one.time.into()),
            (Column::integer("jobs"), |one| one.jobs.into()),
        ],
    )
    .titled("What jobs waited for")
}

fn waited_for(reason: WaitReason) -> &'static str {
    match reason {
        WaitReason::Resources => "resources",
        WaitReason::Priority => "their turn (priority)",
        WaitReason::Limit => "a limit of QOS or account",
        WaitReason::ArrayLimit => "tasks of their array",
        WaitReason::Licenses => "licenses",
        WaitReason::Reservation => "their reservation",
        WaitReason::BeginTime => "their begin time",
        WaitReason::Dependency => "other jobs (dependency)",
        WaitReason::Held => "being released (hold)",
    }
}

fn resources(report: &ClusterReport) -> Table {
    let mut table = Table::of(
        report.resources.iter().filter(|one| one.available > 0.0),
        [
            (Column::text("resource").naming(), |one| {
                if one.name == "mem" { "mem (MB)".into() } else { (&*one.name).into() }
            }),
            (Column::number("available"), |one| Cell::number(one.available, 0)),
            (Column::number("in use on average").key("mean"), |one| Cell::number(one.mean, 1)),
            (Column::share("utilization"), |one| one.utilization.map(Cell::share).into()),
        ],
    )
    .titled("In use");
    if let Some(share) = report.idle.while_waiting.map(percent) {
        table.note(format!("while jobs waited that could have started, {share} of the processors were idle"));
    }
    if let Some(share) = report.idle.on_partly_used_nodes.map(percent) {
        table.note(format!(
            "{share} of the processors were idle on nodes that were partly in use (fragmentation)"
        ));
    }
    table
}

fn rules(answer: &SiteAnswer) -> Table {
    Table::of(
        &answer.log.rules,
        [
            (Column::text("rule").naming(), |one| (&*one.rule).into()),
            (Column::integer("jobs"), |one| one.count.into()),
            (Column::integer("first line"), |one| {
                Cell::Identifier(i64::try_from(one.line).unwrap_or(i64::MAX))
            }),
        ],
    )
    .titled("Left out of the log, or taken otherwise")
}
