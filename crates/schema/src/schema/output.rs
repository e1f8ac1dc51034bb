//! The schema of synthetic files, which differs from that of the real ones.
//!
//! Real files may have several texts for missing values, and their own texts for true and false.
//! [`Decoder`](crate::Decoder) writes blanks, `true` and `false`. Dates are written in the column's
//! format, or in ISO 8601 if that format is ambiguous. So programs that read synthetic files by a
//! Table Schema need a different one.

use crate::bins::cut::WholeCut;
use crate::file::dialect::Dialect;
use crate::file::spec::{BinsSpec, Constraints, FieldSpec, FieldTerms, Scalar, SchemaSpec};
use crate::schema::Schema;
use crate::schema::attribute::Attribute;
use crate::schema::check::Field;
use crate::schema::generated::OutputColumn;
use crate::values::encode::{Values, WholeLine};
use crate::values::missing::{self, MissingKind, MissingValue};
use crate::values::number_text::NumberText;
use crate::values::text::TimeFormat;
use crate::values::text_form::TextForm;

impl Schema {
    /// The Table Schema of synthetic rows.
    ///
    /// It describes the possible values in a file, not how they are encoded. For example, the label
    /// of unknown values is one of the categories.
    ///
    /// ```
    /// # use scumble_schema::Schema;
    /// let schema = Schema::parse(r"
    /// missingValues: [n/a]
    /// fields:
    ///   - {name: born, type: date, format: '%d.%m.%Y', constraints: {minimum: 01.01.1900, maximum: 31.12.2020}}
    ///   - {name: diet, type: string, constraints: {enum: [fish, meat], required: true}, dp: {open: true}}
    /// ")?;
    /// let written = schema.output_spec();
    /// assert_eq!(written.missing_values.as_ref().unwrap()[0].value, "");
    /// assert_eq!(written.fields[0].constraints.minimum.as_ref().unwrap().to_string(), "01.01.1900");
    /// assert_eq!(written.fields[1].constraints.categories.as_ref().unwrap()[2].to_string(), "other");
    /// # Ok::<(), scumble_schema::Problems>(())
    /// ```
    pub fn output_spec(&self) -> SchemaSpec {
        let fields: Vec<FieldSpec> = self.output_columns().into_iter().map(output_spec).collect();
        // A line break in a description counts too, which does no harm: every quote is closed.
        let json = serde_json::to_string(&fields).expect("a schema can be written");
        let multiline = [r"\n", r"\r"].iter().any(|line_end| json.contains(line_end));
        SchemaSpec {
            missing_values: Some(vec![MissingValue::plain("")]),
            dialect: Dialect { multiline, ..Dialect::default() },
            fields,
            ..self.to_spec()
        }
    }

    /// This schema for reading synthetic rows: without a privacy unit, with every quote closed, and
    /// with values as in [`output_spec`](Self::output_spec). Codes do not change.
    #[must_use]
    pub fn of_synthetic_rows(&self) -> Schema {
        let mut schema = self.clone().without_unit().with_dialect(Dialect::SYNTHETIC);
        for attribute in schema.attributes_mut() {
            attribute.read_synthetic(self.missing_values());
        }
        schema
    }

    /// A schema for checking synthetic rows: blanks, and values that this schema cannot produce,
    /// have their own codes in every column, so that counts reveal them.
    /// `None` if a column with two more codes is too large.
    pub fn strict(&self) -> Option<Schema> {
        let mut spec = self.output_spec();
        spec.dialect = Dialect::SYNTHETIC;
        // Generated columns are checked by drawing the rows again.
        spec.fields.retain(|field| !field.dp.is_made_on_output());
        for field in &mut spec.fields {
            field.constraints.required = false;
            // One kind for all: a typed file does not distinguish them.
            for missing in field.missing_values.iter_mut().flatten() {
                missing.label = None;
            }
            let FieldTerms { source, bins, time_zone, .. } = std::mem::take(&mut field.dp);
            field.dp = FieldTerms { source, bins, time_zone, ..FieldTerms::default() };
            field.dp.open = true;
            if let Some(categories) = field.constraints.categories.as_ref().filter(|_| field.field_type == "string") {
                // Any text that is not a category: this schema is not used for writing.
                let mut label = "?".to_owned();
                while categories.contains(&Scalar::Text(label.clone())) {
                    label.push('?');
                }
                field.dp.unknown_label = Some(label);
            }
        }
        Schema::new(spec).ok().map(Schema::without_unit)
    }
}

