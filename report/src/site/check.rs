//! What is understood of a site, as tables.

use super::limits::{allowed, told};
use crate::{Answer, Cell, Column, Document, Table};
use queuecast_core::number::number_of;
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{
    Association, Cluster, ClusterNode, ClusterPartition, GenericResource, MemoryAmount, NodeClass, NodeState,
    PartitionState, PreemptKind, PriorityKind, Shares, Sharing, Topology,
};
use queuecast_slurm_texts::{CapturedSite, CheckedSite, node_list};

impl Answer for CheckedSite {
    fn document(&self) -> Document {
        all(self).into_iter().fold(Document::new(), |document, (key, table)| document.with_table(key, table))
    }

    /// Every value of every table in a row of its own.
    fn table(&self) -> Table {
        let mut rows = Table::new(["table", "row", "column", "value"].map(Column::text));
        for (key, table) in all(self) {
            for (row, cells) in (1..).zip(table.rows()) {
                for (column, cell) in table.columns().iter().zip(cells) {
                    let value = cell.raw();
                    if !value.is_empty() {
                        rows.row([key.into(), Cell::Identifier(row), Cell::text(&*column.key), value.into()]);
                    }
                }
            }
        }
        rows
    }
}

impl Answer for CapturedSite {
    fn document(&self) -> Document {
        Document::new().with_table("files", self.table().titled(self.folder.clone()))
    }

    fn table(&self) -> Table {
        Table::of(
            &self.files,
            [
                (Column::text("file"), |one| (&one.file).into()),
                (Column::integer("lines"), |one| one.lines.into()),
                (Column::text("failed"), |one| one.failed.as_ref().into()),
                (Column::text("command").detail(), |one| (&one.command).into()),
            ],
        )
    }
}

/// More accounts than this are not listed in text; JSON has all.
const MOST_ACCOUNTS: usize = 60;

/// All tables that have rows, with their keys.
fn all(site: &CheckedSite) -> Vec<(&'static str, Table)> {
    let cluster = &site.reading.cluster;
    let tables = [
        ("site", facts(site)),
        ("node_classes", classes(cluster)),
        ("partitions", partitions(cluster)),
        ("qos", qos(cluster)),
        ("accounts", accounts(cluster)),
        ("reservations", reservations(cluster)),
        ("differing", differing(site)),
        ("missing", missing(site)),
        ("not_modelled", not_modelled(site)),
        ("warnings", warnings(site)),
        ("misread", misread(site)),
    ];
    tables.into_iter().filter(|(_, table)| !table.rows().is_empty()).collect()
}

fn optional(text: String) -> Cell {
    if text.is_empty() { Cell::Missing } else { Cell::Text(text) }
}

fn facts(site: &CheckedSite) -> Table {
    let cluster = &site.reading.cluster;
    let mut facts: Vec<(Column, Cell)> = Vec::new();
    let mut say = |name: &str, value: Cell| facts.push((Column::text(name), value));
    say("cluster", optional(cluster.name.clone()));
    say("Slurm", cluster.version.map(|(year, month)| format!("{year}.{month:02}")).into());
    say("nodes", Cell::count(cluster.nodes.len()));
    say("processors", Cell::Integer(i64::try_from(cluster.cpus()).unwrap_or(i64::MAX)));
    let switches = match &cluster.topology {
        Topology::Flat => "none".to_owned(),
        Topology::Tree(switches) => {
            format!("{}, {} with nodes", switches.len(), cluster.topology.leaves().count())
        }
    };
    say("switches", Cell::text(switches));
    let settings = &cluster.settings;
    say("backfilling", Cell::text(if settings.backfill.is_some() { "yes" } else { "no" }));
    say(
        "priorities",
        Cell::text(match settings.priority.kind {
            PriorityKind::Basic => "by submission",
            PriorityKind::Multifactor => "weighted factors",
        }),
    );
    say(
        "preemption",
        Cell::text(match settings.preempt.kind {
            PreemptKind::None => "none",
            PreemptKind::PartitionTier => "by partition",
            PreemptKind::Qos => "by QOS",
        }),
    );
    let users = cluster.associations.0.iter().filter(|one| one.user.is_some()).count();
    say("associations of users", Cell::count(users));
    if let Some(run) = &site.recording {
        say("submissions", Cell::count(run.submissions));
        say("jobs with array tasks", Cell::count(run.tasks));
        say("other events", Cell::count(run.events));
    }
    let files: Vec<String> =
        site.reading.used.iter().map(|(name, kind)| format!("{name} ({kind})")).collect();
    say("read", Cell::text(files.join(", ")));
    if !site.reading.ignored.is_empty() {
        say("left alone", Cell::text(number_of(site.reading.ignored.len(), "other file")));
    }
    Table::facts(facts).titled(site.folder.clone())
}

