//! The spec `mixture`.

use super::super::RuntimePredictor;
use super::super::settings::PredictorSettings;
use super::point::MixturePoint;
use super::predictor::Mixture;
use crate::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, Written};
use crate::units::Seconds;

/// The settings of [`Mixture`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MixtureSettings {
    /// Which number a scheduler plans with.
    pub point: MixturePoint,
}

impl PredictorSettings for MixtureSettings {
    const FORMS: &'static [Form] =
        &[Form::new("mixture", "many simple experts, each counting as much as it has been right").with(
            "[:consensus|mean|median]",
            &[SettingKey::spec("point", MixturePoint::forms)
                .alone(Alone::If(|text| MixturePoint::parse(text).is_ok()))],
            "mixture:median",
        )];

    fn read(settings: &Settings<'_>) -> Result<MixtureSettings, SpecError> {
        let mut mixture = MixtureSettings::default();
        settings.set("point", &mut mixture.point, |value| value.spec())?;
        Ok(mixture)
    }

    fn write(&self) -> String {
        let other = Some(self.point).filter(|&point| point != MixturePoint::default());
        Written::new("mixture").optional(other).to_string()
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, default_request: Seconds) -> Box<dyn RuntimePredictor> {
        Box::new(Mixture::new(*self, default_request))
    }
}
