//! Tables as texts, and the scripts run by the interpreters of Lua that there are; without one they are skipped, which `scripts/test` says.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it says what it measures, and if it is skipped"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use queuecast_core::job::{Job, Truth, UserId};
use queuecast_core::units::Procs;
use queuecast_core::workload::Machine;
use queuecast_place::StartCell;

use super::*;

/// Slurm has been built with each of them.
fn interpreters() -> Vec<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("-v").output().is_ok_and(|ran| ran.status.success());
    let found: Vec<&str> = ["lua5.1", "lua5.3", "lua5.4", "lua", "luajit"].into_iter().filter(runs).collect();
    if found.is_empty() {
        eprintln!("skipped: there is no interpreter of Lua");
    }
    found
}

fn starts(at: i64) -> String {
    let cell = |procs, limit, [low, median, high]: [f64; 3]| StartCell {
        procs: Procs(procs),
        limit: Seconds(limit),
        low,
        median,
        high,
        is_reliable: true,
    };
    let cells = vec![
        cell(1, 3_600, [0.0, 0.4, 20.0]),
        cell(1, 14_400, [600.0, 3_600.0, 7_200.0]),
        cell(8, 3_600, [1_800.0, 3_600.0, 5_400.0]),
        cell(8, 14_400, [7_200.0, 10_800.0, 14_400.0]),
    ];
    let named = |name: &str| PartitionStarts {
        name: name.to_owned(),
        on_node: Procs(4),
        longest: Some(Seconds(14_400)),
        cells: cells.clone(),
    };
    let defaults = SiteDefaults::read("batch|batch*|1:00:00\nlong|long|n/a\nnonsense\n");
    starts_text(&[named("batch"), named("two words"), named("long")], Time(at), (&defaults, Seconds(600)))
}

#[test]
fn the_table_of_starts_is_as_the_script_reads_it() {
    let text = starts(5_000);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..4], ["queuecast starts 1", "at 5000", "valid 600", "partition batch 4 14400 3600 1"]);
    assert_eq!((lines[4], lines[5]), ("1 3600 0 0 20 1", "1 14400 600 3600 7200 1"));
    assert_eq!((lines[8], lines.last()), ("partition long 4 14400 0 0", Some(&"end")));
    assert!(!text.contains("two words"), "words are parted by spaces");
}

#[test]
fn limits_are_of_the_longest_of_the_last_runs() {
    let job = |user: u32, number: i64, run: i64| {
        let mut job = Job::rigid(number as u64, Time(100 * number), Procs(1), None);
        job.user = UserId::new(user);
        (job, Truth::rigid(Seconds(run)))
    };
    let mut jobs: Vec<(Job, Truth)> = (0..30).map(|number| job(1, number, 60 * number)).collect();
    // Too few jobs, a user without a name, and one whose short jobs get the least that there is.
    jobs.extend((30..49).map(|number| job(2, number, 60)));
    jobs.extend((50..80).map(|number| job(3, number, 60)));
    jobs.extend((80..100).map(|number| job(4, number, 1)));
    let mut past = Workload::new(Machine { procs: Procs(4) }, jobs).unwrap();
    past.starts = past.jobs().iter().map(|job| job.submit).collect();
    past.names.users =
        [(1, "ann"), (2, "bob"), (4, "eve")].map(|(number, name)| (number, name.to_owned())).into();
    let text = limits_text(&past, Time(1_000_000));
    // 29 minutes and half as much are 43.5.
    assert_eq!(text, "queuecast limits 1\nat 1000000\nuser ann 50 30\nuser eve 30 20\nend\n");
    // Of a job that runs only what it has run so far is known; those that start later do not count.
    let text = limits_text(&past, Time(2_500));
    assert!(text.contains("user ann 30 26\n"), "{text}");
}

#[test]
fn scripts_name_their_table_from_the_root() {
    for (_, script) in SubmissionScript::NAMES {
        let text = script.text("/var/lib/q \"x\"/").unwrap();
        assert!(text.contains("= \"/var/lib/q \\\"x\\\"/") && !text.contains("S@"), "{text}");
        assert!(script.text("tables").is_err());
    }
    assert_eq!(quoted("a\n\u{85}é"), "a\\010\\194\\133é");
}

