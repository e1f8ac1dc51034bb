//! Categories of texts, from the values that enough rows share.

use std::collections::BTreeSet;

use super::kind::{Kind, LearnedKind};
use crate::file::spec::{Constraints, FieldSpec, FieldTerms, GenerateSpec, Scalar, UNKNOWN_LABEL};

/// Returns the column as learned: categories, or, if there are none, made-up identifiers or blanks.
pub(super) fn learned<'a>(learned: &LearnedKind, name: &str, values: impl IntoIterator<Item = &'a [u8]>) -> FieldSpec {
    // Values that differ in surrounding spaces are one category, and missing texts are none.
    let texts = values.into_iter().filter_map(|value| std::str::from_utf8(value.trim_ascii()).ok());
    let texts = texts.filter(|text| !learned.is_missing(text.as_bytes()));
    let categories: BTreeSet<&str> = texts.collect();
    let field = FieldSpec { field_type: "string".into(), ..learned.field(name) };
    if categories.is_empty() {
        return without_categories(learned, field);
    }
    let unknown_label = unknown_label(&categories);
    FieldSpec {
        constraints: Constraints {
            categories: Some(categories.iter().map(|text| Scalar::Text((*text).to_owned())).collect()),
            ..field.constraints
        },
        dp: FieldTerms { open: true, unknown_label, ..field.dp },
        ..field
    }
}

/// Returns a label for all other values that is no category; `None` if the usual one is not.
fn unknown_label(categories: &BTreeSet<&str>) -> Option<String> {
    if !categories.contains(UNKNOWN_LABEL) {
        return None;
    }
    let labels = (2..).map(|number| format!("{UNKNOWN_LABEL} {number}"));
    labels.into_iter().find(|label| !categories.contains(label.as_str()))
}

/// Returns a column that is neither read nor modelled.
fn without_categories(learned: &LearnedKind, field: FieldSpec) -> FieldSpec {
    let generate = if matches!(learned.kind, Kind::Text { codes: true }) {
        GenerateSpec { pattern: Some("ID-########".into()), unique: true, ..GenerateSpec::default() }
    } else {
        GenerateSpec { constant: Some(Scalar::Text(String::new())), ..GenerateSpec::default() }
    };
    let dp = FieldTerms { generate: Some(generate), ..field.dp };
    FieldSpec { constraints: Constraints::default(), missing_values: None, dp, ..field }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;
    use crate::file::spec::SchemaSpec;

    fn of(codes: bool, values: &[&str]) -> Schema {
        let learned = LearnedKind { missing: vec!["", "?"], ..LearnedKind::stated(Kind::Text { codes }) };
        let field = super::learned(&learned, "x", values.iter().map(|value| value.as_bytes()));
        let other = FieldSpec { name: "y".into(), field_type: "boolean".into(), ..FieldSpec::default() };
        Schema::new(SchemaSpec { fields: vec![field, other], ..SchemaSpec::default() }).unwrap()
    }

    #[test]
    fn shared_values_are_categories_and_the_rest_is_other() {
        let towns = of(false, &["Bergen", " Oslo", "Oslo", "?", "", "Tromsø"]);
        let column = &towns.attributes()[0];
        assert_eq!(column.size(), 6, "three towns, blank, unknown, other");
        assert_eq!(column.label(0), "Bergen");
        assert_eq!(column.encoder().text(b"?"), column.missing_code_of("?").unwrap());
        assert_eq!(column.encoder().text(b"a hamlet"), column.unknown_code().unwrap());
    }

    #[test]
    fn a_category_named_other_gets_another_label_beside_it() {
        let colours = of(false, &["other", "red"]);
        assert_eq!(colours.attributes()[0].spec().dp.unknown_label.as_deref(), Some("other 2"));
    }

    #[test]
    fn columns_without_shared_values_are_made_up() {
        for codes in [true, false] {
            let names = of(codes, &[]);
            assert_eq!(names.attributes().len(), 1, "only the other column is modelled");
        }
    }
}
