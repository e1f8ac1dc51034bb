//! From a column as written to a checked one.

use std::collections::BTreeSet;

use crate::attribute::{Attribute, FieldType, UNKNOWN_LABEL};
use crate::bins::{RealBins, WholeBins};
use crate::encode::{Encoder, Lookup, MissingTexts, RealCut, Values, WholeCut, WholeLine, real_key};
use crate::error::SchemaError;
use crate::limits;
use crate::spec::{BinsSpec, FieldSpec, Scalar};
use crate::text::TimeFormat;

const TRUE_TEXTS: [&str; 4] = ["true", "True", "TRUE", "1"];
const FALSE_TEXTS: [&str; 4] = ["false", "False", "FALSE", "0"];

/// Checks one column.
pub(crate) fn check_field(spec: FieldSpec, missing_values: &[String]) -> Result<Attribute, SchemaError> {
    let field = Field(&spec);
    let field_type = field.field_type()?;
    let values = field.values(field_type)?;
    let declared = values.count();
    let nullable = !spec.constraints.required;
    let open = spec.dp.open;
    let size = declared + u128::from(nullable) + u128::from(open);
    if size > limits::CATEGORIES {
        return field.fails(
            format!("has {size} codes, at most {} are possible", limits::CATEGORIES),
            "declare wider bins, or fewer categories",
        );
    }
    if open && !nullable && field_type != FieldType::String {
        return field.fails(
            "is required and open, but an unknown value of its type can only come back as a blank",
            "drop `required`, or drop `open`",
        );
    }
    if spec.dp.unknown_label.is_some() && !(open && field_type == FieldType::String) {
        return field.fails("has `unknownLabel` but is no open text column", "add `open: true`, or drop the label");
    }
    if let (true, Values::Text(categories)) = (open, &values) {
        let label = spec.dp.unknown_label.as_deref().unwrap_or(UNKNOWN_LABEL);
        if categories.get(label.as_bytes()).is_some() {
            return field.fails(
                format!("is open, and its unknown values would come back as `{label}`, which is a category too"),
                format!("close it with `required: true` and `foldInto: {label}`, or name another `unknownLabel`"),
            );
        }
    }
    let code = |code: u128| u32::try_from(code).expect("the size was checked against the limit");
    let (size, declared) = (code(size), code(declared));
    let missing_code = nullable.then_some(declared);
    let unknown_code = open.then_some(declared + u32::from(nullable));
    let fold = field.fold_code(&values)?;
    if spec.dp.fold_into.is_some() && (nullable || open) {
        return field.fails(
            "has `foldInto`, but missing or unknown values have codes of their own here",
            "make the column `required` and not `open`, or drop `foldInto`",
        );
    }
    let encoder = Encoder {
        size,
        missing: missing_code.or(unknown_code).unwrap_or(fold),
        unknown: unknown_code.or(missing_code).unwrap_or(fold),
        below: unknown_code.unwrap_or(0),
        above: unknown_code.unwrap_or(declared - 1),
        missing_texts: MissingTexts::new(missing_values),
        values,
    };
    Ok(Attribute { spec, field_type, encoder, missing_code, unknown_code })
}

impl Values {
    /// How many values are declared, before any limit is applied.
    fn count(&self) -> u128 {
        match self {
            Self::Text(categories) => categories.len() as u128,
            Self::Boolean { .. } => 2,
            Self::Whole { cut: WholeCut::Bins(bins), .. } => bins.count(),
            Self::Whole { cut: WholeCut::Categories(categories), .. } => categories.len() as u128,
            Self::Real(RealCut::Bins(bins)) => bins.count().into(),
            Self::Real(RealCut::Categories(categories)) => categories.len() as u128,
        }
    }
}

/// A column under check.
struct Field<'a>(&'a FieldSpec);