/// A column as written to synthetic files.
fn output_spec(column: OutputColumn<'_>) -> FieldSpec {
    match column {
        OutputColumn::Modelled(attribute) => attribute.spec_in(TextForm::of(attribute).as_ref()),
        OutputColumn::Generated(generated) => generated.output_spec(),
    }
}

impl Attribute {
    /// The column as written to synthetic files, with dates and datetimes in ISO 8601.
    pub(crate) fn in_iso(&self) -> FieldSpec {
        self.spec_in(None)
    }

    /// The column as written to synthetic files in this text format.
    fn spec_in(&self, form: Option<&TextForm>) -> FieldSpec {
        let declared = &self.spec;
        let mut constraints = declared.constraints.clone();
        let mut dp = declared.dp.clone();
        if let Values::Whole { line, cut } = &self.encoder.values {
            line.rewrite(cut, form, &mut constraints, dp.bins.as_mut());
        }
        if let (Values::Text(_), Some(_), Some(categories)) =
            (&self.encoder.values, self.unknown_code, &mut constraints.categories)
        {
            categories.push(Scalar::Text(dp.unknown_label().into()));
        }
        if let Some(bins) = &mut dp.bins {
            bins.replace_top_code(&mut constraints);
        }
        let missing_values = self.output_missing_values();
        FieldSpec {
            format: form.and(declared.format.clone()),
            decimal_char: None,
            group_char: None,
            bare_number: None,
            true_values: None,
            false_values: None,
            missing_values,
            constraints,
            dp,
            ..declared.clone()
        }
    }

    /// Makes the encoder read texts as synthetic files write them: numbers with a decimal point,
    /// `true` and `false`, dates in ISO 8601 if the declared format is ambiguous, and blanks for
    /// missing values.
    fn read_synthetic(&mut self, missing_values_of_table: &[MissingValue]) {
        let has_form = TextForm::of(self).is_some();
        let Self { spec, encoder, missing_kinds, .. } = self;
        (spec.decimal_char, spec.group_char, spec.bare_number) = (None, None, None);
        encoder.numbers = NumberText::default();
        match &mut encoder.values {
            values @ Values::Boolean { .. } => {
                (spec.true_values, spec.false_values) = (None, None);
                *values = Field(spec).boolean_values().expect("the default texts are distinct");
            }
            Values::Whole { line, cut } if !has_form => {
                if let WholeLine::Date(format) | WholeLine::Datetime(format, _) | WholeLine::Time(format) = line {
                    *format = TimeFormat::Iso;
                    spec.format = None;
                    line.rewrite(cut, None, &mut spec.constraints, spec.dp.bins.as_mut());
                }
            }
            Values::Text(_) | Values::Whole { .. } | Values::Real(_) => {}
        }
        let is_blank_written = missing::written_texts(missing_kinds).first().is_none_or(Option::is_none);
        let is_blank_declared =
            matches!(&encoder.values, Values::Text(categories) if categories.get(&b""[..]).is_some());
        if is_blank_written && !is_blank_declared && encoder.missing_texts.text(b"").is_none() {
            encoder.missing_texts.add_blank(encoder.missing);
            missing_kinds.first_mut().into_iter().for_each(MissingKind::add_blank);
            let declared = spec.missing_values.get_or_insert_with(|| missing_values_of_table.to_vec());
            declared.push(MissingValue::plain(""));
        }
    }

    /// The missing values in synthetic files, if there are labelled kinds.
    fn output_missing_values(&self) -> Option<Vec<MissingValue>> {
        let is_labelled = self.missing_kinds.iter().any(|kind| kind.label().is_some());
        let texts = missing::written_texts(&self.missing_kinds).into_iter().zip(&self.missing_kinds);
        let value = |(text, kind): (Option<&str>, &MissingKind)| MissingValue {
            value: text.unwrap_or_default().into(),
            label: kind.label().map(str::to_owned),
        };
        is_labelled.then(|| texts.map(value).collect())
    }
}

