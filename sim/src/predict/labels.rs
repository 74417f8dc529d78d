//! What predictors are called in tables.

/// What predictors are called in tables: by their spec, or by the file of their templates.
#[derive(Debug, Clone, Default)]
pub struct PredictorLabels(Vec<(String, String)>);

impl PredictorLabels {
    /// Of predictors as they are written, each with its label.
    pub fn of(labels: impl IntoIterator<Item = (String, String)>) -> PredictorLabels {
        PredictorLabels(labels.into_iter().collect())
    }

    /// What the predictor written like this is called.
    pub fn label(&self, written: &str) -> String {
        let known = self.0.iter().find(|(spec, _)| spec == written);
        known.map_or_else(|| written.to_owned(), |(_, label)| label.clone())
    }
}
