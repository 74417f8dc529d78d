//! What a search chooses from: which templates there are for a log, and each as bits.

use serde::{Deserialize, Serialize};

use super::chromosome::Chromosome;
use queuecast_core::job::Job;
use queuecast_sim::predict::template::{
    Characteristic, Characteristics, Data, Estimator, LARGEST_RANGE, Nodes, Template, TemplateSet,
};

/// The templates a search chooses from, and how many of them one set may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenSpace", into = "WrittenSpace")]
pub struct Space {
    /// What may make jobs similar.
    pub characteristics: Characteristics,
    /// Whether ranges of processors may.
    pub nodes: bool,
    /// Whether run times relative to requested ones may be used; else only actual ones are.
    pub relative: bool,
    /// How predictions may be made; never empty.
    pub estimators: Vec<Estimator>,
    /// How much categories may remember; never empty.
    pub histories: Vec<Option<u32>>,
    /// The most templates of one set, at least one.
    pub most: usize,
}

/// The most templates of one set in the paper.
pub const MOST_TEMPLATES: usize = 10;

/// The maximum histories that are searched unless told otherwise: all jobs, or the last of this number.
pub const HISTORIES: [Option<u32>; 8] =
    [None, Some(2), Some(4), Some(8), Some(16), Some(32), Some(128), Some(512)];

/// Sizes of ranges of processors: 1 to 512.
const RANGES: u64 = LARGEST_RANGE.ilog2() as u64 + 1;

impl Space {
    /// What these jobs offer: every characteristic that tells them apart, ranges of processors where sizes
    /// differ, relative run times where any time is requested; means and linear regressions over all of the
    /// past, at most ten templates, as the paper has it.
    pub fn of(jobs: &[Job]) -> Space {
        let sizes = jobs.windows(2).any(|pair| pair[0].shape.procs != pair[1].shape.procs);
        Space {
            characteristics: Characteristics::present(jobs),
            nodes: sizes,
            relative: jobs.iter().any(|job| job.shape.limit.is_some()),
            estimators: vec![Estimator::Mean, Estimator::Linear],
            histories: vec![None],
            most: MOST_TEMPLATES,
        }
    }

