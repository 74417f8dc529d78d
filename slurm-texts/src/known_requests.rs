//! What rows of accounting ask for. Rows that tell the same ask for the same: most jobs of a user differ in their times only, and a request
//! is put together once for all of them.

use std::collections::HashMap;

use super::accounted_request::{GivenNodes, completed, given_nodes, line_request};
use super::accounted_row::AccountedRow;
use super::rules::{CountedRule, RuleCounter};
use queuecast_slurm_sim::cluster::{Cluster, SharedRequest, SharedRequests};

/// With this many different rows all are forgotten, so that memory is bounded.
const MOST: usize = 20_000;

/// What a row asks for.
#[derive(Debug, Clone)]
pub(super) struct KnownRequest {
    pub request: SharedRequest,
    /// Options of its submit line that are not modelled.
    pub not_modelled: Vec<String>,
    /// What was counted when it was put together.
    counted: Vec<CountedRule>,
}

/// What rows with the same texts ask for. Whether their nodes are looked at depends on these texts.
#[derive(Debug)]
enum KnownRow {
    Plain(KnownRequest),
    ByNodes(HashMap<Option<GivenNodes>, KnownRequest>),
}

/// What rows ask for, by what they tell of it.
#[derive(Debug, Default)]
pub(super) struct KnownRequests {
    rows: HashMap<Box<[u8]>, KnownRow>,
    /// The texts of the row that is looked up.
    texts: Vec<u8>,
    shared: SharedRequests,
}

impl KnownRequests {
    /// What a row asks for. What is left out or adjusted for it is counted.
    pub fn of(
        &mut self,
        row: &AccountedRow<'_>,
        cluster: &Cluster,
        rules: &mut RuleCounter,
    ) -> (SharedRequest, Vec<String>) {
        row.asked_bytes(&mut self.texts);
        let known = match self.rows.get(&*self.texts) {
            Some(KnownRow::Plain(known)) => Some(known),
            Some(KnownRow::ByNodes(known)) => known.get(&given_nodes(row, cluster)),
            None => None,
        };
        if let Some(known) = known {
            rules.count_again(&known.counted, row.line);
            return (known.request.clone(), known.not_modelled.clone());
        }
        let known = self.found(row, cluster);
        rules.count_again(&known.counted, row.line);
        let found = (known.request.clone(), known.not_modelled.clone());
        self.remember(row, cluster, known);
        found
    }

    /// A request in memory that all like it have.
    pub fn shared(&mut self, request: SharedRequest) -> SharedRequest {
        self.shared.shared(request)
    }

    fn found(&mut self, row: &AccountedRow<'_>, cluster: &Cluster) -> KnownRequest {
        let mut rules = RuleCounter::default();
        let (mut request, not_modelled) = line_request(row, &mut rules);
        completed(&mut request, row, cluster, &mut rules);
        KnownRequest { request: self.shared.shared(request), not_modelled, counted: rules.into_rules() }
    }

    fn remember(&mut self, row: &AccountedRow<'_>, cluster: &Cluster, known: KnownRequest) {
        if self.rows.len() >= MOST {
            self.rows.clear();
        }
        if !row.amounts.looked_at_nodes.get() {
            self.rows.insert(self.texts.as_slice().into(), KnownRow::Plain(known));
            return;
        }
        let nodes = given_nodes(row, cluster);
        match self.rows.get_mut(&*self.texts) {
            Some(KnownRow::ByNodes(all)) => _ = all.insert(nodes, known),
            _ => {
                let all = HashMap::from([(nodes, known)]);
                self.rows.insert(self.texts.as_slice().into(), KnownRow::ByNodes(all));
            }
        }
    }
}
