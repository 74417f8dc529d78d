//! The numbers of processors a job can run on.

use crate::synth::SynthError;
use crate::synth::error::outside;
use queuecast_core::units::Procs;

/// The cluster sizes a job can be given: the paper's "limited range of viable cluster sizes" (section 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Viable {
    /// The fewest processors with enough memory.
    pub fewest: Procs,
    /// The most processors that still make it faster.
    pub most: Procs,
}

impl Viable {
    /// A job that runs on any number of processors.
    pub const ANY: Viable = Viable { fewest: Procs(1), most: Procs(u32::MAX) };

    /// The viable sizes on a machine of this size; an error if there are none.
    pub fn on(self, machine: Procs) -> Result<Viable, SynthError> {
        let left = Viable { fewest: self.fewest.max(Procs(1)), most: self.most.min(machine) };
        if left.fewest <= left.most {
            return Ok(left);
        }
        let sizes = format!("{} to {} processors", self.fewest.0, self.most.0);
        Err(outside("viable", sizes, &format!("some of 1 to {}, the fewest first", machine.0)))
    }

    /// The viable size nearest to this one.
    pub fn nearest(self, procs: Procs) -> Procs {
        procs.min(self.most).max(self.fewest)
    }
}

impl Default for Viable {
    fn default() -> Viable {
        Viable::ANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_some_of_it_or_says_what_it_has() {
        let viable = |fewest, most| Viable { fewest: Procs(fewest), most: Procs(most) };
        assert_eq!(Viable::ANY.on(Procs(128)).unwrap(), viable(1, 128));
        assert_eq!(viable(0, 9).on(Procs(128)).unwrap(), viable(1, 9));
        assert_eq!(viable(100, 300).on(Procs(128)).unwrap(), viable(100, 128));
        assert_eq!(viable(128, 300).on(Procs(128)).unwrap(), viable(128, 128));
        let said = |fewest, most| viable(fewest, most).on(Procs(128)).unwrap_err().to_string();
        assert_eq!(
            said(200, 300),
            "viable = 200 to 300 processors: must be some of 1 to 128, the fewest first"
        );
        assert!(said(64, 32).starts_with("viable = 64 to 32 processors"));
        assert!(said(0, 0).starts_with("viable = 0 to 0 processors"));
        assert_eq!([3, 5, 99].map(|procs| viable(4, 8).nearest(Procs(procs)).0), [4, 5, 8]);
    }
}