fn names(cluster: &Cluster, nodes: &[usize]) -> String {
    let names: Vec<&str> = nodes.iter().map(|&node| cluster.nodes[node].name.as_str()).collect();
    node_list(&names)
}

fn classes(cluster: &Cluster) -> Table {
    let columns = [
        Column::text("nodes").naming(),
        Column::integer("count"),
        Column::integer("processors"),
        Column::text("sockets × cores × threads").spare(4),
        Column::integer("memory").unit("MB").key("memory_mb").spare(2),
        Column::text("generic resources"),
        Column::text("features").spare(1),
        Column::integer("weight").spare(3),
        Column::text("not in service"),
    ];
    let mut table = Table::new(columns).titled("Node classes");
    for class in &cluster.classes {
        let node = &cluster.nodes[class.nodes[0]];
        table.row([
            Cell::text(names(cluster, &class.nodes)),
            Cell::count(class.nodes.len()),
            Cell::Integer(node.cpus.into()),
            Cell::text(format!("{} × {} × {}", node.sockets, node.cores_per_socket, node.threads_per_core)),
            Cell::Integer(i64::try_from(node.memory_mb).unwrap_or(i64::MAX)),
            optional(resources(node)),
            optional(node.features.join(",")),
            Cell::Integer(node.weight.into()),
            optional(out_of_service(cluster, class)),
        ]);
    }
    table
}

fn resources(node: &ClusterNode) -> String {
    let one = |GenericResource { name, kind, count }: &GenericResource| {
        let kind = kind.as_ref().map_or(String::new(), |kind| format!(":{kind}"));
        format!("{name}{kind}:{count}")
    };
    node.gres.iter().map(one).collect::<Vec<_>>().join(",")
}

fn out_of_service(cluster: &Cluster, class: &NodeClass) -> String {
    let count =
        |state: NodeState| class.nodes.iter().filter(|&&node| cluster.nodes[node].state == state).count();
    let states =
        [(NodeState::Down, "down"), (NodeState::Drained, "drained"), (NodeState::Future, "not there")];
    let told = states.iter().filter(|(state, _)| count(*state) > 0);
    told.map(|(state, word)| format!("{} {word}", count(*state))).collect::<Vec<_>>().join(", ")
}

fn length(time: Option<Seconds>) -> Cell {
    time.map_or(Cell::text("unlimited"), |time| Cell::duration(time.0 as f64))
}

fn partitions(cluster: &Cluster) -> Table {
    let columns = [
        Column::text("partition").naming(),
        Column::text("default"),
        Column::text("state"),
        Column::integer("nodes"),
        Column::integer("processors"),
        Column::duration("longest time").key("max_time_seconds"),
        Column::duration("default time").key("default_time_seconds").spare(1),
        Column::integer("tier").spare(2),
        Column::integer("factor").spare(3),
        Column::integer("most nodes").spare(5),
        Column::text("memory").spare(6),
        Column::text("sharing").spare(5),
        Column::text("admits").spare(4),
    ];
    let mut table = Table::new(columns).titled("Partitions");
    for one in &cluster.partitions {
        let cpus: i64 = one.nodes.iter().map(|&node| i64::from(cluster.nodes[node].cpus)).sum();
        table.row([
            Cell::text(&*one.name),
            if one.is_default { Cell::text("yes") } else { Cell::Missing },
            Cell::text(state(one)),
            Cell::count(one.nodes.len()),
            Cell::Integer(cpus),
            length(one.max_time),
            one.default_time.into(),
            Cell::Integer(one.priority_tier.into()),
            Cell::Integer(one.priority_job_factor.into()),
            one.max_nodes.map(i64::from).into(),
            one.default_memory.map(amount).into(),
            Cell::text(sharing(one.sharing)),
            optional(admits(one)),
        ]);
    }
    table
}

fn state(partition: &ClusterPartition) -> &'static str {
    match partition.state {
        PartitionState::Up => "up",
        PartitionState::Down => "down",
        PartitionState::Drain => "drain",
        PartitionState::Inactive => "inactive",
    }
}

fn amount(memory: MemoryAmount) -> String {
    match memory {
        MemoryAmount::PerCpu(mb) => format!("{mb} MB per processor"),
        MemoryAmount::PerNode(mb) => format!("{mb} MB per node"),
    }
}

fn sharing(sharing: Sharing) -> String {
    match sharing {
        Sharing::No => "no".to_owned(),
        Sharing::Exclusive => "whole nodes".to_owned(),
        Sharing::Yes(jobs) => format!("{jobs} jobs if asked"),
        Sharing::Force(jobs) => format!("{jobs} jobs"),
    }
}

