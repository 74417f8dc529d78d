//! Odd lines of `squeue` and `sinfo`.

use queuecast_core::units::{Procs, Seconds};
use queuecast_trace::sinfo::{all_procs, sinfo};
use queuecast_trace::squeue::squeue;

#[test]
fn odd_lines_of_squeue() {
    let one = |line: &str| squeue(line).map(|jobs| jobs[0].clone());
    let read = one("123_[4-9%2]|PENDING|4|UNLIMITED|0:00|7|ada|N/A|p||Priority").unwrap();
    assert_eq!((read.id, read.limit, read.elapsed, read.in_line), (123, None, None, true));
    for (line, id) in
        [("77+1|PENDING|4|5:00|0:00|7|a|N/A|p||None", 77), ("9_3|RUNNING|4|5:00|0:01|7|a|N/A|p||None", 9)]
    {
        assert_eq!(one(line).unwrap().id, id);
    }
    for limit in ["UNLIMITED", "NOT_SET", "INVALID", "Partition_Limit", "0:00"] {
        assert_eq!(one(&format!("1|PENDING|4|{limit}|0:00|7|a|N/A|p||None")).unwrap().limit, None, "{limit}");
    }
    assert_eq!(one("1|RUNNING|4|365-00:00:00|INVALID|7|a|N/A|p||None").unwrap().elapsed, Some(Seconds(0)));
    assert_eq!(one("1|RUNNING|4|1:00|N/A|7|a|N/A|p||None").unwrap().elapsed, Some(Seconds(0)));
    // Its nodes are being configured; no other job has them.
    let readied = one("1|CONFIGURING|4|1:00|0:05|7|a|N/A|p||Prolog").unwrap();
    assert_eq!((readied.elapsed, readied.in_line), (Some(Seconds(5)), true));
    // It runs, whatever it waited for once.
    assert!(one("1|RUNNING|4|1:00|0:05|7|a|N/A|p||Dependency").unwrap().in_line);
    assert!(!one("1|PENDING|4|1:00|0:00|7|a|N/A|p||Dependency").unwrap().in_line);
    // Reasons are free text.
    assert!(
        one("1|PENDING|4|1:00|0:00|7|a|N/A|p||ReqNodeNotAvail, UnavailableNodes:n[1|2]").unwrap().in_line
    );
    let extremes = "1|PENDING|4|1:00|0:00|-9223372036854775808|a|N/A|p||None\n2|PENDING|4|1:00|0:00|9223372036854775807|a|N/A|p||None\n";
    assert_eq!(squeue(extremes).unwrap()[0].id, 2);
    assert_eq!(squeue("\n  \n\r\n").unwrap(), []);
    for line in [
        "1|PENDING|4|99999999999999999999-00:00:00|0:00|7|a|N/A|p||None",
        "1|PENDING|4294967296|1:00|0:00|7|a|N/A|p||None",
        "1|PENDING|-4|1:00|0:00|7|a|N/A|p||None",
        "|PENDING|4|1:00|0:00|7|a|N/A|p||None",
        "1|PENDING|4|1:00|0:00||a|N/A|p||None",
        "99999999999999999999|PENDING|4|1:00|0:00|7|a|N/A|p||None",
        "1|SUSPENDED|4|1:00|0:00|7|a|N/A|p||None",
    ] {
        assert_eq!(one(line).unwrap_err().text, line);
    }
}

#[test]
fn odd_lines_of_sinfo() {
    let lines = |nodes: &str| {
        let line = |node: &str| format!("{node}|batch|up|1:00:00|1-infinite|UNLIMITED|1\n");
        nodes.split_whitespace().map(line).collect::<String>()
    };
    let one = |nodes: &str| sinfo(&lines(nodes)).map(|partitions| partitions[0].in_service());
    // In drain: what is held counts while it is, the rest does not.
    assert_eq!(one("n1|4/0/12/16 n2|0/0/16/16 n3|0/16/0/16"), Ok(Procs(20)));
    assert_eq!(one("n1|4/12/0/16 n1|4/12/0/16 n1|4/12/0/16"), Ok(Procs(16)));
    assert_eq!(sinfo(""), Ok(Vec::new()));
    let most = u32::MAX;
    assert_eq!(one(&format!("a|{most}/0/0/{most} b|{most}/0/0/{most}")), Ok(Procs(most)));
    for node in ["n1", "n1|", "n1|4", "n1|-4/4/0/0", "n1|a/b/c/d", "n1|4294967295/1/0/0", "n1|4K/0/0/4K"] {
        let line = lines(node);
        assert_eq!(sinfo(&line).unwrap_err().text, line.trim_end(), "{node}");
    }
    // A node of several partitions is counted once.
    let shared = "n1|4/0/0/4|a|up|infinite|1|4|1\nn1|4/0/0/4|b|down|5:00|2-8|UNLIMITED|1\nn2|0/0/4/4|b|down|5:00|2-8|UNLIMITED|1\n";
    let partitions = sinfo(shared).unwrap();
    assert_eq!((all_procs(&partitions), partitions[1].in_service()), (Procs(8), Procs(4)));
    assert_eq!(
        (partitions[0].most_nodes, partitions[1].most_nodes, partitions[1].is_up),
        (Some(1), Some(8), false)
    );
    for line in [
        "NODELIST CPUS",
        "n1|4/0/0/4|a|up|soon|1|UNLIMITED|1",
        "n1|4/0/0/4|a|up|1:00|many|UNLIMITED|1",
        "n1|4/0/0/4|a|up|1:00|1|few|1",
        "n1|4/0/0/4|a|up|1:00|1|UNLIMITED|high",
        "n1|4/0/0/4|a|up|1:00|1|UNLIMITED",
    ] {
        assert_eq!(sinfo(line).unwrap_err().text, line);
    }
}
