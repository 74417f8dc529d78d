//! What accounting does not tell because `sacct` was asked for too few columns.

use std::collections::BTreeMap;

/// Columns of which one at least is needed, in lower case; how they are called, and what is assumed without them.
const NEEDED: [(&[&str], &str, &str); 10] = [
    (&["nodelist"], "NodeList", "jobs ran on the nodes that the scheduler would give them"),
    (&["submitline"], "SubmitLine", "jobs asked for what the other columns tell"),
    (&["reqtres", "reqmem"], "ReqTRES", "jobs asked for their partition's default memory and for no GPUs"),
    (&["timelimitraw", "timelimit"], "TimelimitRaw", "jobs had their partition's default limit"),
    (&["partition"], "Partition", "jobs asked for the default partition"),
    (&["qos"], "QOS", "jobs had the default QOS of their association"),
    (&["account"], "Account", "jobs were charged to the default account of their user"),
    (&["user"], "User", "all jobs are of one user"),
    (&["constraints"], "Constraints", "no job asked for features of nodes"),
    (&["reservation"], "Reservation", "no job asked for a reservation"),
];

/// What is assumed for want of columns, by those that there are, their names in lower case.
pub(super) fn assumed_without(columns: &BTreeMap<String, usize>) -> Vec<String> {
    let missing = NEEDED.iter().filter(|(names, ..)| !names.iter().any(|name| columns.contains_key(*name)));
    missing.map(|(_, column, assumed)| format!("no column {column}, so {assumed}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_that_is_needed_is_told_if_it_is_not_there() {
        let columns = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 0)).collect();
        let all: Vec<&str> = NEEDED.iter().map(|(names, ..)| names[0]).collect();
        assert_eq!(assumed_without(&columns(&all)), [""; 0]);
        // Another column tells the same, or part of it.
        let old: Vec<&str> = NEEDED.iter().map(|(names, ..)| names[names.len() - 1]).collect();
        assert_eq!(assumed_without(&columns(&old)), [""; 0]);
        assert_eq!(
            assumed_without(&columns(&all[1..])),
            ["no column NodeList, so jobs ran on the nodes that the scheduler would give them"]
        );
        assert_eq!(assumed_without(&BTreeMap::new()).len(), NEEDED.len());
    }
}
