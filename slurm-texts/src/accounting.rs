//! QOS and associations, from `sacctmgr show qos|assoc -P` in any order and choice of columns.

use std::collections::{BTreeMap, BTreeSet};

use super::notes::{KeyValue, Notes, few};
use super::table::{of_association, of_qos};
use queuecast_slurm_sim::cluster::{Association, AssociationIndex, Associations, Qos};

/// A table with `|` between columns: the names of the columns as they are compared, and the rows with their lines.
struct PipeTable {
    columns: Vec<String>,
    titles: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

/// A column's name without blanks, in lower case.
pub(super) fn column(title: &str) -> String {
    title.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

fn table(file: &str, text: &str, notes: &mut Notes) -> PipeTable {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let titles: Vec<String> =
        lines.next().map_or(Vec::new(), |(_, line)| line.trim_end().split('|').map(str::to_owned).collect());
    let columns: Vec<String> = titles.iter().map(|title| column(title)).collect();
    let cells = |text: &str| text.trim_end_matches('\r').split('|').map(str::to_owned).collect();
    let mut rows: Vec<(usize, Vec<String>)> = lines.map(|(line, text)| (line, cells(text))).collect();
    if let Some(surplus) = surplus_column(&columns, &rows) {
        rows.iter_mut().for_each(|row| drop(row.1.remove(surplus)));
        notes.warn(format!(
            "the rows of {file} have one column more than its header; it is taken to be the empty one behind {}",
            surplus.checked_sub(1).map_or("the begin", |before| &titles[before])
        ));
    }
    rows.retain_mut(|(line, cells)| {
        // `-p` ends each line with a bar, `-P` does not.
        if cells.len() == titles.len() + 1 && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        let is_read = cells.len() == titles.len();
        if !is_read {
            notes.unread_line(file, *line, &cells.join("|"), &format!("{} columns", titles.len()));
        }
        is_read
    });
    PipeTable { columns, titles, rows }
}

/// Where every row of associations has one cell more than the header, and not just a bar at its end: the cell to leave out, which is
/// empty in all rows. Which of several neighbouring empty cells it is makes no difference. `None` unless there is just one such place that leaves a number in every
/// share, and listed accounts as parents.
fn surplus_column(columns: &[String], rows: &[(usize, Vec<String>)]) -> Option<usize> {
    let place = |name: &str| columns.iter().position(|column| column == name);
    let (account, share, parent) = (place("account")?, place("share")?, place("parentname"));
    let has_one = |row: &(usize, Vec<String>)| row.1.len() == columns.len() + 1;
    if !rows.iter().all(has_one) || rows.iter().all(|row| row.1[columns.len()].is_empty()) {
        return None;
    }
    let is_empty = |place: usize| rows.iter().all(|row| row.1[place].trim().is_empty());
    let fits = |surplus: usize| {
        let cells =
            |column: usize| rows.iter().map(move |row| row.1[column + usize::from(column >= surplus)].trim());
        let accounts: BTreeSet<&str> = cells(account).collect();
        let is_share = |cell: &str| cell.eq_ignore_ascii_case("parent") || cell.parse::<u32>().is_ok();
        let mut parents = parent.into_iter().flat_map(cells);
        cells(share).all(is_share) && parents.all(|cell| cell.is_empty() || accounts.contains(cell))
    };
    let firsts = (0..=columns.len()).filter(|&at| is_empty(at) && (at == 0 || !is_empty(at - 1)));
    let mut fitting = firsts.filter(|&at| fits(at));
    fitting.next().filter(|_| fitting.next().is_none())
}

impl PipeTable {
    /// The non-empty cells of a row, by column.
    fn cells_of<'a>(
        &'a self,
        file: &'a str,
        row: &'a (usize, Vec<String>),
    ) -> impl Iterator<Item = (&'a str, KeyValue)> {
        let cells = self.columns.iter().zip(&self.titles).zip(&row.1);
        let pair = cells.filter(|(_, cell)| !cell.trim().is_empty());
        pair.map(move |((column, title), cell)| {
            let pair =
                KeyValue { file: file.to_owned(), line: row.0, key: title.clone(), value: cell.clone() };
            (column.as_str(), pair)
        })
    }
}

/// The QOS of `sacctmgr show qos`.
pub(super) fn qos(file: &str, text: &str, notes: &mut Notes) -> Vec<Qos> {
    let table = table(file, text, notes);
    let mut all: Vec<Qos> = Vec::new();
    for row in &table.rows {
        let mut one = Qos::default();
        for (column, pair) in table.cells_of(file, row) {
            qos_column(&mut one, column, &pair, notes);
        }
        if one.name.is_empty() {
            notes.unread_line(file, row.0, &row.1.join("|"), "the name of a QOS");
        } else if all.iter().any(|known| known.name == one.name) {
            notes.warn(format!("QOS {} is listed twice; the first counts", one.name));
        } else {
            all.push(one);
        }
    }
    all
}

/// Puts a column of a QOS into its place.
pub(super) fn qos_column(qos: &mut Qos, column: &str, pair: &KeyValue, notes: &mut Notes) {
    let value = pair.value.trim();
    match (column, of_qos().find(|row| row.key_like(column).is_some())) {
        ("name", _) => qos.name = value.to_owned(),
        ("id" | "descr" | "description", _) => {}
        (_, Some(row)) => (row.set)(qos, pair, notes),
        (_, None) => notes.part_not_modelled(pair, &format!("QOS:{}", pair.key), value),
    }
}

/// One row of associations before its parent is known.
#[derive(Default)]
struct AssociationRow {
    line: usize,
    cluster: String,
    parent_name: Option<String>,
    /// Blanks before the account's name, with which `tree` shows depth.
    depth: usize,
    one: Association,
}

/// The associations of `sacctmgr show assoc`, of one cluster. Each account comes after its parent.
pub(super) fn associations(file: &str, text: &str, cluster: &str, notes: &mut Notes) -> Associations {
    let table = table(file, text, notes);
    let has_parents = table.columns.iter().any(|column| column == "parentname");
    let mut rows = Vec::new();
    for row in &table.rows {
        let mut read = AssociationRow { line: row.0, ..AssociationRow::default() };
        for (column, pair) in table.cells_of(file, row) {
            association_column(&mut read, column, &pair, notes);
        }
        if read.one.account.is_empty() {
            notes.unread_line(file, row.0, &row.1.join("|"), "an account");
        } else {
            rows.push(read);
        }
    }
    let wanted = rows.iter().map(|row| row.cluster.as_str()).find(|name| name.eq_ignore_ascii_case(cluster));
    let chosen =
        wanted.or_else(|| rows.first().map(|row| row.cluster.as_str())).unwrap_or_default().to_owned();
    let before = rows.len();
    rows.retain(|row| row.cluster == chosen);
    if rows.len() < before {
        notes.warn(format!("{file} has associations of several clusters; those of {chosen} count"));
    }
    connected(file, rows, has_parents, notes)
}

/// Applies a column to an association, except for the columns that define the tree.
pub(super) fn set_association(one: &mut Association, column: &str, pair: &KeyValue, notes: &mut Notes) {
    let mut row = AssociationRow { one: std::mem::take(one), ..AssociationRow::default() };
    association_column(&mut row, column, pair, notes);
    *one = row.one;
}

fn association_column(row: &mut AssociationRow, column: &str, pair: &KeyValue, notes: &mut Notes) {
    let (value, one) = (pair.value.trim(), &mut row.one);
    match (column, of_association().find(|row| row.key_like(column).is_some())) {
        ("cluster", _) => row.cluster = value.to_owned(),
        ("account", _) => {
            row.depth = pair.value.chars().take_while(|letter| *letter == ' ').count();
            one.account = value.to_owned();
        }
        ("user", _) => one.user = Some(value.to_owned()),
        ("partition", _) => one.partition = Some(value.to_owned()),
        ("parentname" | "parent", _) => row.parent_name = Some(value.to_owned()),
        ("id" | "parentid" | "lft" | "rgt" | "lineage" | "comment" | "flags" | "isdefault", _) => {}
        (_, Some(row)) => (row.set)(one, pair, notes),
        (_, None) => notes.part_not_modelled(pair, &format!("association:{}", pair.key), value),
    }
}

/// Gives each row its parent: a user's account, the account named as parent, the one implied by indentation, or the root.
fn connected(file: &str, rows: Vec<AssociationRow>, has_parents: bool, notes: &mut Notes) -> Associations {
    let by_depth = !has_parents && rows.iter().any(|row| row.depth > 0);
    let mut accounts: BTreeMap<String, (String, AssociationRow)> = BTreeMap::new();
    let (mut order, mut users, mut above) = (Vec::new(), Vec::new(), Vec::<(usize, String)>::new());
    for row in rows {
        if row.one.user.is_some() {
            users.push(row);
            continue;
        }
        let name = row.one.account.clone();
        if accounts.contains_key(&name) {
            notes.unread_line(file, row.line, &name, "each account once");
            continue;
        }
        let parent = if has_parents {
            row.parent_name.clone().unwrap_or_default()
        } else if by_depth {
            above.retain(|(depth, _)| *depth < row.depth);
            above.last().map_or(String::new(), |(_, name)| name.clone())
        } else if name == "root" {
            String::new()
        } else {
            "root".to_owned()
        };
        above.push((row.depth, name.clone()));
        order.push(name.clone());
        accounts.insert(name, (parent, row));
    }
    if !accounts.is_empty() && !has_parents && !by_depth {
        notes.warn(format!(
            "{file} has no column ParentName; every account is taken to be directly below root"
        ));
    }
    placed(file, accounts, order, users, notes)
}

/// The tree, parents first: accounts in their order, each followed by its users and then the accounts below it.
fn placed(
    file: &str,
    mut accounts: BTreeMap<String, (String, AssociationRow)>,
    order: Vec<String>,
    users: Vec<AssociationRow>,
    notes: &mut Notes,
) -> Associations {
    let (mut all, mut places) = (Vec::<Association>::new(), BTreeMap::<String, AssociationIndex>::new());
    let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut roots = Vec::new();
    for name in &order {
        let parent = &accounts[name].0;
        if accounts.contains_key(parent) && parent != name {
            below.entry(parent.clone()).or_default().push(name.clone());
        } else {
            if !parent.is_empty() && parent != name && parent != "root" {
                notes.warn(format!("account {name} is below {parent}, which {file} does not list"));
            }
            roots.push(name.clone());
        }
    }
    let mut waiting: Vec<(Option<AssociationIndex>, String)> =
        roots.into_iter().rev().map(|name| (None, name)).collect();
    let mut of_account: BTreeMap<String, Vec<Association>> = BTreeMap::new();
    for row in users {
        of_account.entry(row.one.account.clone()).or_default().push(row.one);
    }
    while let Some((parent, name)) = waiting.pop() {
        let Some((_, row)) = accounts.remove(&name) else { continue };
        let here = AssociationIndex(all.len());
        places.insert(name.clone(), here);
        all.push(Association { parent, ..row.one });
        for user in of_account.remove(&name).unwrap_or_default() {
            all.push(Association { parent: Some(here), ..user });
        }
        let children = below.remove(&name).unwrap_or_default();
        waiting.extend(children.into_iter().rev().map(|child| (Some(here), child)));
    }
    if !accounts.is_empty() {
        let names: Vec<&str> = accounts.keys().map(String::as_str).collect();
        notes.warn(format!("accounts below each other in a circle are left out: {}", few(&names)));
    }
    if !of_account.is_empty() {
        let names: Vec<&str> = of_account.keys().map(String::as_str).collect();
        notes.warn(format!("users of accounts that are not listed are left out: {}", few(&names)));
    }
    Associations(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;
    use queuecast_slurm_sim::cluster::Shares;

    #[test]
    fn qos_in_any_order_of_columns() {
        let mut notes = Notes::default();
        let text = "MaxTRESPU|Name|Flags|Priority|UsageFactor|MaxWall|GrpTRESMins|Preempt|PreemptMode|New\ncpu=80,gres/gpu=2|normal|DenyOnLimit,OverPartQOS|100|2.500000|1-00:00:00|cpu=600|low,scav|cluster,requeue|\n|low|Odd|x|1.0|||||7\nbroken|row\n";
        let found = qos("qos.psv", text, &mut notes);
        let [normal, low] = &found[..] else { panic!("{found:?}") };
        assert_eq!(
            (normal.priority, normal.usage_factor, normal.per_job.wall),
            (100, 2.5, Some(Seconds(86_400)))
        );
        assert_eq!((normal.per_user.tres.cpu(), normal.group.tres_minutes.cpu()), (Some(80), Some(600)));
        assert!(normal.flags.deny_on_limit && normal.flags.over_part_qos && !normal.flags.no_decay);
        assert_eq!(normal.preempts, ["low", "scav"]);
        assert_eq!(normal.preempt, Some(queuecast_slurm_sim::cluster::PreemptAction::Requeue));
        assert_eq!((low.priority, low.per_user.tres.is_empty()), (0, true));
        // Lines with another number of columns are found first.
        assert_eq!(notes.misread.iter().map(|one| one.line).collect::<Vec<_>>(), [4, 3]);
        let names: Vec<&str> = notes.unmodelled.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["QOS:Flags:Odd", "QOS:New"]);
    }

    #[test]
    fn associations_are_a_tree() {
        let mut notes = Notes::default();
        let text = "Cluster|Account|User|Share|MaxJobs|GrpTRES|QOS|Def QOS|ParentName\nc|sub||parent||||| dept\nc|sub|ann|2|5||a,b|a|\nc|root||1||||||\nc|dept||10||cpu=8||||root\nc|root|root|1||||||\nother|x||1||||||root\n".replace("|parent||||| dept", "|parent|||||dept").replace("||||||\n", "|||||\n").replace("||||||root", "|||||root").replace("cpu=8||||root", "cpu=8|||root");
        let all = associations("assoc.psv", &text, "c", &mut notes);
        let above = |one: &Association| one.parent.map(|parent| parent.0);
        let told: Vec<(&str, Option<&str>, Option<usize>)> =
            all.0.iter().map(|one| (one.account.as_str(), one.user.as_deref(), above(one))).collect();
        assert_eq!(
            told,
            [
                ("root", None, None),
                ("root", Some("root"), Some(0)),
                ("dept", None, Some(0)),
                ("sub", None, Some(2)),
                ("sub", Some("ann"), Some(3))
            ],
            "{notes:?}"
        );
        assert_eq!(
            (all.0[3].shares, all.0[4].shares, all.0[4].own.jobs),
            (Shares::Parent, Shares::Of(2), Some(5))
        );
        assert_eq!((all.0[2].group.tres.cpu(), all.0[4].default_qos.as_deref()), (Some(8), Some("a")));
        assert_eq!(notes.warnings.len(), 1);
    }

    /// Rows with one empty column too many are read if it can be one only, which is said; else none is.
    #[test]
    fn one_empty_column_too_many_is_left_out_where_that_is_certain() {
        let read = |head: &str, rows: [&str; 3]| {
            let mut notes = Notes::default();
            let text = [head, rows[0], rows[1], rows[2]].join("\n");
            (associations("assoc.txt", &text, "c", &mut notes), notes)
        };
        let head = "Cluster|Account|User|ParentName|Share|GrpJobs|MaxJobs|QOS|DefaultQOS";
        let (found, notes) = read(head, ["c|root|||1||||a,b|", "c|g||root|10||||a,b|", "c|g|u||1||||a,b|b"]);
        let qos: Vec<&[String]> = found.0.iter().map(|one| &one.qos[..]).collect();
        assert_eq!(qos, [["a", "b"]; 3]);
        assert_eq!((found.0[2].user.as_deref(), found.0[2].default_qos.as_deref()), (Some("u"), Some("b")));
        let said = format!("{notes:?}");
        assert!(
            said.contains("have one column more than its header") && said.contains("behind Share"),
            "{said}"
        );
        // Control: it could be before or behind GrpJobs.
        let (found, notes) =
            read(head, ["c|root|||1||7||a,b|", "c|g||root|10||7||a,b|", "c|g|u||1||7||a,b|b"]);
        assert!(found.0.iter().all(|one| one.user.is_none()), "{found:?}");
        let said = format!("{notes:?}");
        assert!(said.contains("9 columns") && !said.contains("one column more"), "{said}");
    }

    #[test]
    fn depth_tells_parents_and_circles_are_left_out() {
        let mut notes = Notes::default();
        let all = associations(
            "a",
            "Account|User\nroot|\n root|root\n dept|\n  sub|\n  sub|ann\n other|\n",
            "",
            &mut notes,
        );
        let parent = |account: &str| all[all.of_account(account).unwrap()].parent;
        assert_eq!(
            (parent("dept"), parent("sub"), parent("other")),
            (all.of_account("root"), all.of_account("dept"), all.of_account("root"))
        );
        let all = associations("a", "Account|ParentName\na|b\nb|a\nroot|\n", "", &mut notes);
        assert_eq!((all.0.len(), notes.warnings.len()), (1, 1));
    }
}
