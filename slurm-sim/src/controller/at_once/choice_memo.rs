//! What has been found out while nothing has started or ended: which nodes would be chosen for a need, when a job could start later, and
//! what does not fit beside promised starts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::promise::{FirstStart, PartitionAsked, Promise};
use super::shadow::PromiseShadow;
use crate::controller::placement::{CachedNeed, LoadVersion, NodeSet};

/// Nodes that were offered, and those chosen of them.
type Choice = (NodeSet, Option<Vec<usize>>);

/// What has been found out about one need, which is kept as long as this is.
#[derive(Debug)]
struct FoundOut {
    _kept: Arc<CachedNeed>,
    choices: Vec<Choice>,
    /// Nodes on which it does not fit beside all promises if it ends then or later.
    refused: Vec<(Vec<usize>, i64)>,
}

/// When a job could start after now, beside these promises.
#[derive(Debug)]
struct LaterStart {
    asked: PartitionAsked,
    beside: Vec<Promise>,
    found: Option<FirstStart>,
}

/// What has been found out at one state of the nodes.
#[derive(Debug, Default)]
pub struct ChoiceMemo {
    version: Option<LoadVersion>,
    by_need: RefCell<HashMap<*const CachedNeed, FoundOut>>,
    later: RefCell<Vec<LaterStart>>,
    /// The first promises.
    shadows: RefCell<Option<Vec<PromiseShadow>>>,
    /// The promises that refusals and shadows are about.
    beside: Vec<Promise>,
}

impl ChoiceMemo {
    /// Forgets everything unless the nodes are as they were.
    pub fn renew(&mut self, version: LoadVersion) {
        if self.version != Some(version) {
            self.version = Some(version);
            self.by_need.get_mut().clear();
            self.forget_times();
        }
    }

    /// Forgets what depends on planned ends.
    pub fn forget_times(&mut self) {
        self.later.get_mut().clear();
        self.forget_refusals();
    }

    /// Questions about the others begin: forgets what does not fit unless these are the promises it was found with.
    pub fn renew_beside(&mut self, promises: &[Promise]) {
        if self.beside != promises {
            self.beside = promises.to_vec();
            self.forget_refusals();
        }
    }

    fn forget_refusals(&mut self) {
        self.by_need.get_mut().values_mut().for_each(|found| found.refused.clear());
        *self.shadows.get_mut() = None;
    }

    /// The nodes chosen of these for a need, by `choose` if that is not known.
    pub fn chosen(
        &self,
        kept: &Arc<CachedNeed>,
        offered: &NodeSet,
        choose: impl FnOnce() -> Option<Vec<usize>>,
    ) -> Option<Vec<usize>> {
        self.with(kept, |found| {
            if let Some((_, chosen)) = found.choices.iter().find(|choice| choice.0 == *offered) {
                return chosen.clone();
            }
            let chosen = choose();
            found.choices.push((offered.clone(), chosen.clone()));
            chosen
        })
    }

    /// When a job could start after now beside these promises, by `search` if that is not known.
    pub fn later(
        &self,
        asked: PartitionAsked,
        promises: &[Promise],
        search: impl FnOnce() -> Option<FirstStart>,
    ) -> Option<FirstStart> {
        let is_it = |one: &&LaterStart| one.asked == asked && one.beside == promises;
        if let Some(known) = self.later.borrow().iter().find(is_it) {
            return known.found.clone();
        }
        let found = search();
        let beside = promises.to_vec();
        self.later.borrow_mut().push(LaterStart { asked, beside, found: found.clone() });
        found
    }

    /// Asks about the shadows of the first promises, made by `make` if they are not known.
    pub fn with_shadows<T>(
        &self,
        make: impl FnOnce() -> Vec<PromiseShadow>,
        ask: impl FnOnce(&mut [PromiseShadow]) -> T,
    ) -> T {
        ask(self.shadows.borrow_mut().get_or_insert_with(make))
    }

    /// Whether a job of this need is known not to fit on these nodes beside all promises if it ends then.
    pub fn is_refused(&self, kept: &Arc<CachedNeed>, nodes: &[usize], end: i64) -> bool {
        self.with(kept, |found| found.refused.iter().any(|(of, from)| of == nodes && *from <= end))
    }

    /// Jobs of this need do not fit on these nodes beside all promises if they end then or later.
    pub fn refuse(&self, kept: &Arc<CachedNeed>, nodes: Vec<usize>, from: i64) {
        self.with(kept, |found| found.refused.push((nodes, from)));
    }

    fn with<T>(&self, kept: &Arc<CachedNeed>, ask: impl FnOnce(&mut FoundOut) -> T) -> T {
        let mut by_need = self.by_need.borrow_mut();
        ask(by_need.entry(Arc::as_ptr(kept)).or_insert_with(|| FoundOut {
            _kept: kept.clone(),
            choices: Vec::new(),
            refused: Vec::new(),
        }))
    }
}
