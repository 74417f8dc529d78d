//! Whether Slurm can be asked what following a site needs: its commands, its daemons, what this user sees, and its clock.

use std::collections::HashSet;

use queuecast_core::units::Time;
use queuecast_trace::sacct::ARGUMENTS;

use crate::checkup::ServiceCheck;
use crate::collector::{Ask, AskFailed};
use crate::declared::{self, DeclaredCommand, Frequency};

const AREA: &str = "slurm";

/// Clocks that are further apart make waits look shorter or longer than they are.
const CLOCKS_APART: i64 = 5;

/// How far back accounting is looked at.
const DAY: i64 = 86_400;

fn command(program: &'static str, arguments: &[&str]) -> DeclaredCommand {
    DeclaredCommand {
        program,
        arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        frequency: Frequency::Once,
        purpose: "whether Slurm answers",
        daemon: "slurmctld",
        rights: "any user",
    }
}

/// The value of a key in what `scontrol show config` prints.
fn value<'t>(config: &'t str, wanted: &str) -> Option<&'t str> {
    config.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == wanted).then(|| value.trim())
    })
}

/// Asks Slurm as `user`, and says what works. `now` is asked after each answer.
pub fn slurm_checks(ask: &impl Ask, user: &str, now: impl Fn() -> Time) -> Vec<ServiceCheck> {
    let mut checks = vec![version(ask)];
    let config = ask.ask(&declared::cluster_name());
    let at = now();
    match &config {
        Ok(text) => {
            checks.push(cluster(text));
            checks.extend(clock(text, at));
        }
        Err(why) => checks.push(ServiceCheck::wrong(
            AREA,
            "slurmctld",
            format!("scontrol show config: {}", why.0),
            "see that slurmctld runs and that munge does on this machine (scontrol ping), and try again",
        )),
    }
    checks.push(listed(
        ask.ask(&declared::queue()),
        ("squeue", "squeue -a", "jobs are queued, running or have just ended"),
    ));
    checks
        .push(listed(ask.ask(&declared::nodes()), ("sinfo", "sinfo -a -N", "rows of nodes and partitions")));
    let config = config.unwrap_or_default();
    checks.push(accounting(ask, &config, at));
    if !config.is_empty() {
        checks.push(rights(ask, &config, user));
    }
    checks
}

fn version(ask: &impl Ask) -> ServiceCheck {
    match ask.ask(&command("scontrol", &["--version"])) {
        Ok(text) => ServiceCheck::ok(AREA, "version", text.lines().next().unwrap_or_default().trim()),
        Err(why) => ServiceCheck::wrong(
            AREA,
            "version",
            format!("scontrol --version: {}", why.0),
            "run this on a machine of the site that has Slurm's commands; as a service, name their folder with Environment=PATH=…",
        ),
    }
}

fn cluster(config: &str) -> ServiceCheck {
    match value(config, "ClusterName").filter(|name| !name.is_empty()) {
        Some(name) => ServiceCheck::ok(AREA, "slurmctld", format!("answers for the cluster {name}")),
        None => ServiceCheck::wrong(
            AREA,
            "slurmctld",
            "scontrol show config names no cluster",
            "set ClusterName in slurm.conf, or name the cluster with queuecast collect --cluster",
        ),
    }
}

/// The controller's clock, as it dates its configuration.
fn clock(config: &str, now: Time) -> Option<ServiceCheck> {
    let dated = config.lines().next()?.rsplit(' ').next()?.trim().parse::<i64>().ok()?;
    let apart = now.0 - dated;
    let found = format!("{apart} s ahead of slurmctld's");
    Some(if apart.abs() <= CLOCKS_APART {
        ServiceCheck::ok("clock", "this machine", found)
    } else {
        ServiceCheck::wrong(
            "clock",
            "this machine",
            found,
            "let both machines follow the same time server (timedatectl, chronyc tracking)",
        )
    })
}

fn listed(printed: Result<String, AskFailed>, (program, line, what): (&str, &str, &str)) -> ServiceCheck {
    match printed {
        Ok(text) => ServiceCheck::ok(AREA, program, format!("{} {what}", text.lines().count())),
        Err(why) => ServiceCheck::wrong(
            AREA,
            program,
            why.0.clone(),
            format!("run {line} by hand as this user: the collector looks by it at every interval"),
        ),
    }
}

fn accounting(ask: &impl Ask, config: &str, now: Time) -> ServiceCheck {
    const KIND: &str = "AccountingStorageType";
    if let Some(kind) = value(config, KIND).filter(|kind| kind.ends_with("/none")) {
        let found = format!("{KIND} = {kind}: there is no accounting");
        return ServiceCheck::wrong(
            AREA,
            "sacct",
            found,
            "set up slurmdbd: forecasts learn from accounting; without it they are of the queue alone",
        );
    }
    let text = match ask.ask(&declared::accounting(now.0 - DAY, now.0)) {
        Ok(text) => text,
        Err(why) => {
            let to_do = "see that slurmdbd runs and that this user may ask it: sacct -a -X by hand";
            return ServiceCheck::wrong(AREA, "sacct", why.0, to_do);
        }
    };
    let separator = ARGUMENTS.iter().find_map(|word| word.strip_prefix("--delimiter=")).unwrap_or("|");
    let mut rows = text.lines();
    let user = rows.next().and_then(|titles| titles.split(separator).position(|title| title == "User"));
    let rows: Vec<&str> = rows.collect();
    let users: HashSet<&str> = rows.iter().filter_map(|row| row.split(separator).nth(user?)).collect();
    let found = format!("{} jobs of {} users existed within the last day", rows.len(), users.len());
    if rows.is_empty() {
        return ServiceCheck::note(
            AREA,
            "sacct",
            found,
            "if jobs have run, see that this user may see those of others (PrivateData in slurmdbd.conf)",
        );
    }
    ServiceCheck::ok(AREA, "sacct", found)
}

