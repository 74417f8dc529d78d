//! The body of a request, with every field of an object: a map would keep the last of those with one name.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A body.
pub(crate) enum JsonBody {
    /// Its fields in their order.
    Object(Vec<(String, Value)>),
    /// Any other JSON.
    Other,
}

impl<'de> Deserialize<'de> for JsonBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonBody, D::Error> {
        deserializer.deserialize_any(BodyVisitor)
    }
}

struct BodyVisitor;

impl<'de> Visitor<'de> for BodyVisitor {
    type Value = JsonBody;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonBody, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(JsonBody::Object(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<JsonBody, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(JsonBody::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_unit<E>(self) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }
}
