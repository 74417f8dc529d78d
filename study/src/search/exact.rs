//! Numbers that are read exactly as they were written: not every reader of JSON numbers returns the last bit.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub(super) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let text = String::deserialize(deserializer)?;
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| number.is_finite())
        .ok_or_else(|| D::Error::custom(format!("{text:?} is no number")))
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct One(#[serde(with = "super")] f64);

    #[test]
    fn every_bit_survives() {
        for number in [0.1 + 0.2, 1.0 / 3.0, f64::MAX, f64::MIN_POSITIVE, -0.0, 7126.123456789012] {
            let text = serde_json::to_string(&One(number)).unwrap();
            let One(read) = serde_json::from_str(&text).unwrap();
            assert_eq!(read.to_bits(), number.to_bits(), "{text}");
        }
        for wrong in ["\"x\"", "\"NaN\"", "\"inf\"", "1.5"] {
            assert!(serde_json::from_str::<One>(wrong).is_err(), "{wrong}");
        }
    }
}
