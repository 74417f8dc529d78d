//! Specs as they are read and written.

use super::*;

#[test]
fn specs_are_read_as_written() {
    for text in [
        "zero",
        "past",
        "past:50",
        "knn",
        "knn:10000",
        "knn:by=poly",
        "ranges",
        "ranges:quick",
        "ranges:2000,quick",
        "quick",
        "quick:100",
        "simulated",
        "simulated:10",
        "knn:10000,by=linear",
        "knn:distance=element",
        "knn:10000,distance=element,overruns,by=linear",
        "ranges:distance=element,overruns,quick",
        "ranges:point=ibl,width=0.12,overruns",
        "qbets:0.9,groups=request,misses=3",
        "qbets:groups=request",
        "ibl:2000,width=0.12,overruns",
    ] {
        assert_eq!(text.parse::<WaitMethod>().unwrap().to_string(), text);
    }
    assert_eq!("knn:5000".parse::<WaitMethod>().unwrap().to_string(), "knn");
    assert_eq!("qbets:0.95:0.95".parse::<WaitMethod>().unwrap().to_string(), "qbets");
    for (text, expected) in [
        ("nearest", "no such wait predictor"),
        ("knn:0", "from 1 to 1000000"),
        ("knn:by=cubic", "linear, poly, rbf or sigmoid"),
        ("zero:3", "no settings"),
        ("qbets:1", "from 0.01 to 0.999"),
        ("ibl:0", "from 1 to 1000000"),
        ("downey:c", "a or b"),
        ("ranges:point=sbh", "knn or ibl"),
        ("ranges:width=0.1", "a width is for point=ibl"),
        ("ranges:point=ibl,distance=element", "a distance is for point=knn"),
        ("knn:distance=far", "no such distance"),
        ("ibl:width=0", "from 0.001 to 100"),
        ("qbets:groups=user", "no such grouping"),
    ] {
        let error = text.parse::<WaitMethod>().unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
