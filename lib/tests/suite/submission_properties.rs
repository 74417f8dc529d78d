//! Lists of submissions: what is written is read as the same, whatever was asked for.

use std::collections::BTreeMap;

use proptest::prelude::*;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Begin, ClusterAction, ClusterEvent, Dependency, DependencyKind, DependencyOn, Exclusivity, FeatureExpr,
    GresRequest, JobArray, JobRequest, MemoryRequest, NodeWishes, RequestTerms, RequestedGres, SubmittedJob,
    TaskLayout, TaskRun, TimeLimit,
};
use queuecast_slurm_texts::{SiteOptions, read_site, write_submissions};

/// Numbers out of a seed (splitmix, Steele et al. 2014).
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most.max(1)
    }

    /// A value in one of three cases.
    fn maybe<T>(&mut self, value: impl FnOnce(&mut Draws) -> T) -> Option<T> {
        (self.below(3) == 0).then(|| value(self))
    }

    fn number(&mut self) -> Option<u32> {
        self.maybe(|draws| draws.below(1 << 20) as u32)
    }

    fn word(&mut self) -> String {
        let words = ["a", "b2", "gpu-x", "c_1", "long.name", "x9"];
        words[self.below(words.len() as u64) as usize].to_owned()
    }

    fn words(&mut self) -> Vec<String> {
        (0..self.below(4)).map(|_| self.word()).collect()
    }

    /// A text with everything that quotes and commas could break.
    fn text(&mut self) -> String {
        let pieces = ["a", " ", "'", "\"", ",", "\n", "#", "|", "\\", "é", "=", "--", "$x", ";"];
        (0..self.below(6)).map(|_| pieces[self.below(pieces.len() as u64) as usize]).collect()
    }

    fn length(&mut self) -> Seconds {
        Seconds(1 + self.below(900_000) as i64)
    }

    fn features(&mut self, depth: u64) -> FeatureExpr {
        let parts = |draws: &mut Draws| {
            vec![draws.features(0), draws.features(depth.saturating_sub(1)), draws.features(0)]
        };
        match self.below(if depth == 0 { 1 } else { 4 }) {
            0 => FeatureExpr::Feature(self.word()),
            1 => FeatureExpr::All(parts(self)),
            2 => FeatureExpr::Any(parts(self)),
            _ => FeatureExpr::Counted(Box::new(FeatureExpr::Feature(self.word())), self.below(9) as u32),
        }
    }

    fn resources(&mut self, name: Option<&str>, with_kind: bool) -> Vec<GresRequest> {
        (0..self.below(3))
            .map(|_| GresRequest {
                name: name.map_or_else(|| self.word(), str::to_owned),
                kind: if with_kind { self.maybe(Draws::word) } else { None },
                count: self.below(9),
            })
            .collect()
    }

    fn begin(&mut self) -> Begin {
        match self.below(4) {
            0 => Begin::After(Seconds(self.below(9_999) as i64)),
            1 => Begin::At(Time(100_000_001 + self.below(1 << 31) as i64)),
            2 => Begin::Clock(Seconds(self.below(86_400) as i64)),
            _ => Begin::Local(Time(self.below(1 << 31) as i64)),
        }
    }

    fn dependency(&mut self) -> Dependency {
        let kinds = [
            DependencyKind::After,
            DependencyKind::AfterAny,
            DependencyKind::AfterOk,
            DependencyKind::AfterNotOk,
            DependencyKind::AfterCorr,
            DependencyKind::AfterBurstBuffer,
        ];
        let mut on: Vec<DependencyOn> = (0..2 + self.below(2))
            .map(|_| DependencyOn {
                kind: kinds[self.below(6) as usize],
                job: format!("k{}", self.below(9)),
                delay: Seconds(60 * self.below(3) as i64),
            })
            .collect();
        if self.below(4) == 0 {
            on.push(DependencyOn {
                kind: DependencyKind::Singleton,
                job: String::new(),
                delay: Seconds::ZERO,
            });
        }
        Dependency { any: self.below(2) == 0, on }
    }

    fn tasks_on(&mut self) -> TaskLayout {
        TaskLayout {
            tasks_per_socket: self.number(),
            tasks_per_core: self.number(),
            tasks_per_gpu: self.number(),
            min_cpus_per_node: self.number(),
            sockets_per_node: self.number(),
            cores_per_socket: self.number(),
            threads_per_core: self.number(),
            one_thread_per_core: self.below(2) == 0,
            overcommit: self.below(2) == 0,
            spare_cores: self.number(),
        }
    }

    fn gres(&mut self) -> RequestedGres {
        RequestedGres {
            per_node: self.resources(None, true),
            per_job: self.resources(Some("gpu"), true),
            per_task: self.resources(Some("gpu"), true),
            per_socket: self.resources(Some("gpu"), true),
            cpus_per_gpu: self.number(),
            licenses: self.resources(None, false),
        }
    }

    fn wishes(&mut self) -> NodeWishes {
        NodeWishes {
            constraint: self.maybe(|draws| match draws.below(4) {
                0 => FeatureExpr::SameOnAll(vec![draws.features(0), draws.features(1)]),
                1 => {
                    let same = FeatureExpr::SameOnAll(vec![draws.features(0), draws.features(0)]);
                    FeatureExpr::All(vec![draws.features(0), same])
                }
                _ => draws.features(2),
            }),
            prefer: self.maybe(|draws| draws.features(1)),
            exclusivity: self.maybe(|draws| {
                [
                    Exclusivity::Exclusive,
                    Exclusivity::User,
                    Exclusivity::Mcs,
                    Exclusivity::Topology,
                    Exclusivity::Oversubscribe,
                ][draws.below(5) as usize]
            }),
            node_list: self.words(),
            exclude: self.words(),
            contiguous: self.below(2) == 0,
            spread: self.below(2) == 0,
            use_min_nodes: self.below(2) == 0,
            switches: self.maybe(|draws| (draws.below(9) as u32, draws.maybe(Draws::length))),
        }
    }

    fn terms(&mut self) -> RequestTerms {
        RequestTerms {
            time_min: self.maybe(Draws::length),
            begin: self.maybe(Draws::begin),
            deadline: self.maybe(Draws::begin),
            hold: self.below(2) == 0,
            nice: self.maybe(|draws| draws.below(2_000) as i64 - 1_000),
            priority: self.number(),
            reservations: self.words(),
            requeue: self.maybe(|draws| draws.below(2) == 0),
        }
    }

    fn request(&mut self) -> JobRequest {
        let (fewest, tasks) = (self.number(), self.number());
        // No job has more nodes than tasks.
        let fewest = fewest.map(|fewest| fewest.min(tasks.unwrap_or(fewest).max(1)));
        JobRequest {
            name: self.maybe(Draws::text),
            account: self.maybe(Draws::text),
            qos: self.words(),
            partitions: self.words(),
            min_nodes: fewest,
            max_nodes: fewest.and_then(|fewest| self.maybe(|draws| fewest + draws.below(3) as u32)),
            tasks,
            cpus_per_task: self.number(),
            tasks_per_node: self.number(),
            memory: self.maybe(|draws| {
                let mb = draws.below(1 << 40);
                [MemoryRequest::PerNode(mb), MemoryRequest::PerCpu(mb), MemoryRequest::PerGpu(mb)]
                    [draws.below(3) as usize]
            }),
            time_limit: self.maybe(|draws| match draws.below(4) {
                0 => TimeLimit::Unlimited,
                _ => TimeLimit::Of(draws.length()),
            }),
            dependency: self.maybe(Draws::dependency),
            array: self.maybe(|draws| {
                let mut indices: Vec<u32> = (0..1 + draws.below(5)).map(|_| draws.below(12) as u32).collect();
                indices.sort_unstable();
                indices.dedup();
                JobArray { indices, throttle: draws.maybe(|draws| draws.below(5) as u32) }
            }),
            tasks_on: self.tasks_on(),
            gres: self.gres(),
            wishes: self.wishes(),
            terms: self.terms(),
        }
    }

    fn submission(&mut self, place: usize, begin: i64) -> SubmittedJob {
        let request = self.request();
        let submit = begin + 1000 * place as i64 + self.below(1000) as i64;
        let tasks = request.array.as_ref().map_or(1, |array| array.indices.len());
        let run = |draws: &mut Draws| match draws.below(4) {
            0 => TaskRun::PastLimit,
            1 => TaskRun::Unknown,
            2 => TaskRun::FailsAfter(Seconds(draws.below(99_999) as i64)),
            _ => TaskRun::For(Seconds(draws.below(99_999) as i64)),
        };
        SubmittedJob {
            key: format!("k{place}"),
            id: self.maybe(|draws| 1_000 + 10 * place as u64 + draws.below(10)),
            submit: Micros::of_millis(submit),
            user: if self.below(3) == 0 { self.text() } else { self.word() },
            request: request.into(),
            runs: (0..tasks).map(|_| run(self)).collect(),
            not_modelled: ["--tmp", "--reboot"][..self.below(3) as usize]
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
        }
    }
}

