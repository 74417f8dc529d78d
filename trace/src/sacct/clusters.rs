//! The clusters whose jobs a dump holds.

use crate::error::{ClusterJobs, TraceError};

/// Counts the rows of each cluster, and tells those of the cluster asked for.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    wanted: Option<String>,
    /// In the order of appearance.
    found: Vec<ClusterJobs>,
    /// Where the cluster of the last row is.
    last: usize,
}

impl Clusters {
    pub fn new(wanted: Option<String>) -> Clusters {
        Clusters { wanted, ..Clusters::default() }
    }

    /// Counts one more row; whether it is of the cluster asked for, or of any if none was.
    pub fn see(&mut self, name: &[u8]) -> bool {
        // Names are compared as the text that errors list and `--cluster` can name.
        let name = String::from_utf8_lossy(name);
        let is = |one: &ClusterJobs| one.cluster == name;
        if !self.found.get(self.last).is_some_and(is) {
            self.last = self.found.iter().position(is).unwrap_or(self.found.len());
        }
        if self.last == self.found.len() {
            self.found.push(ClusterJobs { cluster: name.into_owned(), jobs: 0 });
        }
        let one = &mut self.found[self.last];
        one.jobs += 1;
        self.wanted.as_ref().is_none_or(|wanted| *wanted == one.cluster)
    }

    /// Whether rows of several clusters were seen and none was asked for.
    pub fn are_mixed(&self) -> bool {
        self.wanted.is_none() && self.found.len() > 1
    }

    /// The error once all rows are counted, if clusters are mixed or the one asked for has no rows.
    pub fn check(&self) -> Result<(), TraceError> {
        let clusters = self.found.clone();
        match &self.wanted {
            None if self.are_mixed() => Err(TraceError::SeveralClusters { clusters }),
            Some(wanted) if !clusters.is_empty() && clusters.iter().all(|one| one.cluster != *wanted) => {
                Err(TraceError::NoSuchCluster { wanted: wanted.clone(), clusters })
            }
            _ => Ok(()),
        }
    }
}
