//! Seeded random streams: every consumer draws from a stream of its own label, so that adding a consumer never changes
//! what another draws.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// The seed of all random streams of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of this name: portable (ChaCha8), independent of every other name's.
    pub fn stream(self, label: &str) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.0);
        let mut number = 0xcbf2_9ce4_8422_2325_u64;
        for byte in label.bytes() {
            number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        rng.set_stream(number);
        rng
    }

    /// The stream of this name and number, one of many alike.
    pub fn numbered(self, label: &str, number: u64) -> ChaCha8Rng {
        self.stream(&format!("{label} {number}"))
    }

    /// A seed of its own for this name, for a consumer that has several streams itself.
    #[must_use]
    pub fn named(self, label: &str) -> Seed {
        Seed(self.stream(label).next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_and_label_only() {
        let draw = |seed, label| Seed(seed).stream(label).next_u64();
        assert_eq!(draw(1, "arrivals"), draw(1, "arrivals"));
        assert_ne!(draw(1, "arrivals"), draw(1, "sizes"));
        assert_ne!(draw(1, "arrivals"), draw(2, "arrivals"));
    }

    #[test]
    fn a_named_seed_is_another_seed() {
        assert_eq!(Seed(1).named("queue I"), Seed(1).named("queue I"));
        for other in [Seed(1), Seed(1).named("queue II"), Seed(2).named("queue I")] {
            assert_ne!(Seed(1).named("queue I"), other);
        }
    }
}
