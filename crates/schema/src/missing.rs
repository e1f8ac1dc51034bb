//! Missing values of several kinds: blank, refused, not applicable.
//!
//! Each kind has a code of its own, because why a value is not there is itself an answer. The plain kind, that of texts
//! without a label and of nulls, comes first; then the labelled kinds in the order in which they are declared.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::encode::real_key;
use crate::error::SchemaError;

/// How the plain kind is told.
const PLAIN: &str = "(missing)";

/// A text that stands for a missing value, and the kind it belongs to.
///
/// A schema file has either the text, or `{value: TEXT, label: LABEL}`.
///
/// ```
/// use scumble_schema::{MissingValue, Schema};
/// let schema = Schema::parse(r#"
/// missingValues: ["", {value: "-9", label: refused}]
/// fields: [{name: age, type: integer, constraints: {minimum: 0, maximum: 99}}]
/// "#)?;
/// assert_eq!(schema.missing_values()[1], MissingValue { value: "-9".into(), label: Some("refused".into()) });
/// let age = &schema.attributes()[0];
/// assert_eq!(age.encoder().text(b""), 100);
/// assert_eq!((age.encoder().integer(-9), age.label(101)), (101, "refused".into()));
/// # Ok::<(), scumble_schema::Problems>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(into = "Written")]
pub struct MissingValue {
    /// The text.
    pub value: String,
    /// The kind's label; without one it is the plain kind.
    pub label: Option<String>,
}

impl MissingValue {
    /// A text of the plain kind.
    pub fn plain(value: impl Into<String>) -> Self {
        Self { value: value.into(), label: None }
    }
}

/// What a file has for a missing value: a text alone where there is no label.
#[derive(Serialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Labelled { value: String, label: String },
}

impl From<MissingValue> for Written {
    fn from(MissingValue { value, label }: MissingValue) -> Self {
        match label {
            None => Self::Text(value),
            Some(label) => Self::Labelled { value, label },
        }
    }
}

