//! DrawnSizes: serial, a power of two, or any number.

use chacha20::ChaCha8Rng;
use rand::RngExt;

use super::LublinSizes;
use queuecast_core::units::Procs;

pub(super) struct DrawnSizes {
    law: LublinSizes,
    procs: u32,
    rng: ChaCha8Rng,
}

impl DrawnSizes {
    pub(super) fn new(law: LublinSizes, procs: u32, rng: ChaCha8Rng) -> DrawnSizes {
        DrawnSizes { law, procs, rng }
    }

    pub(super) fn next(&mut self) -> Procs {
        let LublinSizes { serial, power_of_two, low, medium, high, lower } = self.law;
        let kind: f64 = self.rng.random_range(0.0..1.0);
        if kind < serial {
            return Procs(1);
        }
        let (from, to) = if self.rng.random_range(0.0..1.0) < lower { (low, medium) } else { (medium, high) };
        let share: f64 = self.rng.random_range(0.0..1.0);
        let exponent = from + share * (to - from);
        let size = if kind < serial + power_of_two {
            // On a machine of 100 processors 2^6.6 rounds to 128: it is the largest power of two that fits.
            1 << (exponent.round() as u32).min(self.procs.ilog2())
        } else {
            (exponent.exp2().round() as u32).clamp(1, self.procs)
        };
        Procs(size)
    }
}
