//! A template set as the genetic search sees it: a string of bits, a multiple of the bits of one template.

use std::fmt;

/// One template set as bits. Every string of bits is one: [`super::Space::decode`] is total.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chromosome {
    /// Bits of one template.
    width: u32,
    /// One per template; the first bit is the lowest.
    genes: Vec<u64>,
}

impl Chromosome {
    /// These templates of `width` bits each (at most 63); what lies beyond the width is cut off.
    pub(super) fn new(width: u32, genes: impl IntoIterator<Item = u64>) -> Chromosome {
        let genes = genes.into_iter().map(|gene| gene & ones(width)).collect();
        Chromosome { width, genes }
    }

    /// Reads what is displayed: `0110 1010`, one group of `width` digits per template.
    pub(super) fn read(width: u32, text: &str) -> Option<Chromosome> {
        let gene = |word: &str| {
            let digits = word.bytes().all(|digit| digit == b'0' || digit == b'1');
            let set = |word: &str| {
                word.bytes().rev().fold(0_u64, |gene, digit| gene << 1 | u64::from(digit == b'1'))
            };
            (digits && word.len() == width as usize).then(|| set(word))
        };
        let genes = if width == 0 {
            // Templates without a bit have no digits to write; there is one such set.
            text.is_empty().then(|| vec![0])
        } else {
            text.split(' ').map(gene).collect::<Option<Vec<u64>>>()
        };
        Some(Chromosome { width, genes: genes? })
    }

    /// How many templates.
    pub fn templates(&self) -> usize {
        self.genes.len()
    }

    /// How many bits each template has.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bits of each template.
    pub(super) fn genes(&self) -> &[u64] {
        &self.genes
    }

    /// The two children of a crossover inside template `i` of this and template `j` of the other (from 0), after
    /// the first `p` bits:
    ///
    /// `t1..t(i-1), n1, u(j+1)..um` and `u1..u(j-1), n2, t(i+1)..tn`, where `n1` is the first `p` bits of `ti`
    /// and the rest of `uj`, and `n2` the first `p` bits of `uj` and the rest of `ti`.
    pub(super) fn cross(&self, other: &Chromosome, i: usize, p: u32, j: usize) -> (Chromosome, Chromosome) {
        let child = |head: &[u64], tail: &[u64], at: usize, from: usize| {
            let mixed = head[at] & ones(p) | tail[from] & !ones(p);
            let genes = head[..at].iter().copied().chain([mixed]).chain(tail[from + 1..].iter().copied());
            Chromosome { width: self.width, genes: genes.collect() }
        };
        (child(&self.genes, &other.genes, i, j), child(&other.genes, &self.genes, j, i))
    }

    /// Flips one bit, counted from the first of the first template.
    pub(super) fn flip(&mut self, bit: usize) {
        let width = self.width as usize;
        self.genes[bit / width] ^= 1 << (bit % width);
    }

    /// How many bits there are in all.
    pub(super) fn bits(&self) -> usize {
        self.genes.len() * self.width as usize
    }
}

/// As many ones as asked for, from the first bit on.
fn ones(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// One group of digits per template, first bit first.
impl fmt::Display for Chromosome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, gene) in self.genes.iter().enumerate() {
            if place > 0 && self.width > 0 {
                f.write_str(" ")?;
            }
            for bit in 0..self.width {
                f.write_str(if gene >> bit & 1 == 1 { "1" } else { "0" })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Chromosome {
        Chromosome::read(4, text).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        for text in ["0000", "0110 1010", "1000 0001 1111"] {
            assert_eq!(read(text).to_string(), text);
        }
        assert_eq!(read("1000").genes(), [1], "the first digit is the lowest bit");
        for wrong in ["", "011", "01101", "0120", "0110  1010", "0110 "] {
            assert_eq!(Chromosome::read(4, wrong), None, "{wrong:?}");
        }
    }

    /// The paper's crossover, worked by hand: i = 2, p = 1, j = 1 (counted from 1).
    #[test]
    fn children_take_their_heads_from_one_and_their_tails_from_the_other() {
        let (one, other) = (read("0000 0000 0000"), read("1111 1111"));
        let (first, second) = one.cross(&other, 1, 1, 0);
        assert_eq!(first.to_string(), "0000 0111 1111");
        assert_eq!(second.to_string(), "1000 0000");
        // At the last templates: nothing follows the mixed ones.
        let (first, second) = one.cross(&other, 2, 3, 1);
        assert_eq!(first.to_string(), "0000 0000 0001");
        assert_eq!(second.to_string(), "1111 1110");
        // Without any bit of its own, a mixed template is the other's.
        let (first, second) = one.cross(&other, 0, 0, 0);
        assert_eq!(
            (first.to_string().as_str(), second.to_string().as_str()),
            ("1111 1111", "0000 0000 0000")
        );
        // Nothing is lost or made: the children have their parents' templates and ones.
        let (first, second) = read("0110 1010 0001").cross(&read("1100 0111"), 1, 2, 0);
        assert_eq!(first.to_string(), "0110 1000 0111");
        assert_eq!(second.to_string(), "1110 0001");
    }

    #[test]
    fn a_flip_changes_one_bit() {
        let mut one = read("0110 1010");
        one.flip(4);
        assert_eq!(one.to_string(), "0110 0010");
        one.flip(3);
        assert_eq!(one.to_string(), "0111 0010");
        assert_eq!(one.bits(), 8);
    }
}
