//! Whose point ranges of waits have.

use queuecast_core::spec::{Settings, SpecError};
use queuecast_wait::FeatureDistance;

/// Whose point [`WaitMethod::Ranges`](super::WaitMethod::Ranges) has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RangePoint {
    /// That of nearest neighbours by this distance.
    Nearest(FeatureDistance),
    /// That of instance-based learning with a kernel of this fixed width; `None`: tuned.
    Instances(Option<f64>),
}

impl Default for RangePoint {
    fn default() -> RangePoint {
        RangePoint::Nearest(FeatureDistance::default())
    }
}

/// Whose point a spec of ranges names. Settings of the other one are refused.
pub(super) fn range_point(
    settings: &Settings<'_>,
    distance: Option<FeatureDistance>,
    width: Option<f64>,
) -> Result<RangePoint, SpecError> {
    let by_instances = settings.value("point").map_or(Ok(false), |value| match value.text() {
        "knn" => Ok(false),
        "ibl" => Ok(true),
        _ => Err(value.wrong("give knn or ibl")),
    })?;
    match (by_instances, settings.value("distance"), settings.value("width")) {
        (true, Some(value), _) => {
            Err(value.wrong("a distance is for point=knn; leave it out with point=ibl"))
        }
        (false, _, Some(value)) => Err(value.wrong("a width is for point=ibl; leave it out with point=knn")),
        (true, ..) => Ok(RangePoint::Instances(width)),
        (false, ..) => Ok(RangePoint::Nearest(distance.unwrap_or_default())),
    }
}