impl<'de> Deserialize<'de> for MissingValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrLabelled;
        impl<'de> Visitor<'de> for TextOrLabelled {
            type Value = MissingValue;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a missing value: a text in quotes, or `{value: TEXT, label: LABEL}`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<MissingValue, E> {
                Ok(MissingValue::plain(text))
            }
            // A whole number has one text, so its quotes may be forgotten.
            fn visit_i64<E: Error>(self, number: i64) -> Result<MissingValue, E> {
                Ok(MissingValue::plain(number.to_string()))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<MissingValue, E> {
                Ok(MissingValue::plain(number.to_string()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MissingValue, A::Error> {
                let (mut value, mut label) = (None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        // As a text alone, which may be a number too; a label in here is no text.
                        "value" => value = Some(map.next_value::<MissingValue>()?.value),
                        "label" => label = map.next_value::<Option<String>>()?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(MissingValue { value: value.ok_or_else(|| A::Error::missing_field("value"))?, label })
            }
        }
        deserializer.deserialize_any(TextOrLabelled)
    }
}

/// One kind of missing value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKind {
    label: Option<String>,
    texts: Vec<String>,
}

impl MissingKind {
    /// The label; the plain kind has none.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The texts that stand for it, in the order of their declaration.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Has a blank stand for it too.
    pub(crate) fn add_blank(&mut self) {
        self.texts.push(String::new());
    }

    /// How the kind is told: its label, or `(missing)`.
    pub fn name(&self) -> &str {
        self.label().unwrap_or(PLAIN)
    }
}

/// The kinds of a column, in code order: the plain one first if there is one, and at least one.
pub(crate) fn kinds(declared: &[MissingValue]) -> Vec<MissingKind> {
    let mut kinds: Vec<MissingKind> = Vec::new();
    // Stable, so that labelled kinds stay in the order of their declaration.
    let (labelled, plain): (Vec<_>, Vec<_>) = declared.iter().partition(|missing| missing.label.is_some());
    for MissingValue { value, label } in plain.into_iter().chain(labelled) {
        match kinds.iter_mut().find(|kind| kind.label == *label) {
            Some(kind) => kind.texts.push(value.clone()),
            None => kinds.push(MissingKind { label: label.clone(), texts: vec![value.clone()] }),
        }
    }
    if kinds.is_empty() {
        // No text stands for a missing value, but a null still is one.
        kinds.push(MissingKind { label: None, texts: Vec::new() });
    }
    kinds
}

/// What is wrong with a list of missing values, if anything: a problem and a hint.
pub(crate) fn find_fault(declared: &[MissingValue]) -> Option<(String, String)> {
    for (index, missing) in declared.iter().enumerate() {
        if missing.label.as_deref().is_some_and(|label| label.trim().is_empty() || label == PLAIN) {
            let hint = format!("name the kind, and not `{PLAIN}`, or leave the label out");
            return Some((format!("has the missing value `{}` with an empty label", missing.value), hint));
        }
        let same = |other: &&MissingValue| other.value == missing.value && other.label != missing.label;
        if declared[..index].iter().any(|other| same(&other)) {
            let problem = format!("has the missing value `{}` under two labels", missing.value);
            return Some((problem, "keep one of them".into()));
        }
    }
    None
}

/// Checks the missing values of the whole table.
pub(crate) fn check_table(declared: &[MissingValue]) -> Result<(), SchemaError> {
    find_fault(declared).map_or(Ok(()), |(problem, hint)| Err(SchemaError::table(format!("the table {problem}"), hint)))
}

/// The texts that stand for a missing value, and the numbers they spell, with their codes: a table that came through a
/// typed file must encode as the same table in text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MissingTexts {
    texts: Box<[(Box<[u8]>, u32)]>,
    /// Keyed by [`real_key`].
    reals: Box<[(u64, u32)]>,
}

impl MissingTexts {
    /// The texts of these kinds, where `code` is that of the kind at an index.
    pub(crate) fn new(kinds: &[MissingKind], code: impl Fn(usize) -> u32) -> Self {
        let pairs = || {
            let texts = |(index, kind): (usize, &MissingKind)| {
                let code = code(index);
                kind.texts.clone().into_iter().map(move |text| (text, code)).collect::<Vec<_>>()
            };
            kinds.iter().enumerate().flat_map(texts)
        };
        let real = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite()).map(real_key);
        Self {
            texts: pairs().map(|(text, code)| (text.into_bytes().into(), code)).collect(),
            reals: pairs().filter_map(|(text, code)| Some((real(&text)?, code))).collect(),
        }
    }

    /// Gives a blank this code.
    pub(crate) fn add_blank(&mut self, code: u32) {
        let texts = std::mem::take(&mut self.texts).into_iter();
        self.texts = texts.chain([(Box::default(), code)]).collect();
    }

    /// Gives all of them this code.
    pub(crate) fn become_one(&mut self, code: u32) {
        let texts = self.texts.iter_mut().map(|(_, own)| own);
        texts.chain(self.reals.iter_mut().map(|(_, own)| own)).for_each(|own| *own = code);
    }

    /// The code of a text, if it stands for a missing value.
    pub(crate) fn text(&self, text: &[u8]) -> Option<u32> {
        // Two empty texts are equal without a look at where they are. `memcmp` would look with a masked load, which takes
        // a hundred nanoseconds where there is no memory, and blank fields are common.
        let is = |missing: &[u8]| missing.len() == text.len() && (text.is_empty() || *missing == *text);
        self.texts.iter().find(|(missing, _)| is(missing)).map(|(_, code)| *code)
    }

    /// The code of a number, if it stands for a missing value.
    pub(crate) fn real(&self, value: f64) -> Option<u32> {
        if self.reals.is_empty() {
            return None;
        }
        let key = real_key(value);
        self.reals.iter().find(|(missing, _)| *missing == key).map(|(_, code)| *code)
    }

    /// The numbers that stand for a missing value.
    pub(crate) fn reals(&self) -> impl Iterator<Item = f64> + '_ {
        self.reals.iter().map(|(key, _)| f64::from_bits(*key))
    }
}

