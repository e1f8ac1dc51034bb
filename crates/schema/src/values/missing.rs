//! Kinds of missing values, such as blank, refused or not applicable.
//!
//! Each kind has its own code, because the reason why a value is missing is information. The plain
//! kind (nulls and texts without a label) comes first, then the labelled kinds in order of
//! declaration.

use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::SchemaError;
use crate::values::encode::real_key;

/// The name of the plain kind.
const PLAIN: &str = "(missing)";

/// A text that means a missing value, and its kind.
/// In a schema file it is a text, or `{value: TEXT, label: LABEL}`.
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
    /// The label of the kind; `None` for the plain kind.
    pub label: Option<String>,
}

impl MissingValue {
    /// Creates a text of the plain kind.
    pub fn plain(value: impl Into<String>) -> Self {
        Self { value: value.into(), label: None }
    }
}

/// A missing value as written in a file: only the text if it has no label.
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
            // A whole number has only one text, so quotes are optional.
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
                        // A text or number. A nested label is ignored.
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

    /// The texts of this kind, in order of declaration.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Adds the blank to the texts of this kind.
    pub(crate) fn add_blank(&mut self) {
        self.texts.push(String::new());
    }

    /// The label, or `(missing)` for the plain kind.
    pub fn name(&self) -> &str {
        self.label().unwrap_or(PLAIN)
    }
}

/// The kinds of a column in code order, the plain one first. There is at least one.
pub(crate) fn kinds(declared: &[MissingValue]) -> Vec<MissingKind> {
    let mut kinds: Vec<MissingKind> = Vec::new();
    // `partition` is stable, so labelled kinds keep their order of declaration.
    let (labelled, plain): (Vec<_>, Vec<_>) = declared.iter().partition(|missing| missing.label.is_some());
    for MissingValue { value, label } in plain.into_iter().chain(labelled) {
        match kinds.iter_mut().find(|kind| kind.label == *label) {
            Some(kind) => kind.texts.push(value.clone()),
            None => kinds.push(MissingKind { label: label.clone(), texts: vec![value.clone()] }),
        }
    }
    if kinds.is_empty() {
        // No text means a missing value, but a null still does.
        kinds.push(MissingKind { label: None, texts: Vec::new() });
    }
    kinds
}

/// The first problem of a list of missing values, with its hint.
pub(crate) fn find_problem(declared: &[MissingValue]) -> Option<(String, String)> {
    for (index, missing) in declared.iter().enumerate() {
        if missing.label.as_deref().is_some_and(|label| label.trim().is_empty() || label == PLAIN) {
            let hint = format!("write a label other than `{PLAIN}`, or drop the label");
            return Some((format!("has the missing value `{}` with an empty or reserved label", missing.value), hint));
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
    find_problem(declared)
        .map_or(Ok(()), |(problem, hint)| Err(SchemaError::table(format!("the table {problem}"), hint)))
}

/// The texts that mean a missing value, and those that are numbers also as numbers, with their
/// codes. So a table gets the same codes from a typed file and from a text file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MissingTexts {
    texts: Box<[(Box<[u8]>, u32)]>,
    /// Keyed by [`real_key`].
    reals: Box<[(u64, u32)]>,
}

impl MissingTexts {
    /// Creates the lookup of these kinds; `code` maps the index of a kind to its code.
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

    /// Adds the blank with this code.
    pub(crate) fn add_blank(&mut self, code: u32) {
        let texts = std::mem::take(&mut self.texts).into_iter();
        self.texts = texts.chain([(Box::default(), code)]).collect();
    }

    /// Gives all texts and numbers the same code.
    pub(crate) fn merge_into(&mut self, code: u32) {
        let texts = self.texts.iter_mut().map(|(_, own)| own);
        texts.chain(self.reals.iter_mut().map(|(_, own)| own)).for_each(|own| *own = code);
    }

    /// The code of a text, if it means a missing value.
    pub(crate) fn text(&self, text: &[u8]) -> Option<u32> {
        // Skip `memcmp` for empty texts, which are common: its masked load from a dangling pointer
        // takes a hundred nanoseconds.
        let is = |missing: &[u8]| missing.len() == text.len() && (text.is_empty() || *missing == *text);
        self.texts.iter().find(|(missing, _)| is(missing)).map(|(_, code)| *code)
    }

    /// The code of a number, if it means a missing value.
    pub(crate) fn real(&self, value: f64) -> Option<u32> {
        if self.reals.is_empty() {
            return None;
        }
        let key = real_key(value);
        self.reals.iter().find(|(missing, _)| *missing == key).map(|(_, code)| *code)
    }

    /// The texts that mean a missing value.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(|(text, _)| &**text)
    }

    /// The numbers that mean a missing value.
    pub(crate) fn reals(&self) -> impl Iterator<Item = f64> + '_ {
        self.reals.iter().map(|(key, _)| f64::from_bits(*key))
    }
}

/// The text of each missing kind in output files, in code order; `None` for a blank.
///
/// A labelled kind is written as its first text. The plain kind is written as a blank, or as its
/// first text if the blank belongs to a labelled kind.
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
    fn the_plain_kind_comes_first_and_labels_keep_their_order() {
        let declared =
            [labelled("-9", "refused"), MissingValue::plain(""), labelled("-8", "skipped"), labelled("r", "refused")];
        let kinds = kinds(&declared);
        let names: Vec<&str> = kinds.iter().map(MissingKind::name).collect();
        assert_eq!(names, [PLAIN, "refused", "skipped"]);
        assert_eq!(kinds[1].texts(), ["-9", "r"]);
        assert_eq!(written_texts(&kinds), [None, Some("-9"), Some("-8")]);
    }

    #[test]
    fn a_null_is_the_first_kind_if_none_is_plain() {
        let kinds = kinds(&[labelled("", "blank"), labelled("x", "refused")]);
        assert_eq!(kinds.iter().map(MissingKind::name).collect::<Vec<_>>(), ["blank", "refused"]);
    }

    #[test]
    fn the_plain_kind_is_written_as_text_if_the_blank_is_labelled() {
        let kinds = kinds(&[MissingValue::plain("NA"), labelled("", "not asked")]);
        assert_eq!(written_texts(&kinds), [Some("NA"), Some("")]);
    }

    #[test]
    fn missing_values_are_texts_numbers_or_labelled() {
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
    fn missing_values_of_a_column_replace_those_of_the_table() {
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