/// What Slurm offers to a script, and the options of a job; an unset one is nil.
const SLURM: &str = r#"
said = nil
slurm = { SUCCESS = 0, ERROR = -1, log_info = function(...) said = string.format(...) end, log_user = function(...) said = string.format(...) end }
function job(options) return setmetatable({}, { __index = function(_, name) if options[name] == "boom" then error("boom") end return options[name] end }) end
"#;

/// Runs a program of Lua with the script of this folder; what it prints.
fn run(lua: &str, folder: &Path, script: SubmissionScript, program: &str) -> String {
    let text = script.text(&folder.display().to_string()).unwrap();
    fs::write(folder.join("script.lua"), text).unwrap();
    let dofile = format!("dofile({:?})", folder.join("script.lua").display().to_string());
    fs::write(folder.join("program.lua"), format!("{SLURM}\n{dofile}\n{program}")).unwrap();
    let ran = Command::new(lua).arg(folder.join("program.lua")).env("TZ", "UTC").output().unwrap();
    assert!(ran.status.success(), "{lua}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn a_submitted_job_is_told_when_it_likely_starts() {
    // Noon.
    let noon = 1_700_049_600_i64;
    let asked = [
        ("{ partition = 'batch', ntasks = '1', time = '01:00:00' }", "queuecast: likely now"),
        // Without a limit the partition's default counts, without a partition the default one.
        (
            "{ ntasks = '1', time = '2982616-04:14:00', nodes = '1-0', ['cpus-per-task'] = '0' }",
            "queuecast: likely now",
        ),
        (
            "{ partition = 'batch', ntasks = '1', time = '04:00:00' }",
            "queuecast: likely 12:10-14:00; with -t 1h instead of 4h: now",
        ),
        (
            "{ partition = 'long', nodes = '2', exclusive = 'exclusive', time = '240', gres = 'gres:gpu:1' }",
            "queuecast: likely 14:00-16:00; with -t 1h instead of 4h: 12:30-13:30 (whatever --gres)",
        ),
        (
            "{ partition = 'none,batch,long', ntasks = '2', ['cpus-per-task'] = '3', time = '60' }",
            "queuecast: likely 12:30-13:30",
        ),
        // Larger, longer or elsewhere than the table has; and what the queue does not decide.
        ("{ partition = 'batch', ntasks = '9', time = '60' }", "nil"),
        ("{ partition = 'batch', time = '1-00:00:00' }", "nil"),
        ("{ partition = 'none' }", "nil"),
        ("{ ntasks = '1', quiet = '1' }", "nil"),
        ("{ ntasks = '1', quiet = '0', type = 'srun' }", "queuecast: likely now"),
        ("{ partition = 'batch', time = '60', begin = '2026-01-01T00:00:00' }", "nil"),
        ("{ partition = 'batch', time = '60', hold = 'unset', dependency = 'afterok:1' }", "nil"),
    ];
    for lua in interpreters() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(STARTS_FILE), starts(noon)).unwrap();
        let path = folder.path().join(STARTS_FILE).display().to_string();
        let mut program = String::new();
        for (options, _) in &asked {
            program += &format!("print(queuecast.line(job({options}), {path:?}, {noon}))\n");
        }
        // Eleven minutes later the table is not used; nor is one of the future.
        for now in [noon + 599, noon + 601, noon - 100] {
            program += &format!("print(queuecast.line(job({{ ntasks = '1' }}), {path:?}, {now}))\n");
        }
        program += &format!(
            "os.getenv = function(name) return name == 'SLURM_JOB_ID' and '7' or nil end\n\
             for _, kind in ipairs({{ 'srun', 'sbatch' }}) do\n\
             print(queuecast.line(job({{ ntasks = '1', type = kind }}), {path:?}, {noon})) end\n"
        );
        let said = run(lua, folder.path(), SubmissionScript::CliFilter, &program);
        let mut expected: Vec<&str> = asked.iter().map(|one| one.1).collect();
        expected.extend(["queuecast: likely now", "nil", "nil"]);
        // A step within a job, and a job that is submitted within one.
        expected.extend(["nil", "queuecast: likely now"]);
        assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{lua}");
    }
}