fn read_again(jobs: &[SubmittedJob]) -> Vec<SubmittedJob> {
    let texts: BTreeMap<String, String> = [("list.csv".to_owned(), write_submissions(jobs, &[]))].into();
    let reading = read_site(&texts, &SiteOptions::default());
    assert!(reading.misread.is_empty(), "{:?}\n{}", reading.misread, texts["list.csv"]);
    reading.recording.map_or(Vec::new(), |run| run.submissions)
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(seed in any::<u64>(), count in 1..6_usize, unix in any::<bool>()) {
        let mut draws = Draws(seed);
        let begin = if unix { 1_794_705_337_000 } else { -2_500 };
        let jobs: Vec<SubmittedJob> = (0..count).map(|place| draws.submission(place, begin)).collect();
        let again = read_again(&jobs);
        prop_assert_eq!(&again, &jobs, "{}", write_submissions(&jobs, &[]));
        prop_assert_eq!(write_submissions(&again, &[]), write_submissions(&jobs, &[]));
    }
}

#[test]
fn cancellations_are_written_and_read() {
    let mut draws = Draws(7);
    let mut jobs: Vec<SubmittedJob> = (0..3).map(|place| draws.submission(place, 0)).collect();
    for (job, array) in jobs.iter_mut().zip([None, Some(vec![3, 5]), None]) {
        let mut request = JobRequest::clone(&job.request);
        request.array = array.map(|indices| JobArray { indices, throttle: None });
        job.runs = vec![TaskRun::Unknown; request.array.as_ref().map_or(1, |array| array.indices.len())];
        job.request = request.into();
    }
    let cancel = |millis: i64, place: usize, task| ClusterEvent {
        at: Micros::of_millis(millis),
        action: ClusterAction::Cancel { key: format!("k{place}"), task },
    };
    let events = vec![cancel(4_250, 1, Some(5)), cancel(9_000, 0, None)];
    let text = write_submissions(&jobs, &events);
    assert!(text.lines().nth(2).unwrap().ends_with(",\"[,4.250]\""), "{text}");
    let reading = read_site(&[("list.csv".to_owned(), text.clone())].into(), &SiteOptions::default());
    assert_eq!(reading.misread, []);
    let run = reading.recording.unwrap();
    assert_eq!((&run.submissions, &run.events), (&jobs, &events));
    // Control: a time for each of three tasks of which there are two.
    let wrong = text.replace("[,4.250]", "[,4.250,]");
    let reading = read_site(&[("list.csv".to_owned(), wrong)].into(), &SiteOptions::default());
    assert_eq!(reading.misread.len(), 1);
}

#[test]
fn control_each_part_of_a_request_is_written() {
    // A default value in place of any field that has another one is read as something else.
    let mut differing = 0;
    for seed in 0..200 {
        let job = Draws(seed).submission(0, 0);
        let changes: [fn(&mut JobRequest); 6] = [
            |request| request.tasks = None,
            |request| request.wishes.constraint = None,
            |request| request.dependency = None,
            |request| request.terms.begin = None,
            |request| request.gres.per_task.clear(),
            |request| request.gres.licenses.clear(),
        ];
        for change in changes {
            let mut other = job.clone();
            change(&mut other.request);
            if other != job {
                differing += 1;
                assert_ne!(read_again(&[other]).first(), Some(&job));
            }
        }
    }
    assert!(differing > 200, "{differing} requests had such parts");
}