    /// The kinds of data points there are.
    pub fn data(&self) -> &'static [Data] {
        if self.relative { &[Data::Actual, Data::Relative] } else { &[Data::Actual] }
    }

    /// The node ranges there are, without [`Nodes::Ignored`].
    pub fn ranges(&self) -> impl Iterator<Item = Nodes> {
        let count = if self.nodes { RANGES } else { 0 };
        (0..count).map(|exponent| Nodes::Ranges(1 << exponent))
    }

    /// Bits of one template: which estimator, whether relative, one for each characteristic, whether nodes and
    /// which of sixteen ranges, which history. Where a choice is not a power of two, its numbers begin again:
    /// of sixteen ranges, the last six are the first six.
    pub fn bits(&self) -> u32 {
        let fields = [bits_for(self.estimators.len()), u32::from(self.relative)];
        let nodes = if self.nodes { 1 + bits_for(RANGES as usize) } else { 0 };
        fields.iter().sum::<u32>()
            + self.characteristics.len() as u32
            + nodes
            + bits_for(self.histories.len())
    }

    /// The templates these bits mean. One that is there already would never be chosen and is left out.
    pub fn decode(&self, chromosome: &Chromosome) -> TemplateSet {
        let mut templates: Vec<Template> = Vec::new();
        for &gene in chromosome.genes() {
            let template = self.template(gene);
            if !templates.contains(&template) {
                templates.push(template);
            }
        }
        TemplateSet(templates)
    }

    /// Bits that mean these templates; `None` if one of them is not of this space, or there are too many or none.
    pub fn encode(&self, set: &TemplateSet) -> Option<Chromosome> {
        let genes = set.0.iter().map(|template| self.gene(template)).collect::<Option<Vec<u64>>>()?;
        (1..=self.most).contains(&genes.len()).then(|| Chromosome::new(self.bits(), genes))
    }

    fn template(&self, gene: u64) -> Template {
        let mut rest = gene;
        let mut take = |bits: u32| {
            let value = rest & ((1 << bits) - 1);
            rest >>= bits;
            value
        };
        let estimator = take(bits_for(self.estimators.len())) as usize % self.estimators.len().max(1);
        let relative = take(u32::from(self.relative)) == 1;
        let characteristics = self.characteristics.iter().filter(|_| take(1) == 1).collect();
        let (used, exponent) =
            if self.nodes { (take(1) == 1, take(bits_for(RANGES as usize))) } else { (false, 0) };
        let history = take(bits_for(self.histories.len())) as usize % self.histories.len().max(1);
        Template {
            characteristics,
            nodes: if used { Nodes::Ranges(1 << (exponent % RANGES)) } else { Nodes::Ignored },
            age: false,
            data: if relative { Data::Relative } else { Data::Actual },
            predictor: self.estimators.get(estimator).copied().unwrap_or_default(),
            history: self.histories.get(history).copied().flatten(),
        }
    }

    fn gene(&self, template: &Template) -> Option<u64> {
        let mut gene = 0;
        let mut filled = 0;
        let mut put = |bits: u32, value: u64| {
            gene |= value << filled;
            filled += bits;
        };
        let place = self.estimators.iter().position(|one| *one == template.predictor)?;
        put(bits_for(self.estimators.len()), place as u64);
        put(u32::from(self.relative), u64::from(template.data == Data::Relative));
        for one in self.characteristics.iter() {
            put(1, u64::from(template.characteristics.contains(one)));
        }
        let (used, exponent) = match template.nodes {
            Nodes::Ignored => (0, 0),
            Nodes::Ranges(size) => (1, u64::from(size.ilog2())),
            Nodes::Exponential => return None,
        };
        if self.nodes {
            put(1, used);
            put(bits_for(RANGES as usize), exponent);
        }
        let place = self.histories.iter().position(|one| *one == template.history)?;
        put(bits_for(self.histories.len()), place as u64);
        // What the space cannot say is lost above; then the bits mean something else.
        (self.template(gene) == *template).then_some(gene)
    }
}

/// Bits to number `choices` choices.
fn bits_for(choices: usize) -> u32 {
    choices.max(1).next_power_of_two().ilog2()
}

/// A space as a checkpoint has it.
#[derive(Debug, Serialize, Deserialize)]
struct WrittenSpace {
    /// Letters; `n` for ranges of processors.
    characteristics: Vec<String>,
    relative: bool,
    estimators: Vec<String>,
    histories: Vec<Option<u32>>,
    most: usize,
}

impl From<Space> for WrittenSpace {
    fn from(space: Space) -> WrittenSpace {
        let letters =
            space.characteristics.iter().map(Characteristic::letter).chain(space.nodes.then_some("n"));
        WrittenSpace {
            characteristics: letters.map(str::to_owned).collect(),
            relative: space.relative,
            estimators: space.estimators.iter().map(|one| one.word().to_owned()).collect(),
            histories: space.histories,
            most: space.most,
        }
    }
}

impl TryFrom<WrittenSpace> for Space {
    type Error = String;