/// Options that a user may set to anything.
const HOSTILE: &str = r#"
local nasty = { "", "%s%d%n", "'; rm -rf / #", '"$(reboot)"', "`id`", "a\0b", "-1", "1e308", "99999999999999999999", "inf", "nan", "--",
  string.rep("9", 10000), string.rep("batch,", 5000), "\n\r\t", "\255\254", "boom", "1-", "-1-1", ":::", "0x10", "../../etc/passwd" }
local names = { "partition", "time", "ntasks", "nodes", "cpus-per-task", "ntasks-per-node", "exclusive", "gres", "begin", "qos", "job-name" }
local count = 0
for _, name in ipairs(names) do
  for _, text in ipairs(nasty) do
    local options = { partition = "batch", ntasks = "1", time = "60" }
    options[name] = text
    said = nil
    assert(slurm_cli_setup_defaults(job(options), false) == slurm.SUCCESS)
    assert(slurm_cli_pre_submit(job(options), 0) == slurm.SUCCESS, name)
    assert(slurm_cli_post_submit(0, 1, 2) == slurm.SUCCESS)
    -- Nothing of what was asked is printed.
    assert(said == nil or said:match("^queuecast: likely [%w :%-]+[;%w %-:]*[%w%-%(%) ]*$"), said)
    count = count + 1
  end
end
for _, options in ipairs({ false, 7, "text", {}, function() end }) do
  assert(slurm_cli_pre_submit(options, 0) == slurm.SUCCESS)
  count = count + 1
end
-- A Slurm without the function, and one whose function fails.
slurm.log_info = nil
assert(slurm_cli_pre_submit(job({ ntasks = "1" }), 0) == slurm.SUCCESS)
slurm.log_info = function() error("no terminal") end
assert(slurm_cli_pre_submit(job({ ntasks = "1" }), 0) == slurm.SUCCESS)
print(count)
"#;

#[test]
fn no_option_and_no_table_fails_a_submission() {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64;
    let whole = starts(now);
    let tables = [
        Some(whole.clone()),
        None,
        Some(String::new()),
        Some(whole[..whole.len() / 2].to_owned()),
        Some(whole.replace("3600", "99999999999999999999999")),
        Some(whole.replace("partition", "\u{0}\u{0}")),
        Some("queuecast starts 1\n".to_owned() + &"x".repeat(3_000_000) + "\nend\n"),
        Some("queuecast starts 1\nat 1e999\nvalid nan\nend\n".to_owned()),
    ];
    for lua in interpreters() {
        for table in &tables {
            let folder = tempfile::tempdir().unwrap();
            if let Some(text) = table {
                fs::write(folder.path().join(STARTS_FILE), text).unwrap();
            }
            let said = run(lua, folder.path(), SubmissionScript::CliFilter, HOSTILE);
            assert_eq!(said.trim(), "247", "{lua}: 11 options of 22 texts, and 5 that are none");
        }
        // A folder in place of the table.
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(STARTS_FILE)).unwrap();
        run(lua, folder.path(), SubmissionScript::CliFilter, HOSTILE);
    }
}

/// How long a submission may be held up.
const BUDGET: Duration = Duration::from_millis(100);