/// What stands in a text file for each missing kind, by its place in the code order; `None` for a blank.
///
/// A labelled kind is its first text. The plain kind is a blank, unless a blank is another kind: then it is its first text.
pub(crate) fn written_texts(kinds: &[MissingKind]) -> Vec<Option<&str>> {
    let blank_is_labelled = kinds.iter().any(|kind| kind.label.is_some() && kind.texts.iter().any(String::is_empty));
    let text = |kind: &'_ MissingKind| kind.label.is_some() || blank_is_labelled;
    kinds.iter().map(|kind| kind.texts.first().filter(|_| text(kind)).map(String::as_str)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;

    fn labelled(value: &str, label: &str) -> MissingValue {
        MissingValue { value: value.into(), label: Some(label.into()) }
    }

    #[test]
    fn the_plain_kind_comes_first_and_labels_in_their_order() {
        let declared =
            [labelled("-9", "refused"), MissingValue::plain(""), labelled("-8", "skipped"), labelled("r", "refused")];
        let kinds = kinds(&declared);
        let names: Vec<&str> = kinds.iter().map(MissingKind::name).collect();
        assert_eq!(names, [PLAIN, "refused", "skipped"]);
        assert_eq!(kinds[1].texts(), ["-9", "r"]);
        assert_eq!(written_texts(&kinds), [None, Some("-9"), Some("-8")]);
    }

    #[test]
    fn a_null_is_the_first_kind_where_none_is_plain() {
        let kinds = kinds(&[labelled("", "blank"), labelled("x", "refused")]);
        assert_eq!(kinds.iter().map(MissingKind::name).collect::<Vec<_>>(), ["blank", "refused"]);
    }

    #[test]
    fn the_plain_kind_is_written_out_where_a_blank_is_another() {
        let kinds = kinds(&[MissingValue::plain("NA"), labelled("", "not asked")]);
        assert_eq!(written_texts(&kinds), [Some("NA"), Some("")]);
    }

    #[test]
    fn a_file_has_texts_numbers_and_labelled_values() {
        let yaml =
            "missingValues: ['', -7, {value: -9, label: refused}, {value: x}]\nfields: [{name: a, type: boolean}]";
        let schema = Schema::parse(yaml).unwrap();
        let plain = ["", "-7", "x"].map(MissingValue::plain);
        let [blank, seven, x] = plain;
        assert_eq!(schema.missing_values(), [blank, seven, labelled("-9", "refused"), x]);
        assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
        for broken in ["[true]", "[{label: x}]", "[{value: a, label: x}, a]", "[{value: a, label: ''}]"] {
            let text = format!("missingValues: {broken}\nfields: [{{name: a, type: boolean}}]");
            assert!(Schema::parse(&text).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_column_replaces_the_kinds_of_the_table() {
        let schema = Schema::parse(
            "missingValues: [{value: '-9', label: refused}]
fields:
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 9}}
  - {name: b, type: integer, constraints: {minimum: 0, maximum: 9}, missingValues: ['-9', {value: '-8', label: n/a}]}
  - {name: c, type: integer, constraints: {minimum: 0, maximum: 9, required: true}}
",
        )
        .unwrap();
        let [a, b, c] = [0, 1, 2].map(|index| &schema.attributes()[index]);
        assert_eq!([a.size(), b.size(), c.size()], [11, 12, 10]);
        assert_eq!([a.label(10), b.label(10), b.label(11)], ["refused", PLAIN, "n/a"]);
        assert_eq!(a.encoder().null(), 10);
        assert_eq!([b.encoder().text(b" -8 "), b.encoder().float(-8.0), b.encoder().integer(-9)], [11, 11, 10]);
        assert_eq!(
            [b.missing_code_of("n/a"), b.missing_code_of("refused"), c.missing_code_of("refused")],
            [Some(11), None, None]
        );
        assert!(b.is_missing(10) && b.is_missing(11) && !b.is_missing(9));
        assert_eq!(c.encoder().text(b"-9"), 0);
        assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
    }
}
