//! A JSON or YAML document of any shape, with its keys in order.

use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::SchemaError;
use crate::file::parse_yaml;
use crate::file::spec::Scalar;

/// A value of a JSON or YAML document.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Null,
    Scalar(Scalar),
    List(Vec<Tree>),
    /// In file order, which is the order of the columns.
    Map(Vec<(String, Tree)>),
}

impl Tree {
    /// Parses JSON or YAML.
    pub(super) fn parse(text: &str) -> Result<Self, SchemaError> {
        // The JSON parser knows all JSON escapes. What it cannot parse may still be YAML in braces.
        if text.trim_start().starts_with('{')
            && let Ok(tree) = serde_json::from_str(text)
        {
            return Ok(tree);
        }
        parse_yaml(text)
    }

    pub(super) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("keys are texts");
        text.push('\n');
        text
    }

    pub(super) fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("a tree holds nothing that YAML cannot write")
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Scalar(Scalar::Text(text.into()))
    }

    pub(super) fn boolean(value: bool) -> Self {
        Self::Scalar(Scalar::Boolean(value))
    }

    pub(super) fn whole(value: impl Into<i64>) -> Self {
        Self::Scalar(Scalar::Integer(value.into()))
    }

    pub(super) fn scalars(values: &[Scalar]) -> Self {
        Self::List(values.iter().cloned().map(Self::Scalar).collect())
    }

    pub(super) fn into_map(self) -> Option<Vec<(String, Self)>> {
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    pub(super) fn into_list(self) -> Option<Vec<Self>> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn into_scalar(self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    pub(super) fn into_scalars(self) -> Option<Vec<Scalar>> {
        self.into_list()?.into_iter().map(Self::into_scalar).collect()
    }

    pub(super) fn into_text(self) -> Option<String> {
        match self.into_scalar()? {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A boolean. Python writes `True`, which strict YAML reads as text.
    pub(super) fn into_boolean(self) -> Option<bool> {
        match self.into_scalar()? {
            Scalar::Boolean(value) => Some(value),
            Scalar::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
            Scalar::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }

    pub(super) fn into_whole(self) -> Option<i64> {
        match whole(self.into_scalar()?) {
            Scalar::Integer(value) => Some(value),
            _ => None,
        }
    }
}

/// Converts a real number without fraction to an integer; returns any other scalar unchanged.
pub(super) fn whole(scalar: Scalar) -> Scalar {
    match scalar {
        // 2^53: beyond it a float no longer holds every whole number.
        #[expect(clippy::cast_possible_truncation, reason = "checked just here")]
        Scalar::Number(value) if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 => {
            Scalar::Integer(value as i64)
        }
        other => other,
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(self).expect("keys are texts"))
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Scalar(scalar) => scalar.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::whole(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(i64::try_from(value).map_or(Tree::Scalar(Scalar::Number(value as f64)), Tree::whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Scalar::Number(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::text(value))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries: Vec<(String, Tree)> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        while let Some((key, value)) = map.next_entry::<String, Tree>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            entries.push((key, value));
        }
        Ok(Tree::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_types_and_unusual_keys_survive_json_and_yaml() {
        let json =
            r#"{"z": 1, "": {"a: b": [true, null, 1.5, "1", "yes", "null"], "true": {}}, "1": [], "x\ny": "a\tb"}"#;
        let tree = Tree::parse(json).unwrap();
        assert_eq!(Tree::parse(&tree.to_json()).unwrap(), tree);
        assert_eq!(Tree::parse(&tree.to_yaml()).unwrap(), tree, "{}", tree.to_yaml());
    }

    #[test]
    fn duplicate_keys_are_refused() {
        assert!(Tree::parse("{\"a\": 1, \"a\": 2}").is_err());
        assert!(Tree::parse("a: 1\na: 2\n").is_err());
    }

    #[test]
    fn python_booleans_are_booleans() {
        let Tree::Map(entries) = Tree::parse("a: True\nb: false\nc: yes\n").unwrap() else { panic!("no map") };
        let values: Vec<Option<bool>> = entries.into_iter().map(|(_, value)| value.into_boolean()).collect();
        assert_eq!(values, [Some(true), Some(false), None]);
    }
}
