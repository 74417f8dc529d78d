//! Text on pages of different widths.

use std::collections::HashSet;

use crate::{FOUR, Folder, SACCT, column, stdout};

fn text(folder: &Folder, line: &str, columns: &str) -> String {
    stdout(folder.queuecast(line).env("COLUMNS", columns))
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn a_wide_terminal_shows_every_column() {
    let folder = Folder::with("four.swf", FOUR);
    let line = "compare four.swf --policy easy:depth=2,order=largest --predictor recent:2:median --correction \
                increments,factor:2,requested --event-order textbook,pyss --no-plot";
    let [narrow, wide] = ["120", "200"].map(|columns| text(&folder, line, columns));
    assert!(narrow.contains("columns hidden") && widest(&narrow) <= 120, "{narrow}");
    assert!(!wide.contains("columns hidden") && widest(&wide) > 120, "{wide}");
}

#[test]
fn a_file_of_templates_is_shown_by_its_name() {
    let folder = Folder::with("four.swf", FOUR);
    let templates = "(u,n=4,rel),(u,n=64,rel),(q,u,n=16,lr),(q,n=2),(u,n=8),(n=2,rel),(rel)\n";
    std::fs::write(folder.path("found.templates"), templates).unwrap();
    let line = "compare four.swf --policy easy --predictor requested,template:@found.templates";
    let shown = stdout(&mut folder.queuecast(&format!("{line} --no-plot")));
    assert!(shown.contains("easy    @found.templates  ") && widest(&shown) < 140, "{shown}");
    assert!(stdout(&mut folder.queuecast(line)).contains("easy, @found.templates  "));
    let one = stdout(&mut folder.queuecast("simulate four.swf --predictor template:@found.templates"));
    assert!(one.contains("predictor     @found.templates\n"), "{one}");
    // What programs read depends on no file.
    let csv = stdout(&mut folder.queuecast(&format!("{line} --format markdown")));
    assert!(csv.contains("@found.templates"));
    let json = crate::json(&mut folder.queuecast(&format!("{line} --format json")));
    assert!(json["results"][1]["experiment"]["predictor"].as_str().unwrap().starts_with("template:(u,n=4"));
}

#[test]
fn several_traces_are_one_table_with_the_best_of_each_marked() {
    let folder = Folder::with("four.swf", FOUR);
    std::fs::write(folder.path("half.swf"), FOUR.replace(" 70 ", " 35 ")).unwrap();
    let shown = stdout(&mut folder.queuecast("compare four.swf half.swf --policy fcfs,easy --no-plot"));
    let heads = shown.lines().filter(|line| line.starts_with("trace     policy")).count();
    assert_eq!(heads, 1, "{shown}");
    for row in ["four.swf  fcfs", "four.swf  easy", "half.swf  fcfs", "half.swf  easy"] {
        assert_eq!(shown.lines().filter(|line| line.starts_with(row)).count(), 1, "{row}: {shown}");
    }
    let csv = stdout(&mut folder.queuecast("compare four.swf half.swf --policy fcfs,easy --format csv"));
    assert_eq!(column(&csv, "source"), ["four.swf", "four.swf", "half.swf", "half.swf"]);
    // Control: alone, a trace needs no column.
    assert!(!stdout(&mut folder.queuecast("compare four.swf")).contains("trace     policy"));
}

#[test]
fn nothing_is_broken_inside_a_word_on_a_narrow_page() {
    let folder = Folder::with("four.swf", FOUR);
    std::fs::write(folder.path("site.sacct"), SACCT).unwrap();
    folder.queuecast("demo --jobs 300 --output made.swf").assert().success();
    folder.queuecast("simulate made.swf --schedule-swf waited.swf --no-plot").assert().success();
    let site = |name: &str| format!("[[site]]\nname = \"{name}\"\ntrace = \"waited.swf\"\n");
    std::fs::write(folder.path("two.toml"), ["left", "right"].map(site).concat()).unwrap();
    let many = ["one", "two", "three", "four", "five", "six", "seven"].map(site).concat();
    std::fs::write(folder.path("many.toml"), format!("days = 1\n{many}")).unwrap();
    for line in [
        "demo --jobs 300 --no-plot",
        "trace head made.swf",
        "trace head site.sacct",
        "trace info made.swf --portrait --no-plot",
        "trace clean site.sacct",
        "simulate site.sacct --no-plot --procs 8",
        "compare made.swf four.swf --policy easy:depth=4,order=largest,conservative --no-plot",
        "search made.swf --replay submit --method greedy --no-plot",
        "generate rescale made.swf --load 0.9 --output busy.swf --force",
        "allocate made.swf --runs 8=4h,16=2h10m --no-plot",
        "mold --jobs 60 --seeds 2 --no-plot",
        "metaschedule two.toml --no-plot",
        "metaschedule many.toml --no-plot",
        "metaschedule two.toml -n 8 -t 2h --no-plot",
    ] {
        let [narrow, wide] = ["80", "1000"].map(|columns| text(&folder, line, columns));
        for long in narrow.lines().filter(|line| line.chars().count() > 80) {
            // Only a word that is longer than the page may be.
            assert!(long.split_whitespace().any(|word| word.chars().count() > 70), "{line}: {long}");
        }
        let known: HashSet<&str> = wide.split_whitespace().collect();
        for word in narrow.split_whitespace() {
            assert!(is_whole(word, &known), "{line}: {word:?} is no whole word:\n{narrow}");
        }
    }
}

#[test]
fn answers_about_a_site_fit_a_narrow_page() {
    let conf = "\
ClusterName=toy
SchedulerParameters=bf_interval=30
NodeName=node[001-016] CPUs=16 RealMemory=64000 Feature=old,ib Gres=gpu:2 Weight=10
PartitionName=short Nodes=node[001-008] Default=YES MaxTime=60 DefaultTime=10
PartitionName=batch Nodes=node[009-016] MaxTime=600 DefaultTime=60 PriorityJobFactor=20
";
    let mut jobs = "submit,user,account,run,args\n".to_owned();
    for place in 0..120 {
        let (partition, run) = (["short", "batch"][place % 2], 400 + 70 * (place % 11));
        jobs.push_str(&format!(
            "{},ann,phys,{run},-p {partition} -n {} -t 50\n",
            20 * place,
            16 + place % 90
        ));
    }
    let folder = Folder::with("jobs.csv", jobs);
    for (name, conf) in [("old", conf.to_owned()), ("new", conf.replace("node[001-008]", "node[001-007]"))] {
        std::fs::create_dir(folder.path(name)).unwrap();
        std::fs::write(folder.path(name).join("slurm.conf"), conf).unwrap();
    }
    folder.queuecast("demo --jobs 300 --output made.swf").assert().success();
    for line in [
        "site check old",
        "site diff old new --log jobs.csv --seeds 2",
        "simulate jobs.csv --site old",
        "compare jobs.csv --site old --against bf_interval=60 --shake 30s --seeds 2 --no-plot",
        "trace info made.swf",
    ] {
        for columns in [60, 80] {
            let shown = text(&folder, line, &columns.to_string());
            assert!(shown.lines().count() > 5 && widest(&shown) <= columns, "{line} at {columns}:\n{shown}");
        }
    }
}

/// Whether a word of a narrow page is one of a wide page, or of what only narrow pages say, or a part of a spec that was
/// broken at a comma.
fn is_whole(word: &str, known: &HashSet<&str>) -> bool {
    let said = [
        "columns",
        "hidden",
        "(terminal",
        "too",
        "narrow):",
        "after",
        "a",
        "wider",
        "terminal",
        "or",
        "--format",
        "csv",
        "has",
        "them",
    ];
    let signs = ["\\", "…", "-"];
    let is_part = |other: &&str| {
        let (other, part) = (format!(",{other}"), format!(",{word}"));
        if word.ends_with(',') { other.contains(&part) } else { other.ends_with(&part) }
    };
    known.contains(word)
        // In the list of hidden columns.
        || known.contains(word.trim_end_matches([',', ';']))
        || known.contains(word.trim_end_matches([',', ';']).trim_matches('"'))
        || said.contains(&word)
        || signs.contains(&word)
        || word.chars().all(|sign| sign == '─')
        || known.iter().any(is_part)
}

#[test]
fn a_broken_word_is_told_from_a_whole_one() {
    let known = HashSet::from(["utilization", "FCFS", "easy:depth=4,order=largest"]);
    for whole in ["utilization", "FCFS;", "utilization,", "easy:depth=4,", "order=largest", "────", "hidden"]
    {
        assert!(is_whole(whole, &known), "{whole}");
    }
    for broken in
        ["utili", "zation", "utili,", "FC;", "FC:", "easy:dep", "easy:depth=4", "depth=4,", "largest", "ut─"]
    {
        assert!(!is_whole(broken, &known), "{broken}");
    }
}
