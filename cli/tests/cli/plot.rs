//! `--plot`: charts as pictures, and the charts of the text.

use std::fs;
use std::path::Path;

use crate::{FOUR, Folder, stdout};

#[test]
fn the_picture_in_the_readme_is_what_the_demo_draws() {
    let folder = Folder::with("unused", "");
    folder.queuecast("demo --plot demo.svg").assert().success();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/demo.svg");
    let told = "run `queuecast demo --plot docs/demo.svg`";
    assert_eq!(folder.read("demo.svg"), fs::read_to_string(kept).unwrap(), "{told}");
    // Control: another workload is another picture.
    folder.queuecast("demo --seed 2 --plot other.svg").assert().success();
    assert_ne!(folder.read("demo.svg"), folder.read("other.svg"));
}

#[test]
fn every_command_that_draws_can_write_a_picture() {
    let folder = Folder::with("four.swf", FOUR);
    folder.queuecast("demo --jobs 300 --output made.swf").assert().success();
    for (line, part) in [
        ("simulate made.swf", "The queue over time"),
        ("compare made.swf four.swf", "Mean bounded slowdown, lower is better"),
        ("mold --jobs 60 --seeds 2", "Turnaround against AVG, lower is better"),
        ("trace info made.swf", "How long jobs run"),
        ("search made.swf --generations 2 --population 4 --replay submit", "Mean error of the template sets"),
        ("allocate made.swf --runs 8=4h,16=2h10m", "Turnaround by processors"),
        ("demo --jobs 50", "Mean bounded slowdown, lower is better"),
        ("generate habits --jobs 50 --output made2.swf", "How long jobs run"),
    ] {
        let quiet = if line.starts_with("generate") { "" } else { "--no-plot" };
        folder.queuecast(&format!("{line} {quiet} --plot drawn.svg")).assert().success();
        let drawn = folder.read("drawn.svg");
        assert!(drawn.starts_with("<svg ") && drawn.contains(part), "{line}: {drawn}");
        fs::remove_file(folder.path("drawn.svg")).unwrap();
    }
}

#[test]
fn other_formats_than_svg_are_refused_by_name() {
    let folder = Folder::with("four.swf", FOUR);
    for line in ["compare four.swf", "demo --jobs 50", "generate habits --jobs 50 --output made.swf"] {
        for (file, instead) in [("x.png", "name it x.svg"), ("a/b.PDF", "name it a/b.svg")] {
            let refused = folder.queuecast(&format!("{line} --plot {file}")).assert().code(2).stdout("");
            let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
            assert!(
                said.contains("charts are written as SVG only") && said.contains(instead),
                "{line}: {said}"
            );
        }
    }
    assert_eq!(folder.names(), ["four.swf"]);
}

#[test]
fn an_outlier_leaves_the_other_bars_their_length() {
    let folder = Folder::with("unused", "");
    let text = stdout(&mut folder.queuecast("demo"));
    let length = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name) && line.contains('█')).unwrap();
        line.chars().filter(|&c| c == '█').count()
    };
    assert!(length("sjbf, requested") > 20, "{text}");
    assert!(text.contains("╱╱") && text.contains("lower is better"), "{text}");
}

#[test]
fn the_charts_of_moldable_jobs_have_the_sign_of_their_table() {
    let folder = Folder::with("unused", "");
    let text = stdout(&mut folder.queuecast("mold avg,pred+social,heur --jobs 300 --seeds 2"));
    let (table, chart) = text.split_once("Turnaround against AVG").unwrap();
    for name in ["pred+social", "heur"] {
        let line = |part: &str| part.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        let change = line(table).split_whitespace().find(|word| word.ends_with('%')).unwrap().to_owned();
        assert!(line(chart).contains(&format!(" {change} ")), "{text}");
        let axis = line(chart).find('│').unwrap();
        let block = line(chart).find(['█', '▐', '▕', '▏', '▎', '▍', '▌', '▋', '▊', '▉']).unwrap();
        assert_eq!(block < axis, change.starts_with('-'), "{text}");
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_anything_is_computed() {
    let folder = Folder::with("four.swf", FOUR);
    folder.queuecast("simulate four.swf --plot four.swf").assert().code(2);
    folder.queuecast("simulate four.swf --plot no/such.svg").assert().code(2);
    assert_eq!(folder.names(), ["four.swf"]);
}
