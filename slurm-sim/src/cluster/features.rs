//! Expressions over the features of nodes.

use serde::Serialize;

/// What a job asks of the features of its nodes (`--constraint`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureExpr {
    /// This one.
    Feature(String),
    /// All of these.
    All(Vec<FeatureExpr>),
    /// Any of these, another on each node if need be.
    Any(Vec<FeatureExpr>),
    /// Any of these, the same on all nodes of the job (`[a|b]`).
    SameOnAll(Vec<FeatureExpr>),
    /// At least this number of the job's nodes have the feature (`a*2`).
    Counted(Box<FeatureExpr>, u32),
}

impl FeatureExpr {
    /// Whether a node with some features can be among the job's nodes. Of counted parts it need be like one only.
    pub fn admits(&self, features: &[String]) -> bool {
        match self {
            FeatureExpr::Feature(name) => features.contains(name),
            FeatureExpr::All(parts) => {
                let (counted, plain): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.is_counted());
                plain.iter().all(|part| part.admits(features))
                    && (counted.is_empty() || counted.iter().any(|part| part.admits(features)))
            }
            FeatureExpr::Any(parts) | FeatureExpr::SameOnAll(parts) => {
                parts.iter().any(|part| part.admits(features))
            }
            FeatureExpr::Counted(part, _) => part.admits(features),
        }
    }

    /// The parts that have a count, with their counts.
    pub fn counts(&self) -> Vec<(&FeatureExpr, u32)> {
        match self {
            FeatureExpr::Feature(_) => Vec::new(),
            FeatureExpr::All(parts) | FeatureExpr::Any(parts) | FeatureExpr::SameOnAll(parts) => {
                parts.iter().flat_map(FeatureExpr::counts).collect()
            }
            FeatureExpr::Counted(part, count) => vec![(part, *count)],
        }
    }

    /// The expressions of which one has to hold on all nodes of the job; the expression itself if there is no choice.
    pub fn alternatives(&self) -> Vec<FeatureExpr> {
        match self {
            FeatureExpr::SameOnAll(parts) => parts.clone(),
            FeatureExpr::All(parts) => {
                let mut all = vec![Vec::new()];
                for part in parts {
                    let choices = part.alternatives();
                    let longer = |begun: &Vec<FeatureExpr>| -> Vec<Vec<FeatureExpr>> {
                        choices.iter().map(|one| begun.iter().chain([one]).cloned().collect()).collect()
                    };
                    all = all.iter().flat_map(longer).collect();
                }
                all.into_iter().map(FeatureExpr::All).collect()
            }
            other => vec![other.clone()],
        }
    }

    fn is_counted(&self) -> bool {
        matches!(self, FeatureExpr::Counted(..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str) -> FeatureExpr {
        FeatureExpr::Feature(name.into())
    }

    fn admits(expression: &FeatureExpr, features: &str) -> bool {
        expression.admits(&features.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn nodes_are_admitted_by_their_features() {
        let both = FeatureExpr::All(vec![feature("a"), feature("b")]);
        assert!(admits(&both, "b a") && !admits(&both, "a c"));
        let either = FeatureExpr::Any(vec![both, feature("c")]);
        assert!(admits(&either, "c") && admits(&either, "a b") && !admits(&either, "a"));
        let counted = FeatureExpr::All(vec![
            feature("ib"),
            FeatureExpr::Counted(Box::new(feature("a")), 2),
            FeatureExpr::Counted(Box::new(feature("b")), 4),
        ]);
        assert!(admits(&counted, "ib a") && admits(&counted, "ib b"));
        assert!(!admits(&counted, "a") && !admits(&counted, "ib c"));
        assert_eq!(counted.counts().iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn alternatives_are_for_all_nodes() {
        let one = FeatureExpr::SameOnAll(vec![feature("r1"), feature("r2")]);
        assert_eq!(one.alternatives(), [feature("r1"), feature("r2")]);
        let more = FeatureExpr::All(vec![feature("ib"), one]);
        assert_eq!(more.alternatives().len(), 2);
        assert_eq!(more.alternatives()[1], FeatureExpr::All(vec![feature("ib"), feature("r2")]));
        assert_eq!(feature("a").alternatives(), [feature("a")]);
    }
}