    fn try_from(written: WrittenSpace) -> Result<Space, String> {
        let mut characteristics = Characteristics::NONE;
        for letter in written.characteristics.iter().filter(|letter| *letter != "n") {
            let one =
                Characteristic::read(letter).ok_or_else(|| format!("{letter:?} is no characteristic"))?;
            characteristics = characteristics.with(one);
        }
        let estimator =
            |word: &String| Estimator::read(word).map_err(|_| format!("{word:?} is no estimator"));
        let estimators = written.estimators.iter().map(estimator).collect::<Result<Vec<_>, _>>()?;
        if estimators.is_empty() || written.histories.is_empty() || written.most == 0 {
            return Err("a search needs an estimator, a history and a template".to_owned());
        }
        Ok(Space {
            characteristics,
            nodes: written.characteristics.iter().any(|letter| letter == "n"),
            relative: written.relative,
            estimators,
            histories: written.histories,
            most: written.most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::{Procs, Seconds, Time};

    /// Everything there is.
    fn widest() -> Space {
        Space {
            characteristics: Characteristics::ALL,
            nodes: true,
            relative: true,
            estimators: Estimator::ALL.to_vec(),
            histories: HISTORIES.to_vec(),
            most: MOST_TEMPLATES,
        }
    }

    fn small() -> Space {
        let characteristics = [Characteristic::User, Characteristic::Queue].into_iter().collect();
        let estimators = vec![Estimator::Mean, Estimator::Linear];
        Space { characteristics, nodes: true, relative: false, estimators, histories: vec![None], most: 3 }
    }

    #[test]
    fn bits_are_counted_by_hand() {
        // Two estimators 1, q and u 2, nodes 1 + 4.
        assert_eq!(small().bits(), 8);
        // Four estimators 2, relative 1, seven characteristics, nodes 5, eight histories 3.
        assert_eq!(widest().bits(), 18);
        let least = Space { nodes: false, estimators: vec![Estimator::Mean], ..small() };
        assert_eq!(Space { characteristics: Characteristics::NONE, ..least }.bits(), 0);
    }

    #[test]
    fn bits_mean_what_they_say() {
        let space = small();
        let read = |text: &str| space.decode(&Chromosome::read(8, text).unwrap()).to_string();
        assert_eq!(read("00000000"), "()");
        assert_eq!(read("10100000"), "(u,lr)");
        // q and u, nodes used, range number 0100 (lowest first) = 2, so 4 processors.
        assert_eq!(read("01110100"), "(q,u,n=4)");
        assert_eq!(read("00011001"), "(n=512)", "range number 9");
        assert_eq!(read("00010101"), "(n=1)", "number 10 begins again");
        assert_eq!(read("00001111"), "()", "a range that is not used");
        assert_eq!(read("00100000 00100000 01000000"), "(u), (q)", "once is enough");
    }

    #[test]
    fn what_is_encoded_decodes_to_itself() {
        let space = widest();
        for gene in (0..1_u64 << space.bits()).step_by(7) {
            let set = space.decode(&Chromosome::new(space.bits(), [gene, gene.rotate_left(3), 1]));
            let again = space.decode(&space.encode(&set).unwrap());
            assert_eq!(again, set);
        }
        for text in ["()", "(q,u,n=512,lr)", "(u), (q,n=1), ()"] {
            let set: TemplateSet = text.parse().unwrap();
            assert_eq!(small().decode(&small().encode(&set).unwrap()), set, "{text}");
        }
    }

    #[test]
    fn what_is_not_of_the_space_has_no_bits() {
        for text in ["(e)", "(u,rel)", "(u,h=4)", "(u,inv)", "(n=exp)", "(u,age)", "(u),(q),(u,q),()"] {
            assert_eq!(small().encode(&text.parse().unwrap()), None, "{text}");
        }
        assert_eq!(small().encode(&TemplateSet(Vec::new())), None);
        assert_eq!(Space { nodes: false, ..small() }.encode(&"(n=4)".parse().unwrap()), None);
    }

    #[test]
    fn a_space_is_what_the_jobs_offer() {
        let job = |procs, limit: Option<i64>| Job::rigid(1, Time(0), Procs(procs), limit.map(Seconds));
        let alike = Space::of(&[job(1, None), job(1, None)]);
        assert!(!alike.nodes && !alike.relative && alike.characteristics.is_empty());
        let differing = Space::of(&[job(1, None), job(2, Some(60))]);
        assert!(differing.nodes && differing.relative);
        assert_eq!(differing.ranges().count(), 10);
        assert_eq!((alike.ranges().count(), alike.data().len(), differing.data().len()), (0, 1, 2));
    }

    #[test]
    fn a_space_survives_being_written() {
        for space in [small(), widest()] {
            let text = serde_json::to_string(&space).unwrap();
            assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space);
        }
        let text = serde_json::to_string(&small()).unwrap();
        for (right, wrong) in [("\"u\"", "\"x\""), ("\"lr\"", "\"rl\""), ("[null]", "[]"), ("3", "0")] {
            assert!(serde_json::from_str::<Space>(&text.replace(right, wrong)).is_err(), "{wrong}");
        }
    }
}