#[test]
fn ten_thousand_submissions_are_told_within_the_budget_while_the_table_comes_and_goes() {
    let Some(lua) = interpreters().first().copied() else { return };
    let folder = tempfile::tempdir().unwrap();
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64;
    let (file, ended) = (folder.path().join(STARTS_FILE), AtomicBool::new(false));
    let script = SubmissionScript::CliFilter.text(&folder.path().display().to_string()).unwrap();
    fs::write(folder.path().join("script.lua"), script).unwrap();
    let program = format!(
        "{SLURM}\ndofile({:?})\nio.stdout:setvbuf('no')\nfor number = 1, 10000 do said = nil\n\
         local code = slurm_cli_pre_submit(job({{ ntasks = '1', time = '240' }}), 0)\n\
         io.write(code, ' ', said or 'nothing', '\\n') end",
        folder.path().join("script.lua").display().to_string()
    );
    fs::write(folder.path().join("program.lua"), program).unwrap();
    let (mut told, mut late, mut lines) = (0, 0, 0);
    std::thread::scope(|scope| {
        // A collector that is killed and begins anew: the table is whole, gone, or cut off where it was written in place.
        scope.spawn(|| {
            let whole = starts(now);
            for round in 0_usize.. {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                match round % 7 {
                    0..4 => {
                        let beside = folder.path().join("new");
                        fs::write(&beside, &whole).unwrap();
                        fs::rename(&beside, &file).unwrap();
                    }
                    4 => fs::write(&file, &whole[..round % whole.len()]).unwrap(),
                    5 => fs::remove_file(&file).unwrap(),
                    _ => fs::write(&file, "garbage").unwrap(),
                }
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        let program = folder.path().join("program.lua");
        let mut child = Command::new(lua).arg(program).stdout(Stdio::piped()).spawn().unwrap();
        let mut last = None;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            assert!(line == "0 nothing" || line.starts_with("0 queuecast: likely "), "{line}");
            (told, lines) = (told + usize::from(line != "0 nothing"), lines + 1);
            let came = Instant::now();
            late += usize::from(last.is_some_and(|last| came - last > BUDGET));
            last = Some(came);
        }
        ended.store(true, Ordering::Relaxed);
        assert!(child.wait().unwrap().success());
    });
    println!("{lines} submissions, {told} told, {late} over {} ms", BUDGET.as_millis());
    assert_eq!(lines, 10_000, "none is lost");
    assert!(told > 0 && told < lines, "the table came and went: {told}");
    assert!(late <= lines / 100, "{late} were held up for longer");
}

#[test]
fn a_job_without_a_limit_is_given_one() {
    let program = r#"
local partitions = {
  batch = { max_time = 1440, default_time = 4294967294, flag_default = 1 },
  tiny = { max_time = 40, default_time = 4294967294, flag_default = 0 },
  kind = { max_time = 1440, default_time = 20, flag_default = 0 },
}
function try(job) said = nil; assert(slurm_job_submit(job, partitions, 1) == slurm.SUCCESS); print(job.time_limit, said) end
try({ time_limit = 4294967294, user_name = "ann" })
try({ time_limit = 4294967294, user_name = "ann", partition = "batch" })
try({ time_limit = 30, user_name = "ann", partition = "batch" })
try({ time_limit = 4294967294, user_name = "ann", partition = "batch,tiny" })
try({ time_limit = 4294967294, user_name = "ann", partition = "kind" })
try({ time_limit = 4294967294, user_name = "ann", partition = "none" })
try({ time_limit = 4294967294, user_name = "%s' x", partition = "batch" })
try({ time_limit = 4294967294 })
for _, job in ipairs({ false, {}, "text", setmetatable({}, { __index = function() error("boom") end }) }) do
  assert(slurm_job_submit(job, nil, 1) == slurm.SUCCESS)
end
assert(slurm_job_modify({}, {}, partitions, 1) == slurm.SUCCESS)
"#;
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let (given, left) = (
        "50\tqueuecast: no time limit was given; it is set to 50 min, by your last 30 jobs (-t sets another)",
        "4294967294\tnil",
    );
    for lua in interpreters() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(LIMITS_FILE);
        fs::write(&file, format!("queuecast limits 1\nat {now}\nuser bob 40 20\nuser ann 50 30\nend\n"))
            .unwrap();
        let said = run(lua, folder.path(), SubmissionScript::JobSubmit, program);
        let expected = [given, given, "30\tnil", left, left, left, left, left];
        assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{lua}");
        for broken in ["", "queuecast limits 1\nat 5\nuser ann 50 30\nend\n", "queuecast limits 1\nuser ann"]
        {
            fs::write(&file, broken).unwrap();
            let said = run(lua, folder.path(), SubmissionScript::JobSubmit, program);
            assert_eq!(said.lines().filter(|line| *line == left).count(), 7, "{lua}: {said}");
        }
    }
}