fn admits(partition: &ClusterPartition) -> String {
    let parts = [
        allowed("accounts", &partition.accounts),
        allowed("groups", &partition.groups),
        allowed("QOS", &partition.allowed_qos),
        partition.qos.as_ref().map(|qos| format!("limits of QOS {qos}")),
        partition.root_only.then(|| "the administrator only".to_owned()),
        partition.needs_reservation.then(|| "reservations only".to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn qos(cluster: &Cluster) -> Table {
    Table::of(
        &cluster.qos,
        [
            (Column::text("QOS").naming(), |one| (&one.name).into()),
            (Column::integer("priority"), |one| Cell::Integer(one.priority.into())),
            (Column::number("usage factor"), |one| Cell::number(one.usage_factor, 2)),
            (Column::text("limits"), |one| {
                let holders = [("user", &one.per_user), ("account", &one.per_account)];
                optional(told(&one.group, &holders, &one.per_job))
            }),
            (Column::text("preempts").spare(1), |one| optional(one.preempts.join(","))),
        ],
    )
    .titled("QOS")
}

fn accounts(cluster: &Cluster) -> Table {
    let columns = [
        Column::text("account").naming(),
        Column::text("below"),
        Column::text("shares"),
        Column::integer("users"),
        Column::text("QOS").spare(2),
        Column::text("limits").spare(1),
    ];
    let all = &cluster.associations;
    let mut table = Table::new(columns).titled("Accounts");
    let accounts: Vec<(usize, &Association)> =
        all.0.iter().enumerate().filter(|(_, one)| one.user.is_none()).collect();
    let mut users = vec![0_usize; all.0.len()];
    for parent in all.0.iter().filter(|one| one.user.is_some()).filter_map(|one| one.parent) {
        users[parent.0] += 1;
    }
    for &(index, one) in accounts.iter().take(MOST_ACCOUNTS) {
        let shares = match one.shares {
            Shares::Of(shares) => shares.to_string(),
            Shares::Parent => "those of its parent".to_owned(),
        };
        table.row([
            Cell::text(&*one.account),
            one.parent.map(|parent| &*all[parent].account).into(),
            Cell::text(shares),
            Cell::count(users[index]),
            optional(one.qos.join(",")),
            optional(told(&one.group, &[("user", &one.own)], &one.per_job)),
        ]);
    }
    if accounts.len() > MOST_ACCOUNTS {
        table.note(format!("and {} more; --format json has all", accounts.len() - MOST_ACCOUNTS));
    }
    table
}

fn reservations(cluster: &Cluster) -> Table {
    let columns = [
        Column::text("reservation").naming(),
        Column::text("nodes"),
        Column::integer("start"),
        Column::integer("end"),
        Column::text("admits"),
    ];
    let mut table = Table::new(columns).titled("Reservations");
    for one in &cluster.reservations {
        let admits = [allowed("users", &one.users), allowed("accounts", &one.accounts)];
        table.row([
            Cell::text(&*one.name),
            optional(names(cluster, &one.nodes)),
            Cell::Identifier(one.start.0),
            Cell::Identifier(one.end.0),
            optional(admits.into_iter().flatten().collect::<Vec<_>>().join("; ")),
        ]);
    }
    table
}

fn differing(site: &CheckedSite) -> Table {
    Table::of(
        &site.differing,
        [
            (Column::text("setting").naming(), |one| (&one.name).into()),
            (Column::text("value"), |one| (&one.value).into()),
            (Column::text("default"), |one| (&one.default).into()),
        ],
    )
    .titled("Settings that differ from the defaults")
    .noted("lengths of time in seconds")
}

fn missing(site: &CheckedSite) -> Table {
    Table::of(
        &site.reading.missing,
        [
            (Column::text("missing").naming(), |one| (&*one.what).into()),
            (Column::text("taken instead"), |one| (&*one.instead).into()),
            (Column::text("why"), |one| {
                one.why.as_ref().map(|why| format!("could not be asked: {why}")).into()
            }),
        ],
    )
    .titled("Not in the folder")
}

fn not_modelled(site: &CheckedSite) -> Table {
    Table::of(
        &site.reading.not_modelled,
        [
            (Column::text("setting").naming(), |one| (&*one.name).into()),
            (Column::text("value"), |one| optional(one.value.clone())),
            (Column::text("place"), |one| optional(one.place().unwrap_or_default())),
        ],
    )
    .titled("Matters to scheduling and is not modelled")
}

fn warnings(site: &CheckedSite) -> Table {
    Table::of(&site.reading.warnings, [(Column::text("warning"), |one| one.into())]).titled("Warnings")
}

fn misread(site: &CheckedSite) -> Table {
    Table::of(
        &site.reading.misread,
        [
            (Column::text("place").naming(), |one| Cell::text(format!("{}:{}", one.file, one.line))),
            (Column::text("found"), |one| (&*one.found).into()),
            (Column::text("expected"), |one| (&*one.expected).into()),
        ],
    )
    .titled("Could not be read")
}