/// Whether this user sees the jobs of others.
fn rights(ask: &impl Ask, config: &str, user: &str) -> ServiceCheck {
    let private = value(config, "PrivateData").unwrap_or("none");
    let hidden: Vec<&str> =
        private.split(',').filter(|kind| ["jobs", "nodes", "usage", "users"].contains(kind)).collect();
    if hidden.is_empty() {
        return ServiceCheck::ok(
            AREA,
            "rights",
            format!("PrivateData = {private}: every user sees all jobs"),
        );
    }
    let is_slurm_user = value(config, "SlurmUser").is_some_and(|text| text.split('(').next() == Some(user));
    let level = ask
        .ask(&command("sacctmgr", &["-n", "-P", "show", "user", user, "format=AdminLevel"]))
        .unwrap_or_default();
    let is_operator = level.trim().starts_with("Operator") || level.trim().starts_with("Admin");
    if user == "root" || is_slurm_user || is_operator {
        return ServiceCheck::ok(
            AREA,
            "rights",
            format!("PrivateData = {private}, and {user} sees all as an operator"),
        );
    }
    let found =
        format!("PrivateData = {private}: {user} does not see the {} of others", hidden.join(" and "));
    let to_do = format!("sacctmgr modify user {user} set AdminLevel=Operator, or collect as SlurmUser");
    // Of other private data forecasts suffer less than of jobs.
    if hidden.contains(&"jobs") || hidden.contains(&"nodes") {
        return ServiceCheck::wrong(AREA, "rights", found, to_do);
    }
    ServiceCheck::note(AREA, "rights", found, to_do)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkup::CheckState;

    struct Site(&'static str, &'static str, Option<&'static str>);

    impl Ask for Site {
        fn ask(&self, command: &DeclaredCommand) -> Result<String, AskFailed> {
            let failed = |why: &str| Err(AskFailed(why.to_owned()));
            match (command.program, command.arguments[0].as_str()) {
                ("scontrol", "--version") => Ok("slurm 24.11.5\n".to_owned()),
                ("scontrol", _) => Ok(format!(
                    "Configuration data as of 1000\nClusterName = c\nSlurmUser = slurm(64030)\nPrivateData = {}\n",
                    self.0
                )),
                ("sacctmgr", _) => Ok(self.1.to_owned()),
                ("squeue", _) => Ok("1|RUNNING\n2|PENDING\n".to_owned()),
                ("sacct", _) => self.2.map_or_else(|| failed("no slurmdbd"), |text| Ok(text.to_owned())),
                _ => failed("there is no such program here"),
            }
        }
    }

    fn states(site: &Site, user: &str, now: i64) -> Vec<(String, CheckState)> {
        let checks = slurm_checks(site, user, || Time(now));
        assert!(checks.iter().all(|one| (one.state == CheckState::Ok) == one.to_do.is_none()), "{checks:?}");
        checks.into_iter().map(|one| (format!("{}: {}", one.check, one.found), one.state)).collect()
    }

    #[test]
    fn what_does_not_answer_is_wrong_and_all_else_is_told_too() {
        let found = states(
            &Site("none", "", Some("JobIDRaw\u{1f}User\n1\u{1f}ann\n2\u{1f}bob\n3\u{1f}bob\n")),
            "x",
            1_002,
        );
        let all: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(
            all,
            [
                "version: slurm 24.11.5",
                "slurmctld: answers for the cluster c",
                "this machine: 2 s ahead of slurmctld's",
                "squeue: 2 jobs are queued, running or have just ended",
                "sinfo: there is no such program here",
                "sacct: 3 jobs of 2 users existed within the last day",
                "rights: PrivateData = none: every user sees all jobs",
            ]
        );
        let wrong: Vec<usize> = (0..7).filter(|&at| found[at].1 == CheckState::Wrong).collect();
        assert_eq!(wrong, [4]);
    }

    #[test]
    fn rights_are_those_of_this_user() {
        let rights = |private, level, user: &str| {
            states(&Site(private, level, Some("")), user, 1_000).pop().unwrap().1
        };
        assert_eq!(rights("jobs,usage", "None\n", "ann"), CheckState::Wrong);
        assert_eq!(rights("usage", "None\n", "ann"), CheckState::Note);
        assert_eq!(rights("accounts,events", "None\n", "ann"), CheckState::Ok);
        for (level, user) in [("Operator\n", "ann"), ("Administrator\n", "ann"), ("", "slurm"), ("", "root")]
        {
            assert_eq!(rights("jobs", level, user), CheckState::Ok, "{user}");
        }
    }

    #[test]
    fn clocks_that_are_apart_are_found() {
        let clock = |now: i64| states(&Site("none", "", None), "x", now)[2].1;
        assert_eq!(
            (clock(995), clock(1_005), clock(994), clock(1_006)),
            (CheckState::Ok, CheckState::Ok, CheckState::Wrong, CheckState::Wrong)
        );
    }
}
