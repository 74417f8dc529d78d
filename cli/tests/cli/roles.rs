//! No output is an input, whichever way the input was named, and no output is written twice.

use std::fs;

use crate::{FOUR, Folder};

const CONF: &str = "\
ClusterName=toy
NodeName=n[1-2] CPUs=50 CoresPerSocket=50
PartitionName=batch Nodes=n[1-2] Default=YES MaxTime=60
";

fn folder() -> Folder {
    let folder = Folder::with("four.swf", FOUR);
    fs::write(folder.path("set.txt"), "(u,n=4)\n").unwrap();
    fs::create_dir(folder.path("site")).unwrap();
    fs::write(folder.path("site/slurm.conf"), CONF).unwrap();
    fs::write(folder.path("site/notes.txt"), "nothing of a site").unwrap();
    fs::write(folder.path("jobs.csv"), "submit,user,account,run,args\n0,ann,,60,-n 1 -t 5\n").unwrap();
    fs::write(folder.path("sites.toml"), "[[site]]\nname = \"a\"\ntrace = \"four.swf\"\n").unwrap();
    folder
}

/// Other names of a file: another spelling, a symbolic link, a hard link, and a link through a folder.
fn names(folder: &Folder, file: &str) -> Vec<String> {
    let mut names = vec![file.to_owned(), format!("./{file}")];
    #[cfg(unix)]
    {
        let link = format!("link-{}", file.replace('/', "-"));
        std::os::unix::fs::symlink(folder.path(file), folder.path(&link)).unwrap();
        let hard = format!("hard-{}", file.replace('/', "-"));
        fs::hard_link(folder.path(file), folder.path(&hard)).unwrap();
        if !folder.path("here").exists() {
            std::os::unix::fs::symlink(".", folder.path("here")).unwrap();
        }
        names.extend([link, hard, format!("here/{file}")]);
    }
    names
}

/// Commands with a place for the output, and every file that each reads.
const CASES: [(&str, &[&str]); 17] = [
    ("simulate four.swf --predictor template:@set.txt --schedule OUT", &["four.swf", "set.txt"]),
    ("simulate four.swf --predictor template:@set.txt --schedule-swf OUT", &["four.swf", "set.txt"]),
    ("simulate four.swf --predictor template:@set.txt --queue-series OUT", &["four.swf", "set.txt"]),
    ("simulate four.swf --predictor template:@set.txt --plot OUT", &["four.swf", "set.txt"]),
    ("compare four.swf --predictor template:@set.txt,recent:2 --plot OUT", &["four.swf", "set.txt"]),
    ("simulate jobs.csv --site site --schedule OUT", &["jobs.csv", "site/slurm.conf", "site/notes.txt"]),
    ("simulate jobs.csv --site site --submissions OUT", &["jobs.csv", "site/slurm.conf", "site/notes.txt"]),
    ("when jobs.csv --site site -n 1 -t 5m --plot OUT", &["jobs.csv", "site/slurm.conf"]),
    ("advise jobs.csv --site site -n 1 -t 5m --plot OUT", &["jobs.csv", "site/slurm.conf"]),
    ("metaschedule sites.toml --broker static --plot OUT", &["sites.toml", "four.swf"]),
    ("search four.swf --output OUT", &["four.swf"]),
    ("search four.swf --checkpoint OUT", &["four.swf"]),
    ("trace convert four.swf OUT", &["four.swf"]),
    ("trace clean four.swf --report OUT", &["four.swf"]),
    ("generate shake four.swf --max-shift 1m --output OUT", &["four.swf"]),
    ("generate lublin --like four.swf --jobs 5 --output OUT", &["four.swf"]),
    ("score runtime four.swf --method template:@set.txt --plot OUT", &["four.swf", "set.txt"]),
];

#[test]
fn no_output_is_an_input() {
    let mut refused = 0;
    for (line, inputs) in CASES {
        let folder = folder();
        for input in inputs {
            let before = fs::read(folder.path(input)).unwrap();
            for name in names(&folder, input) {
                let line = line.replace("OUT", &name);
                let output = folder.queuecast(&line).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(output.status.code(), Some(2), "{line}: {said}");
                assert!(
                    said.contains("is both input and output") || said.contains("is there already"),
                    "{line}: {said}"
                );
                assert_eq!(fs::read(folder.path(input)).unwrap(), before, "{line}");
                refused += 1;
            }
            #[cfg(unix)]
            for other in ["link-", "hard-"] {
                fs::remove_file(folder.path(&format!("{other}{}", input.replace('/', "-")))).unwrap();
            }
        }
        // Control: another file is written, or at least not refused for this reason.
        let output = folder.queuecast(&line.replace("OUT", "other.out")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("both input and output"), "{line}: {said}");
    }
    let ways = if cfg!(unix) { 5 } else { 2 };
    assert_eq!(refused, 30 * ways);
}

