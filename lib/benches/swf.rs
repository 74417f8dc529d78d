//! How fast logs are read: plain text of growing length, and a real log from its gzip bytes to jobs.
//!
//! `QUEUECAST_TRACES` names the directory of real logs; without it a made one stands in.

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use queuecast_trace as trace;
use queuecast_trace::{CompressedOutput, Compression, ReadOptions, Record, Records};

/// Lines like the archive's, of varying width: no randomness, so that every run measures the same bytes.
fn made_log(lines: u64) -> Vec<u8> {
    let mut text = b"; Version: 2.2\n; MaxProcs: 1024\n; UnixStartTime: 956700003\n".to_vec();
    for job in 1..=lines {
        let mixed = job.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let (submit, wait, run) = (job * 61, mixed % 50_000, mixed % 86_000 + 1);
        let (procs, cpu) = (1 << (mixed % 10), mixed % 10_000);
        let line = format!(
            "{job:5} {submit:8} {wait:6} {run:6} {procs:4} {cpu:4}.{:02} {:5} {procs:4} {:6} {:5} {:2} {:3} {:3} {:3} {:2} {:2} {:2} {:2}\n",
            mixed % 100,
            -1,
            run / 600 * 600 + 600,
            -1,
            mixed % 2,
            mixed % 437,
            mixed % 75,
            mixed % 900,
            mixed % 7,
            1,
            -1,
            -1,
        );
        text.extend_from_slice(line.as_bytes());
    }
    text
}

/// Text to records, nothing kept.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 20)]
fn parse_plain(bencher: Bencher<'_, '_>, lines: u64) {
    let text = made_log(lines);
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        let mut records = Records::open(text.as_slice(), &ReadOptions::default()).expect("a good log");
        let mut record = Record::default();
        let mut sum = 0;
        while records.read(&mut record).expect("a good log") {
            sum += record.run;
        }
        black_box(sum)
    });
}

/// Text to a workload, cleaned.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 20)]
fn read_plain(bencher: Bencher<'_, '_>, lines: u64) {
    let text = made_log(lines);
    bencher.counter(BytesCount::new(text.len())).counter(ItemsCount::new(lines)).bench_local(|| {
        trace::read(black_box(text.as_slice()), &ReadOptions::default()).expect("a good log")
    });
}

/// Rows of `sacct` to a workload.
#[divan::bench(args = [10_000, 100_000], sample_count = 20)]
fn read_sacct(bencher: Bencher<'_, '_>, rows: u64) {
    let mut text = String::from(
        "JobIDRaw|JobID|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|User|Account|QOS|Partition|JobName\n",
    );
    for job in 1..=rows {
        let mixed = job.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let (submit, run, procs) = (1_700_000_000 + job * 61, mixed % 86_000, mixed % 64 + 1);
        let (user, account, name) = (mixed % 437, mixed % 75, mixed % 900);
        let (start, limit) = (submit + mixed % 5_000, run / 60 + 60);
        text += &format!(
            "{job}|{job}|COMPLETED|{submit}|{submit}|{start}|{}|{run}|{limit}|{procs}|{procs}|user{user}|account{account}|normal|batch|job{name}\n",
            start + run,
        );
    }
    bencher.counter(BytesCount::new(text.len())).counter(ItemsCount::new(rows)).bench_local(|| {
        trace::read(black_box(text.as_bytes()), &ReadOptions::default()).expect("a good log")
    });
}

/// gzip bytes of the largest real log (312,826 jobs) to a workload.
#[divan::bench(sample_count = 20)]
fn read_gzip_curie(bencher: Bencher<'_, '_>) {
    let traces = env::var_os("QUEUECAST_TRACES")
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces").into());
    let bytes = fs::read(Path::new(&traces).join("CEA-Curie-2011-2.1-cln.swf.gz")).unwrap_or_else(|_| {
        let mut output = CompressedOutput::new(Vec::new(), Compression::Gzip);
        std::io::Write::write_all(&mut output, &made_log(312_826)).expect("memory takes everything");
        output.finish().expect("memory takes everything")
    });
    bencher.counter(ItemsCount::new(312_826u64)).bench_local(|| {
        trace::read(black_box(bytes.as_slice()), &ReadOptions::default()).expect("a good log")
    });
}