impl BinsSpec {
    /// Replaces the top code by a maximum and a point, since nothing above it is written.
    fn replace_top_code(&mut self, constraints: &mut Constraints) {
        let Some(top) = self.top_code.take() else { return };
        self.points.get_or_insert_default().push(top.clone());
        if self.edges.is_none() {
            constraints.maximum = Some(top);
        }
    }
}

impl WholeLine {
    /// Rewrites the declared dates, datetimes and times as synthetic files have them. Integers and
    /// years have only one spelling.
    fn rewrite(
        &self,
        cut: &WholeCut,
        form: Option<&TextForm>,
        constraints: &mut Constraints,
        bins: Option<&mut BinsSpec>,
    ) {
        if matches!(self, Self::Integer | Self::Year) {
            return;
        }
        // Readers of a Table Schema expect bounds in the column's format.
        let written =
            |value: i64| Scalar::Text(form.and_then(|form| form.whole(value)).unwrap_or_else(|| self.write(value)));
        match cut {
            WholeCut::Categories(categories) => {
                constraints.categories = Some(categories.by_code().into_iter().copied().map(written).collect());
            }
            // Amounts are integers or numbers.
            WholeCut::Amounts(_) => {}
            WholeCut::Bins(cut) | WholeCut::Kept(cut, _) => {
                let (first, last) = cut.bounds();
                constraints.minimum = constraints.minimum.as_ref().map(|_| written(first));
                constraints.maximum = constraints.maximum.as_ref().map(|_| written(last));
                if let Some(edges) = bins.and_then(|bins| bins.edges.as_mut()) {
                    let inner = edges.len().saturating_sub(1);
                    let lower = (0..).take(inner).map(|bin| cut.members(bin).0);
                    *edges = lower.chain([last]).map(written).collect();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r"
missingValues: [n/a, '-1']
dp: {privacyUnit: person}
fields:
  - {name: born, type: date, format: '%d.%m.%Y', constraints: {minimum: 01.02.1900, maximum: 31.12.2020}, dp: {bins: {width: 365}}}
  - {name: moved, type: date, format: '%d.%m.%Y', constraints: {enum: [24.12.2000, 03.01.2001], required: true}}
  - {name: seen, type: datetime, format: '%d.%m.%Y %H:%M', dp: {bins: {edges: [01.02.2000 00:00, 01.02.2000 06:30, 02.02.2000 00:00]}}}
  - {name: smokes, type: boolean, trueValues: [ja], falseValues: [nein]}
  - {name: diet, type: string, constraints: {enum: [fish, '?'], required: true}, dp: {open: true, unknownLabel: else}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99, required: true}, dp: {bins: {width: 10}}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 9.5}, dp: {bins: {count: 3}, open: true}}
";

    #[test]
    fn declared_dates_are_in_the_output_format() {
        let fields = Schema::parse(SCHEMA).unwrap().output_spec().fields;
        let texts = |scalars: &Option<Vec<Scalar>>| -> Vec<String> {
            scalars.as_ref().unwrap().iter().map(ToString::to_string).collect()
        };
        assert_eq!(fields[0].constraints.minimum, Some(Scalar::Text("01.02.1900".into())));
        assert_eq!(texts(&fields[1].constraints.categories), ["24.12.2000", "03.01.2001"]);
        let edges = &fields[2].dp.bins.as_ref().unwrap().edges;
        assert_eq!(texts(edges), ["01.02.2000 00:00", "01.02.2000 06:30", "02.02.2000 00:00"]);
        assert!(fields.iter().all(|field| field.true_values.is_none()));
        assert_eq!(fields[0].format.as_deref(), Some("%d.%m.%Y"));
    }

    #[test]
    fn an_ambiguous_two_digit_year_is_replaced_by_iso() {
        let schema = SCHEMA.replace(
            "'%d.%m.%Y', constraints: {minimum: 01.02.1900, maximum: 31.12.2020}",
            "'%d.%m.%y', constraints: {minimum: 1900-02-01, maximum: 2020-12-31}",
        );
        let field = Schema::parse(&schema).unwrap().output_spec().fields.swap_remove(0);
        assert_eq!((field.format, field.constraints.minimum), (None, Some(Scalar::Text("1900-02-01".into()))));
    }

    #[test]
    fn line_breaks_in_a_category_make_the_output_multiline() {
        let schema = |category: &str| {
            let fields = format!("fields: [{{name: diet, type: string, constraints: {{enum: [fish, {category}]}}}}]");
            Schema::parse(&format!("dialect: {{multiline: true}}\n{fields}")).unwrap()
        };
        assert!(!schema("meat").output_spec().dialect.multiline, "the dialect of the real files does not apply");
        for category in [r#""two\nlines""#, r#""two\rlines""#] {
            assert!(schema(category).output_spec().dialect.multiline);
        }
        assert!(schema("meat").strict().unwrap().dialect().multiline, "whatever the file holds");
    }

    #[test]
    fn numbers_are_written_with_a_decimal_point() {
        let schema = Schema::parse(
            "fields: [{name: pay, type: number, decimalChar: ',', groupChar: '.', constraints: {minimum: 0, maximum: 9000}, dp: {bins: {width: 1000}}}]",
        );
        let schema = schema.unwrap();
        let code = |schema: &Schema, text: &str| schema.attributes()[0].encoder().text(text.as_bytes());
        assert_eq!([code(&schema, "1.234,56"), code(&schema, "1234.56")], [1, 9]);
        let synthetic = schema.of_synthetic_rows();
        assert_eq!([code(&synthetic, "1.234,56"), code(&synthetic, "1234.56")], [9, 1]);
        assert_eq!(
            Schema::new(synthetic.to_spec()).unwrap().attributes()[0].encoder(),
            synthetic.attributes()[0].encoder()
        );
        assert!(schema.output_spec().fields[0].decimal_char.is_none());
    }

    #[test]
    fn synthetic_values_are_read_back_as_their_code() {
        let declared = SCHEMA.to_owned()
            + "  - {name: left, type: date, format: '%d.%m.%y', constraints: {minimum: 1900-02-01, maximum: 2020-12-31}, dp: {bins: {width: 365}}}
  - {name: said, type: boolean, trueValues: [ja], falseValues: [nein], dp: {open: true}}
  - {name: why, type: boolean, missingValues: [{value: '-9', label: refused}], dp: {open: true}}
";
        let schema = Schema::parse(&declared).unwrap();
        let synthetic = schema.of_synthetic_rows();
        let code = |name: &str, text: &str| {
            let column = synthetic.attribute(synthetic.find(name).unwrap());
            (column.encoder().text(text.as_bytes()), column.missing_code(), column.unknown_code())
        };
        for (name, text, expected) in [
            ("born", "05.02.1900", 0),
            ("seen", "01.02.2000 23:59", 1),
            ("smokes", "false", 0),
            ("smokes", "true", 1),
            ("left", "1900-02-05", 0),
        ] {
            assert_eq!(code(name, text).0, expected, "{name} {text}");
        }
        for name in ["born", "seen", "smokes", "income", "left", "said"] {
            let (blank, missing, _) = code(name, "");
            assert_eq!(Some(blank), missing, "{name}");
        }
        let (blank, _, unknown) = code("why", "");
        assert_eq!(
            Some(blank),
            unknown,
            "an open column without a plain missing kind writes its unknown values as blanks"
        );
        for (read, declared) in
            Schema::new(synthetic.to_spec()).unwrap().attributes().iter().zip(synthetic.attributes())
        {
            assert_eq!(read.encoder(), declared.encoder(), "{}", read.name());
        }
    }

    #[test]
    fn impossible_values_have_their_own_code() {
        let strict = Schema::parse(SCHEMA).unwrap().strict().unwrap();
        assert_eq!(strict.privacy().unit.column(), None);
        let possible = ["01.02.1900", "03.01.2001", "01.02.2000 23:59", "true", "else", "99", "9.5"];
        let strange = ["1900-02-01", "25.12.2000", "02.02.2000 00:01", "ja", "Else", "-1", "9.6"];
        for ((attribute, possible), strange) in strict.attributes().iter().zip(possible).zip(strange) {
            let (missing, unknown) = (attribute.missing_code().unwrap(), attribute.unknown_code().unwrap());
            let code = |text: &str| attribute.encoder().text(text.as_bytes());
            assert!(code(possible) < missing, "{}", attribute.name());
            assert_eq!(code(strange), unknown, "{}", attribute.name());
            assert_eq!(code(""), missing, "{}", attribute.name());
        }
    }
}