impl Field<'_> {
    fn fails<T>(&self, problem: impl Into<String>, hint: impl Into<String>) -> Result<T, SchemaError> {
        Err(SchemaError::column(&self.0.name, problem, hint))
    }

    fn field_type(&self) -> Result<FieldType, SchemaError> {
        let found = FieldType::ALL.into_iter().find(|known| known.name() == self.0.field_type);
        found.map_or_else(
            || {
                self.fails(
                    format!("has type `{}`, which Scumble does not model", self.0.field_type),
                    format!("use one of {}, or leave the column out", FieldType::ALL.map(FieldType::name).join(", ")),
                )
            },
            Ok,
        )
    }

    fn values(&self, field_type: FieldType) -> Result<Values, SchemaError> {
        let line = match field_type {
            FieldType::String => return self.text_values(),
            FieldType::Boolean => return self.boolean_values(),
            FieldType::Number => return self.real_values(),
            FieldType::Integer => WholeLine::Integer,
            FieldType::Year => WholeLine::Year,
            FieldType::Date => WholeLine::Date(self.time_format()?),
            FieldType::Datetime => WholeLine::Datetime(self.time_format()?),
        };
        let cut = self.whole_values(&line)?;
        Ok(Values::Whole { line, cut })
    }

    fn time_format(&self) -> Result<TimeFormat, SchemaError> {
        TimeFormat::new(self.0.format.as_deref()).map_or_else(
            || self.fails("has a `format` that is no date pattern", "write it as `%Y-%m-%d`, or drop it for ISO 8601"),
            Ok,
        )
    }

    fn text_values(&self) -> Result<Values, SchemaError> {
        let categories = self.categories("list its categories as `constraints: {enum: [...]}`")?;
        let texts = categories.iter().map(|category| match category {
            Scalar::Text(text) => Ok(text.as_bytes().into()),
            other => self
                .fails(format!("is text, but its category {other} is not"), format!("put it in quotes: \"{other}\"")),
        });
        let lookup = self.lookup(texts.collect::<Result<Vec<_>, _>>()?)?;
        Ok(Values::Text(lookup))
    }

    fn boolean_values(&self) -> Result<Values, SchemaError> {
        let texts = |given: &Option<Vec<String>>, usual: [&str; 4]| {
            let texts: BTreeSet<String> = match given {
                Some(texts) => texts.iter().cloned().collect(),
                None => usual.map(String::from).into(),
            };
            self.lookup(texts.into_iter().map(|text| text.into_bytes().into()))
        };
        let false_texts = texts(&self.0.false_values, FALSE_TEXTS)?;
        let true_texts = texts(&self.0.true_values, TRUE_TEXTS)?;
        if true_texts.by_code().into_iter().any(|text| false_texts.get(text).is_some()) {
            return self.fails("has a text among both `trueValues` and `falseValues`", "keep it in one of them");
        }
        Ok(Values::Boolean { false_texts, true_texts })
    }

    fn whole_values(&self, line: &WholeLine) -> Result<WholeCut, SchemaError> {
        if self.0.constraints.categories.is_some() {
            let categories = self.categories("list its values")?;
            let values = categories.iter().map(|value| self.whole(line, value)).collect::<Result<Vec<_>, _>>()?;
            return Ok(WholeCut::Categories(self.lookup(values)?));
        }
        let spec = self.bins_spec()?;
        if let Some(edges) = spec.edges.as_deref() {
            let edges = edges.iter().map(|edge| self.whole(line, edge)).collect::<Result<Vec<_>, _>>()?;
            let [lower @ .., high] = edges.as_slice() else {
                return self.fails("has no edges", "give at least two");
            };
            self.edges_ascend(&edges, |left, right| left < right)?;
            return Ok(WholeCut::Bins(WholeBins::Edges { lower: lower.into(), high: *high }));
        }
        let (low, high) = self.bounds(|bound| self.whole(line, bound), |low, high| low <= high)?;
        Ok(WholeCut::Bins(match (spec.count, spec.width) {
            (Some(count), _) => {
                let bins = WholeBins::Equal { low, high, count };
                if count == 0 || u128::from(count) > u128::from(high.abs_diff(low)) + 1 {
                    return self.fails(
                        format!("is cut into {count} bins, but has {} values", u128::from(high.abs_diff(low)) + 1),
                        "ask for fewer bins, at least one",
                    );
                }
                bins
            }
            (None, Some(width)) => {
                // A datetime's width is given in seconds and kept in microseconds.
                let scale = if matches!(line, WholeLine::Datetime(_)) { 1e6 } else { 1.0 };
                let width = width * scale;
                // 2^53: beyond it a float no longer holds every whole number.
                if !(1.0..=9_007_199_254_740_992.0).contains(&width) || width.fract() != 0.0 {
                    return self
                        .fails("has a bin `width` that is no positive whole number", "write for example `width: 5`");
                }
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
                let width = width as u64;
                WholeBins::Stepped { low, high, width }
            }
            (None, None) if matches!(line, WholeLine::Datetime(_)) => {
                return self.fails("has no bins", "add for example `dp: {bins: {width: 3600}}` for hours");
            }
            (None, None) => WholeBins::Stepped { low, high, width: 1 },
        }))
    }

    fn real_values(&self) -> Result<Values, SchemaError> {
        if self.0.constraints.categories.is_some() {
            let categories = self.categories("list its values")?;
            let values =
                categories.iter().map(|value| self.real(value).map(real_key)).collect::<Result<Vec<_>, _>>()?;
            return Ok(Values::Real(RealCut::Categories(self.lookup(values)?)));
        }
        let spec = self.bins_spec()?;
        if let Some(edges) = spec.edges.as_deref() {
            let edges = edges.iter().map(|edge| self.real(edge)).collect::<Result<Vec<_>, _>>()?;
            self.edges_ascend(&edges, |left, right| left < right)?;
            return Ok(Values::Real(RealCut::Bins(RealBins::Edges(edges.into()))));
        }
        let (low, high) = self.bounds(|bound| self.real(bound), |low, high| low < high)?;
        let span = high - low;
        let bins = match (spec.count, spec.width) {
            (Some(count), _) => RealBins::Equal { low, high, count },
            (None, Some(width)) => {
                let count = (span / width).ceil();
                if !(width > 0.0 && (1.0..=f64::from(u32::MAX)).contains(&count)) {
                    return self.fails(
                        "has a bin `width` that does not cut its range",
                        "give a positive width, not below a millionth of the range",
                    );
                }
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
                RealBins::Stepped { low, high, width, count: count as u32 }
            }
            (None, None) => {
                return self.fails("is a number without bins", "add `dp: {bins: {count: 32}}`, or `width`, or `edges`");
            }
        };
        // Edges closer than a few representable numbers would leave bins with nothing to draw from.
        let finest = low.abs().max(high.abs()) * f64::EPSILON * 8.0;
        if bins.count() == 0 || !span.is_finite() || span / f64::from(bins.count()) < finest {
            return self.fails("cannot be cut so finely", "ask for fewer bins, at least one, over a finite range");
        }
        Ok(Values::Real(RealCut::Bins(bins)))
    }

    /// The bins as written; exactly one way of cutting, or none.
    fn bins_spec(&self) -> Result<BinsSpec, SchemaError> {
        let spec = self.0.dp.bins.clone().unwrap_or_default();
        let ways = [spec.count.is_some(), spec.width.is_some(), spec.edges.is_some()];
        if ways.into_iter().filter(|given| *given).count() > 1 {
            return self.fails("cuts its bins in two ways", "keep one of `count`, `width` and `edges`");
        }
        if spec.edges.is_some() && (self.0.constraints.minimum.is_some() || self.0.constraints.maximum.is_some()) {
            return self.fails(
                "has bin `edges` and also bounds",
                "drop `minimum` and `maximum`: the outermost edges are the bounds",
            );
        }
        Ok(spec)
    }

    fn categories(&self, hint: &str) -> Result<&[Scalar], SchemaError> {
        let categories = self.0.constraints.categories.as_deref().unwrap_or_default();
        if categories.is_empty() {
            return self.fails("declares no categories", format!("{hint}, from a code book and not from the data"));
        }
        if self.0.dp.bins.is_some() {
            return self.fails("has categories and also bins", "keep one of the two");
        }
        Ok(categories)
    }

    fn lookup<T: Ord>(&self, values: impl IntoIterator<Item = T>) -> Result<Lookup<T>, SchemaError> {
        Lookup::new(values).or_else(|index| {
            self.fails(format!("lists a category twice, at position {}", index + 1), "drop one of them")
        })
    }

    fn bounds<T: Copy>(
        &self,
        read: impl Fn(&Scalar) -> Result<T, SchemaError>,
        in_order: impl Fn(T, T) -> bool,
    ) -> Result<(T, T), SchemaError> {
        let constraints = &self.0.constraints;
        let (Some(minimum), Some(maximum)) = (&constraints.minimum, &constraints.maximum) else {
            return self.fails(
                "has no bounds",
                "add `constraints: {minimum: ..., maximum: ...}` from public knowledge, not from the data",
            );
        };
        let (low, high) = (read(minimum)?, read(maximum)?);
        if !in_order(low, high) {
            return self.fails("has its minimum above its maximum, or a range of nothing", "widen the bounds");
        }
        Ok((low, high))
    }

    fn edges_ascend<T>(&self, edges: &[T], ascends: impl Fn(&T, &T) -> bool) -> Result<(), SchemaError> {
        if edges.len() < 2 || !edges.windows(2).all(|pair| ascends(&pair[0], &pair[1])) {
            return self.fails("has `edges` that do not ascend", "list at least two, each above the one before");
        }
        Ok(())
    }

    fn whole(&self, line: &WholeLine, value: &Scalar) -> Result<i64, SchemaError> {
        let read = match (line, value) {
            (WholeLine::Integer, Scalar::Integer(value)) => Some(*value),
            // Years come back as 32-bit numbers.
            (WholeLine::Year, Scalar::Integer(value)) => i32::try_from(*value).ok().map(i64::from),
            // A bound is written as the column is, or in ISO 8601.
            (WholeLine::Date(format), Scalar::Text(text)) => format.days(text).or_else(|| TimeFormat::Iso.days(text)),
            (WholeLine::Datetime(format), Scalar::Text(text)) => {
                format.micros(text).or_else(|| TimeFormat::Iso.micros(text))
            }
            _ => None,
        };
        let wanted = match line {
            WholeLine::Integer => "a whole number",
            WholeLine::Year => "a year such as 2020",
            WholeLine::Date(_) => "a date such as \"2020-12-31\"",
            WholeLine::Datetime(_) => "a datetime such as \"2020-12-31T18:00:00\"",
        };
        read.map_or_else(|| self.fails(format!("has `{value}` where {wanted} belongs"), format!("write {wanted}")), Ok)
    }

    fn real(&self, value: &Scalar) -> Result<f64, SchemaError> {
        match value {
            #[expect(clippy::cast_precision_loss, reason = "a bound beyond 2^53 is the nearest real number")]
            Scalar::Integer(value) => Ok(*value as f64),
            Scalar::Number(value) if value.is_finite() => Ok(*value),
            _ => self.fails(format!("has `{value}` where a finite number belongs"), "write a number"),
        }
    }

    /// The code that takes missing and unknown values of a required, closed column.
    fn fold_code(&self, values: &Values) -> Result<u32, SchemaError> {
        let Some(target) = &self.0.dp.fold_into else { return Ok(0) };
        let code = match values {
            Values::Text(categories) => match target {
                Scalar::Text(text) => categories.get(text.as_bytes()),
                _ => None,
            },
            Values::Boolean { .. } => match target {
                Scalar::Boolean(value) => Some((*value).into()),
                _ => None,
            },
            Values::Whole { line, cut } => match (cut, self.whole(line, target)?) {
                (WholeCut::Categories(categories), value) => categories.get(&value),
                (WholeCut::Bins(bins), value) => {
                    (bins.bounds().0..=bins.bounds().1).contains(&value).then(|| bins.index(value))
                }
            },
            Values::Real(cut) => match (cut, self.real(target)?) {
                (RealCut::Categories(categories), value) => categories.get(&real_key(value)),
                (RealCut::Bins(bins), value) => {
                    (bins.bounds().0..=bins.bounds().1).contains(&value).then(|| bins.index(value))
                }
            },
        };
        code.map_or_else(
            || self.fails(format!("folds into `{target}`, which is not one of its values"), "name a declared value"),
            Ok,
        )
    }
}
