//! Odd lines of `squeue` and `sinfo`.

use queuecast::trace::squeue::{sinfo, squeue};
use queuecast::units::{Procs, Seconds};

#[test]
fn odd_lines_of_squeue() {
    let one = |line: &str| squeue(line).map(|jobs| jobs[0].clone());
    let read = one("123_[4-9%2]|PENDING|4|UNLIMITED|0:00|7|ada|Priority").unwrap();
    assert_eq!((read.id, read.limit, read.elapsed, read.in_line), (123, None, None, true));
    for (line, id) in [("77+1|PENDING|4|5:00|0:00|7|a|None", 77), ("9_3|RUNNING|4|5:00|0:01|7|a|None", 9)] {
        assert_eq!(one(line).unwrap().id, id);
    }
    for limit in ["UNLIMITED", "NOT_SET", "INVALID", "Partition_Limit", "0:00"] {
        assert_eq!(one(&format!("1|PENDING|4|{limit}|0:00|7|a|None")).unwrap().limit, None, "{limit}");
    }
    assert_eq!(one("1|RUNNING|4|365-00:00:00|INVALID|7|a|None").unwrap().elapsed, Some(Seconds(0)));
    assert_eq!(one("1|RUNNING|4|1:00|N/A|7|a|None").unwrap().elapsed, Some(Seconds(0)));
    // Its nodes are being configured; no other job has them.
    let readied = one("1|CONFIGURING|4|1:00|0:05|7|a|Prolog").unwrap();
    assert_eq!((readied.elapsed, readied.in_line), (Some(Seconds(5)), true));
    // It runs, whatever it waited for once.
    assert!(one("1|RUNNING|4|1:00|0:05|7|a|Dependency").unwrap().in_line);
    assert!(!one("1|PENDING|4|1:00|0:00|7|a|Dependency").unwrap().in_line);
    // Reasons are free text.
    assert!(one("1|PENDING|4|1:00|0:00|7|a|ReqNodeNotAvail, UnavailableNodes:n[1|2]").unwrap().in_line);
    let extremes = "1|PENDING|4|1:00|0:00|-9223372036854775808|a|None\n2|PENDING|4|1:00|0:00|9223372036854775807|a|None\n";
    assert_eq!(squeue(extremes).unwrap()[0].id, 2);
    assert_eq!(squeue("\n  \n\r\n").unwrap(), []);
    for line in [
        "1|PENDING|4|99999999999999999999-00:00:00|0:00|7|a|None",
        "1|PENDING|4294967296|1:00|0:00|7|a|None",
        "1|PENDING|-4|1:00|0:00|7|a|None",
        "|PENDING|4|1:00|0:00|7|a|None",
        "1|PENDING|4|1:00|0:00||a|None",
        "99999999999999999999|PENDING|4|1:00|0:00|7|a|None",
        "1|SUSPENDED|4|1:00|0:00|7|a|None",
    ] {
        assert_eq!(one(line).unwrap_err().text, line);
    }
}

#[test]
fn odd_lines_of_sinfo() {
    // In drain: what is held counts while it is, the rest does not.
    assert_eq!(sinfo("n1|4/0/12/16\nn2|0/0/16/16\nn3|0/16/0/16\n"), Ok(Procs(20)));
    assert_eq!(sinfo("n1|4/12/0/16\nn1|4/12/0/16\nn1|4/12/0/16\n"), Ok(Procs(16)));
    assert_eq!(sinfo(""), Ok(Procs(0)));
    let most = u32::MAX;
    assert_eq!(sinfo(&format!("a|{most}/0/0/{most}\nb|{most}/0/0/{most}\n")), Ok(Procs(most)));
    for line in ["n1", "n1|", "n1|4", "n1|-4/4/0/0", "n1|a/b/c/d", "n1|4294967295/1/0/0", "n1|4K/0/0/4K"] {
        assert_eq!(sinfo(line).unwrap_err().text, line);
    }
}
