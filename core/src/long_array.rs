//! Arrays of any length for `#[serde(with = …)]`: serde itself stores those of up to 32 values.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Stores an array as its values in order.
pub fn serialize<S: Serializer, T: Serialize, const N: usize>(
    array: &[T; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(array)
}

/// Reads an array; refuses another number of values.
pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
    deserializer: D,
) -> Result<[T; N], D::Error> {
    let values = Vec::<T>::deserialize(deserializer)?;
    let found = values.len();
    values.try_into().map_err(|_| D::Error::custom(format_args!("{found} values, {N} are expected")))
}

/// Arrays of arrays.
pub mod nested {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Stores the values of all arrays in order.
    pub fn serialize<S: Serializer, T: Serialize, const N: usize, const M: usize>(
        arrays: &[[T; N]; M],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(arrays.as_flattened())
    }

    /// Reads the arrays; refuses another number of values.
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize, const M: usize>(
        deserializer: D,
    ) -> Result<[[T; N]; M], D::Error> {
        let values = Vec::<T>::deserialize(deserializer)?;
        let found = values.len();
        let wrong = || D::Error::custom(format_args!("{found} values, {} are expected", N * M));
        let mut values = values.into_iter();
        let arrays: Vec<[T; N]> = (0..M)
            .map(|_| values.by_ref().take(N).collect::<Vec<T>>().try_into().map_err(|_| wrong()))
            .collect::<Result<_, _>>()?;
        if values.next().is_some() {
            return Err(wrong());
        }
        arrays.try_into().map_err(|_| wrong())
    }
}
