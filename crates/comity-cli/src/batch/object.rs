//! A line: an object whose fields pass through to the letter.

use std::fmt;

use anyhow::{Context, Result, anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// Names and values in their order; values are not understood before somebody asks, so numbers keep their digits.
#[derive(Default)]
pub(super) struct Object {
    fields: Vec<(String, Box<RawValue>)>,
}

impl Object {
    pub(super) fn parse(line: &[u8]) -> Result<Self> {
        serde_json::from_slice(line).map_err(|error| {
            // The place is within the line, which has a number of its own.
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            anyhow!("expected a JSON object: {message} at byte {}", error.column())
        })
    }

    /// The value of a field, if it is there.
    pub(super) fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let mut values = self.fields.iter().filter(|(other, _)| other == name);
        let value = values.next();
        if values.next().is_some() {
            bail!("expected `{name}` once, found it several times");
        }
        value
            .map(|(_, value)| serde_json::from_str(value.get()))
            .transpose()
            .map_err(|_| anyhow!("found another value"))
    }

    /// A field's text as bytes, or its `_b64` form.
    pub(super) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let encoded = format!("{name}_b64");
        let text: Option<String> = self.get(name).with_context(|| format!("expected text in `{name}`"))?;
        let b64: Option<String> = self.get(&encoded).with_context(|| format!("expected text in `{encoded}`"))?;
        match (text, b64) {
            (Some(_), Some(_)) => bail!("expected `{name}` or `{encoded}`, found both"),
            (Some(text), None) => Ok(Some(text.into_bytes())),
            (None, Some(b64)) => {
                Ok(Some(BASE64.decode(b64).with_context(|| format!("expected base64 in `{encoded}`"))?))
            }
            (None, None) => Ok(None),
        }
    }

    /// Sets a field, in its place if it is there.
    pub(super) fn set(&mut self, name: &str, value: &impl Serialize) {
        let Ok(value) = to_raw_value(value) else { return };
        match self.fields.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name.to_owned(), value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.fields.retain(|(other, _)| other != name);
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|(name, value)| (name, value)))
    }
}