#[test]
fn no_output_is_written_twice() {
    for line in [
        "simulate four.swf --schedule x.csv --queue-series ./x.csv",
        "simulate four.swf --schedule x.csv --plot ./x.csv",
        "simulate jobs.csv --site site --schedule x.csv --submissions ./x.csv",
        "search four.swf --output x --checkpoint ./x",
        "search four.swf --output x --plot ./x",
        "trace clean four.swf --output x --report ./x",
    ] {
        let folder = folder();
        let output = folder.queuecast(line).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("is asked for twice"), "{line}: {said}");
        assert!(!folder.path("x").exists() && !folder.path("x.csv").exists(), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn standard_streams_are_files_too() {
    let folder = folder();
    let before = folder.read("four.swf");
    for (line, said) in [
        ("exec \"$Q\" simulate - --schedule four.swf < four.swf", "four.swf is both input and output"),
        ("exec \"$Q\" trace convert four.swf >> four.swf", "standard output is a file that is read"),
    ] {
        let output = std::process::Command::new("sh")
            .args(["-c", line])
            .env("Q", env!("CARGO_BIN_EXE_queuecast"))
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(said), "{line}: {text}");
        assert_eq!(folder.read("four.swf"), before);
    }
}

#[test]
fn results_are_the_same_every_time() {
    let folder = folder();
    folder.queuecast("simulate four.swf --schedule-swf waits.swf").assert().success();
    for line in [
        "simulate four.swf --format json",
        "simulate four.swf --format csv",
        "simulate four.swf --group-by user --format csv",
        "simulate jobs.csv --site site --format json",
        "compare four.swf --policy easy,fcfs --format json",
        "compare four.swf --policy easy,fcfs --format csv",
        "compare jobs.csv --site site --against bf_interval=60 --format json",
        "score runtime waits.swf --from 1 --format json",
        "score wait waits.swf --from 1 --method past --format json",
        "trace info four.swf --format json",
        "trace clean four.swf --format json",
        "metaschedule sites.toml --format json",
        "generate lublin --jobs 20 -o made.swf --force --format json",
        "site check site --format json",
        "demo --format json",
        "mold --format json --jobs 200 --seeds 2",
    ] {
        let once = folder.queuecast(line).output().unwrap();
        let again = folder.queuecast(line).output().unwrap();
        assert!(once.status.success(), "{line}: {}", String::from_utf8_lossy(&once.stderr));
        assert_eq!(once.stdout, again.stdout, "{line}");
        let text = String::from_utf8_lossy(&once.stdout).into_owned();
        assert!(!text.contains("read_seconds") && !text.contains("simulate_seconds"), "{line}: {text}");
    }
    // Control: with --timings there are timings.
    for format in ["json", "csv"] {
        let timed =
            folder.queuecast(&format!("simulate four.swf --timings --format {format}")).output().unwrap();
        let text = String::from_utf8_lossy(&timed.stdout).into_owned();
        assert!(text.contains("read_seconds") && text.contains("simulate_seconds"), "{text}");
    }
}

#[test]
fn no_output_replaces_a_file_unless_that_is_asked_for() {
    let folder = Folder::with("four.swf", FOUR);
    folder.queuecast("generate habits --jobs 100 --output made.swf").assert().success();
    for line in [
        "demo --jobs 50 --output OUT",
        "generate habits --jobs 50 --output OUT",
        "generate shake four.swf --max-shift 1m -o OUT",
        "trace convert four.swf OUT",
        "trace convert four.swf --output OUT",
        "trace clean four.swf --output OUT",
        "search made.swf --replay submit --method greedy --output OUT",
    ] {
        fs::write(folder.path("precious"), "kept").unwrap();
        let refused = folder.queuecast(&line.replace("OUT", "precious")).assert().code(2).stdout("");
        let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(said.starts_with("error: precious exists already\n"), "{line}: {said}");
        assert!(said.contains("replace it with --force"), "{line}: {said}");
        assert_eq!(folder.read("precious"), "kept", "{line}");
        // Control: a new file, an empty one and one that may be replaced.
        fs::write(folder.path("empty"), "").unwrap();
        for (out, force) in [("new", ""), ("empty", ""), ("precious", " --force")] {
            folder.queuecast(&(line.replace("OUT", out) + force)).assert().success();
            assert!(folder.read(out).len() > 10, "{line}{force}");
        }
        fs::remove_file(folder.path("new")).unwrap();
    }
}
