//! From a column as written to a checked one.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::amounts::{RealAmounts, WholeAmounts, log_edges, whole_log_bins};
use crate::attribute::{Attribute, FieldType, UNKNOWN_LABEL};
use crate::bins::{RealBins, WholeBins};
use crate::calendar::CalendarUnit;
use crate::cut::{Held, RealCut, WholeCut};
use crate::encode::{Encoder, Lookup, Values, WholeLine, real_key};
use crate::error::SchemaError;
use crate::hierarchy::levels_of;
use crate::limits;
use crate::missing::{self, MissingKind, MissingTexts, MissingValue};
use crate::number_text::NumberText;
use crate::spec::{BinsSpec, FieldSpec, Scalar, Scale};
use crate::step::{MAX_DECIMALS, Step};
use crate::text::TimeFormat;
use crate::zone::Zone;

const TRUE_TEXTS: [&str; 4] = ["true", "True", "TRUE", "1"];
const FALSE_TEXTS: [&str; 4] = ["false", "False", "FALSE", "0"];

/// Checks one column.
pub(crate) fn check_field(spec: FieldSpec, missing_values: &[MissingValue]) -> Result<Attribute, SchemaError> {
    let field = Field(&spec);
    let field_type = field.field_type()?;
    let numbers = field.number_text(field_type)?;
    let values = field.values(field_type)?;
    let declared = values.count();
    let nullable = !spec.constraints.required;
    let open = spec.dp.open;
    let kinds = field.missing_kinds(missing_values, &values)?;
    let missing_codes = if nullable { kinds.len() } else { 0 };
    let size = declared + missing_codes as u128 + u128::from(open);
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
    let unknown_code = open.then_some(size - 1);
    let fold = field.fold_code(&values)?;
    if spec.dp.fold_into.is_some() && (nullable || open) {
        return field.fails(
            "has `foldInto`, but missing or unknown values have codes of their own here",
            "make the column `required` and not `open`, or drop `foldInto`",
        );
    }
    let missing = missing_code.or(unknown_code).unwrap_or(fold);
    let code_of_kind = |index: usize| if nullable { declared + u32::try_from(index).unwrap_or(0) } else { missing };
    let encoder = Encoder {
        size,
        missing,
        unknown: unknown_code.or(missing_code).unwrap_or(fold),
        below: unknown_code.unwrap_or(values.first_code()),
        above: values.top_code().or(unknown_code).or(values.last_code()).unwrap_or(declared - 1),
        missing_texts: MissingTexts::new(&kinds, code_of_kind),
        numbers,
        values,
    };
    let missing_kinds = if nullable { kinds } else { Vec::new() };
    field.check_step(field_type, &encoder.values, declared)?;
    let levels = Box::default();
    let mut attribute = Attribute { spec, field_type, encoder, missing_kinds, declared, unknown_code, levels };
    attribute.levels = levels_of(&attribute)?;
    Ok(attribute)
}

impl Values {
    /// How many values are declared, before any limit is applied.
    fn count(&self) -> u128 {
        match self {
            Self::Text(categories) => categories.len() as u128,
            Self::Boolean { .. } => 2,
            Self::Whole { cut, .. } => cut.count(),
            Self::Real(cut) => cut.count(),
        }
    }

    /// The code of the least value of a line.
    fn first_code(&self) -> u32 {
        let code = match self {
            Self::Whole { cut, .. } => cut.bounds().and_then(|(low, _)| cut.code(low)),
            Self::Real(cut) => cut.bounds().and_then(|(low, _)| cut.code(low)),
            Self::Text(_) | Self::Boolean { .. } => None,
        };
        code.unwrap_or(0)
    }

    /// The code of the greatest value of a line.
    fn last_code(&self) -> Option<u32> {
        match self {
            Self::Whole { cut, .. } => cut.bounds().and_then(|(_, high)| cut.code(high)),
            Self::Real(cut) => cut.bounds().and_then(|(_, high)| cut.code(high)),
            Self::Text(_) | Self::Boolean { .. } => None,
        }
    }

    /// The code of everything from some value on, which is declared however far it goes.
    pub(crate) fn top_code(&self) -> Option<u32> {
        let has_top = match self {
            Self::Whole { cut, .. } => cut.has_top(),
            Self::Real(cut) => cut.has_top(),
            Self::Text(_) | Self::Boolean { .. } => false,
        };
        has_top.then(|| self.last_code()).flatten()
    }
}

/// A column under check.
pub(crate) struct Field<'a>(pub(crate) &'a FieldSpec);

impl Field<'_> {
    fn fails<T>(&self, problem: impl Into<String>, hint: impl Into<String>) -> Result<T, SchemaError> {
        Err(SchemaError::column(&self.0.name, problem, hint))
    }

    /// The kinds of missing values: those of the column if it lists its own, else those of the table.
    fn missing_kinds(&self, of_table: &[MissingValue], values: &Values) -> Result<Vec<MissingKind>, SchemaError> {
        let declared = self.0.missing_values.as_deref().unwrap_or(of_table);
        if self.0.missing_values.is_some()
            && let Some((problem, hint)) = missing::find_fault(declared)
        {
            return self.fails(problem, hint);
        }
        let kinds = missing::kinds(declared);
        let nullable = !self.0.constraints.required;
        if let (true, Values::Text(categories)) = (nullable, values) {
            let unknown = self.0.dp.unknown_label.as_deref().unwrap_or(UNKNOWN_LABEL);
            let is_taken = |text: &str| categories.get(text.as_bytes()).is_some() || self.0.dp.open && text == unknown;
            let labelled = kinds.iter().filter(|kind| kind.label().is_some());
            if let Some(taken) = labelled.flat_map(MissingKind::texts).find(|text| is_taken(text)) {
                return self.fails(
                    format!("has the value `{taken}`, which is a labelled missing value too"),
                    "drop one of the two, or give the column `missingValues` of its own",
                );
            }
        }
        Ok(kinds)
    }

    fn field_type(&self) -> Result<FieldType, SchemaError> {
        if self.0.field_type.is_empty() {
            return self.fails(
                "has no `type`",
                format!(
                    "add one of {}, or a preset such as `dp: {{preset: age}}`",
                    FieldType::ALL.map(FieldType::name).join(", ")
                ),
            );
        }
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
        self.check_terms_of_type(field_type)?;
        let line = match field_type {
            FieldType::String => return self.text_values(),
            FieldType::Boolean => return self.boolean_values(),
            FieldType::Number => return self.real_values(),
            FieldType::Integer => WholeLine::Integer,
            FieldType::Year => WholeLine::Year,
            FieldType::Date => WholeLine::Date(self.time_format()?),
            FieldType::Datetime => WholeLine::Datetime(self.time_format()?, self.zone()?),
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

    /// How the numbers of the column are written.
    fn number_text(&self, field_type: FieldType) -> Result<NumberText, SchemaError> {
        let FieldSpec { decimal_char, group_char, format, .. } = self.0;
        let is_number = matches!(field_type, FieldType::Integer | FieldType::Number);
        if !is_number && (decimal_char.is_some() || group_char.is_some()) {
            return self.fails(
                "has `decimalChar` or `groupChar`, but is no column of integers or numbers",
                "drop them, or change the type",
            );
        }
        // A format of texts only says which of them are possible.
        let has_format = matches!(field_type, FieldType::Date | FieldType::Datetime | FieldType::String);
        if let Some(format) = format.as_deref().filter(|format| !has_format && *format != "default") {
            return self.fails(
                format!("has the format `{format}`, and columns of type `{field_type}` have none"),
                if is_number {
                    "say how numbers are written with `decimalChar` and `groupChar`"
                } else {
                    "drop `format`"
                },
            );
        }
        NumberText::new(decimal_char.as_deref(), group_char.as_deref()).or_else(|problem| {
            self.fails(problem, "write for example `decimalChar: \",\"` and `groupChar: \".\"` for 1.234,56")
        })
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

    /// Truth values, in the words that Table Schema has for them unless others are declared.
    pub(crate) fn boolean_values(&self) -> Result<Values, SchemaError> {
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

    /// Properties that only some types have.
    fn check_terms_of_type(&self, field_type: FieldType) -> Result<(), SchemaError> {
        let terms = &self.0.dp;
        let bins = terms.bins.as_ref();
        let is_amount = matches!(field_type, FieldType::Integer | FieldType::Number);
        let is_time = matches!(field_type, FieldType::Date | FieldType::Datetime);
        if terms.time_zone.is_some() && field_type != FieldType::Datetime {
            return self.fails("has a `timeZone` but is no datetime", "drop `timeZone`");
        }
        if let Some(keep) = terms.keep
            && (field_type != FieldType::Date || self.0.constraints.categories.is_some())
        {
            return self.fails(format!("has `keep: {}` but is no date in bins", keep.word()), "drop `keep`");
        }
        let Some(bins) = bins else {
            if let Some(keep) = terms.keep {
                return self.fails(
                    format!("keeps the {}, but has a code for every day, which tells it already", keep.word()),
                    "drop `keep`, or add for example `bins: {by: month}`",
                );
            }
            return Ok(());
        };
        if bins.by.is_some() && !is_time {
            return self
                .fails("is cut `by` the calendar, but is no date or datetime", "use `count`, `width` or `edges`");
        }
        if bins.by == Some(CalendarUnit::Hour) && field_type == FieldType::Date {
            return self.fails("is a date and cut `by: hour`", "use `day`, `week`, `month`, `quarter` or `year`");
        }
        let of_amounts = bins.scale.is_some() || bins.points.is_some() || bins.top_code.is_some();
        if of_amounts && !is_amount {
            return self.fails(
                "has `scale`, `points` or `topCode`, but is no column of integers or numbers",
                "drop them, or change the type",
            );
        }
        if bins.scale.is_some() && bins.count.is_none() {
            return self.fails("has a `scale` of bins but no `count`", "add `count`, the number of bins");
        }
        if bins.from.is_some() && bins.scale.is_none() {
            return self.fails("has `from` but no `scale: log`", "drop `from`, or add `scale: log`");
        }
        Ok(())
    }

    /// Refuses a step that is none, or that leaves a bin without any value.
    fn check_step(&self, field_type: FieldType, values: &Values, declared: u32) -> Result<(), SchemaError> {
        let terms = &self.0.dp;
        if terms.step.is_none() && terms.decimals.is_none() {
            return Ok(());
        }
        let Some(step) = Step::of(terms) else {
            return self.fails(
                "has a `step` that is no positive number, too many `decimals`, or both a `step` and `decimals`",
                format!("write one of the two, such as `step: 0.5`, or `decimals: 2`, at most {MAX_DECIMALS}"),
            );
        };
        let has_values = match (values, step.whole()) {
            (Values::Real(cut), _) if !matches!(cut, RealCut::Categories(_)) => (0..declared).all(|code| {
                let Held::Bin(low, high) = cut.held(code) else { return true };
                step.has_multiple(low, high.next_down())
            }),
            (Values::Whole { line: WholeLine::Integer, cut }, Some(step))
                if terms.step.is_some() && !matches!(cut, WholeCut::Categories(_)) =>
            {
                (0..declared).all(|code| {
                    let Held::Bin(first, last) = cut.held(code) else { return true };
                    last.div_euclid(step) * step >= first
                })
            }
            _ => {
                return self.fails(
                    format!("is {field_type}, or a list of values, and has a `step` or `decimals`"),
                    "keep `decimals` for numbers, and `step` for numbers and, as a whole number, for integers",
                );
            }
        };
        if !has_values {
            return self
                .fails("has bins without any multiple of its `step`", "widen the bins, or write a smaller step");
        }
        Ok(())
    }

    fn zone(&self) -> Result<Option<Zone>, SchemaError> {
        let Some(name) = self.0.dp.time_zone.as_deref() else { return Ok(None) };
        Zone::new(name).map_or_else(
            || {
                self.fails(
                    format!("has the time zone `{name}`, which is not known"),
                    "write a name such as `Europe/Berlin`, or an offset such as `+02:00`",
                )
            },
            |zone| Ok(Some(zone)),
        )
    }

    fn whole_values(&self, line: &WholeLine) -> Result<WholeCut, SchemaError> {
        if self.0.constraints.categories.is_some() {
            let categories = self.categories("list its values")?;
            let values = categories.iter().map(|value| self.whole(line, value)).collect::<Result<Vec<_>, _>>()?;
            return Ok(WholeCut::Categories(self.lookup(values)?));
        }
        let spec = self.bins_spec()?;
        let points = self.points(&spec, |point| self.whole(line, point))?;
        let top = spec.top_code.as_ref().map(|top| self.whole(line, top)).transpose()?;
        let (low, bins) = self.whole_bins(line, &spec, top)?;
        if let (true, Some(top)) = (spec.edges.is_some(), top)
            && bins.bounds().1.checked_add(1) != Some(top)
        {
            return self.fails("has a `topCode` that is not its last edge", "make the last edge the `topCode`");
        }
        if bins.count() > limits::CATEGORIES {
            // Told with all codes of the column, once they are known.
            return Ok(WholeCut::Bins(bins));
        }
        if let Some(keep) = self.0.dp.keep {
            let tells_already = |bin: u32| {
                let (first, last) = bins.members(bin);
                (first..=last).all(|day| keep.part(day) == keep.part(first))
            };
            // Days tell their weekday, and bins within months their month.
            if (0..).take(usize::try_from(bins.count()).unwrap_or(usize::MAX)).all(tells_already) {
                return self.fails(format!("keeps the {}, which its bins tell already", keep.word()), "drop `keep`");
            }
            return Ok(WholeCut::Kept(bins, keep));
        }
        if points.is_empty() && top.is_none() && low == bins.bounds().0 {
            return Ok(WholeCut::Bins(bins));
        }
        let high = bins.bounds().1;
        self.points_are_within(&points, |point| (low..=high).contains(point))?;
        match WholeAmounts::new(bins, low, points, top) {
            Some(amounts) => Ok(WholeCut::Amounts(amounts)),
            None => self.fails("has only `points`, and no bin beside them", "list the values as an `enum`"),
        }
    }

    /// The least value, and the bins, which may open later if they grow.
    fn whole_bins(&self, line: &WholeLine, spec: &BinsSpec, top: Option<i64>) -> Result<(i64, WholeBins), SchemaError> {
        if let Some(edges) = spec.edges.as_deref() {
            let edges = edges.iter().map(|edge| self.whole(line, edge)).collect::<Result<Vec<_>, _>>()?;
            let [lower @ .., high] = edges.as_slice() else {
                return self.fails("has no edges", "give at least two");
            };
            self.edges_ascend(&edges, |left, right| left < right)?;
            // Where a top code opens at the last edge, that edge is no member of the last bin.
            let high = if top == Some(*high) { high - 1 } else { *high };
            return Ok((edges[0], WholeBins::Edges { lower: lower.into(), high }));
        }
        let (low, high) = match top {
            None => self.bounds(|bound| self.whole(line, bound), |low, high| low <= high)?,
            Some(top) => {
                let (low, top) = self.bounds_below(top, |bound| self.whole(line, bound))?;
                (low, top - 1)
            }
        };
        let bins = match (spec.count, spec.width, spec.by) {
            (Some(count), ..) => {
                let first = match (spec.scale, &spec.from) {
                    (Some(Scale::Log), Some(from)) => self.whole(line, from)?,
                    _ => low,
                };
                if first < low || first > high {
                    return self.fails("has `from` outside its bounds", "give it between minimum and maximum");
                }
                let values = u128::from(high.abs_diff(first)) + 1;
                if count == 0 || u128::from(count) > values {
                    return self.fails(
                        format!("is cut into {count} bins, but has {values} values"),
                        "ask for fewer bins, at least one",
                    );
                }
                match spec.scale {
                    None => WholeBins::Equal { low, high, count },
                    Some(Scale::Log) => {
                        self.log_bins_can_be_made(first > 0, count)?;
                        WholeBins::Edges { lower: whole_log_bins(first, high, count).into(), high }
                    }
                }
            }
            (None, Some(width), _) => {
                // A datetime's width is given in seconds and kept in microseconds.
                let scale = if matches!(line, WholeLine::Datetime(..)) { 1e6 } else { 1.0 };
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
            (None, None, Some(unit)) => {
                let lower = match line {
                    WholeLine::Datetime(_, zone) => unit.instants(zone.as_ref(), low, high),
                    _ => unit.days(low, high),
                };
                let Some(lower) = lower else {
                    return self.fails(
                        format!("has more than {} bins of the calendar", limits::CATEGORIES),
                        "cut it by a longer unit",
                    );
                };
                WholeBins::Edges { lower, high }
            }
            (None, None, None) if matches!(line, WholeLine::Datetime(..)) => {
                return self.fails("has no bins", "add for example `dp: {bins: {width: 3600}}` for hours");
            }
            (None, None, None) => WholeBins::Stepped { low, high, width: 1 },
        };
        Ok((low, bins))
    }

    /// The values with codes of their own, ascending.
    fn points<T: PartialOrd + Copy>(
        &self,
        spec: &BinsSpec,
        read: impl Fn(&Scalar) -> Result<T, SchemaError>,
    ) -> Result<Vec<T>, SchemaError> {
        let listed = spec.points.iter().flatten();
        let mut points = listed.map(read).collect::<Result<Vec<T>, _>>()?;
        // All are finite, so all are comparable.
        points.sort_by(|left, right| left.partial_cmp(right).unwrap_or(Ordering::Equal));
        if points.windows(2).any(|pair| pair[0] == pair[1]) {
            return self.fails("lists a value twice among its `points`", "drop one of them");
        }
        Ok(points)
    }

    fn points_are_within<T>(&self, points: &[T], is_within: impl Fn(&T) -> bool) -> Result<(), SchemaError> {
        if points.iter().all(is_within) {
            return Ok(());
        }
        self.fails("has `points` outside its bounds, or not below its `topCode`", "widen the bounds, or drop the point")
    }

    fn log_bins_can_be_made(&self, is_positive: bool, count: u32) -> Result<(), SchemaError> {
        if !is_positive {
            return self.fails(
                "has bins that grow from zero or below",
                "raise the minimum above 0, or add `points: [0]` and `from`, the first edge above 0",
            );
        }
        if u128::from(count) > limits::CATEGORIES {
            return self
                .fails(format!("has {count} bins, at most {} are possible", limits::CATEGORIES), "ask for fewer bins");
        }
        Ok(())
    }

    fn real_values(&self) -> Result<Values, SchemaError> {
        if self.0.constraints.categories.is_some() {
            let categories = self.categories("list its values")?;
            let values =
                categories.iter().map(|value| self.real(value).map(real_key)).collect::<Result<Vec<_>, _>>()?;
            return Ok(Values::Real(RealCut::Categories(self.lookup(values)?)));
        }
        let spec = self.bins_spec()?;
        let points = self.points(&spec, |point| self.real(point))?;
        let top = spec.top_code.as_ref().map(|top| self.real(top)).transpose()?;
        let (low, bins) = self.real_bins(&spec, top)?;
        let (first, high) = bins.bounds();
        if top.is_some_and(|top| real_key(top) != real_key(high)) {
            return self.fails("has a `topCode` that is not its last edge", "make the last edge the `topCode`");
        }
        if points.is_empty() && top.is_none() && real_key(low) == real_key(first) {
            return Ok(Values::Real(RealCut::Bins(bins)));
        }
        self.points_are_within(&points, |&point| {
            (low..=high).contains(&point) && (top.is_none() || real_key(point) != real_key(high))
        })?;
        Ok(Values::Real(RealCut::Amounts(RealAmounts::new(bins, low, &points, top))))
    }

    /// The least value, and the bins, which may open later if they grow.
    fn real_bins(&self, spec: &BinsSpec, top: Option<f64>) -> Result<(f64, RealBins), SchemaError> {
        if let Some(edges) = spec.edges.as_deref() {
            let edges = edges.iter().map(|edge| self.real(edge)).collect::<Result<Vec<_>, _>>()?;
            self.edges_ascend(&edges, |left, right| left < right)?;
            return Ok((edges[0], RealBins::Edges(edges.into())));
        }
        let (low, high) = match top {
            None => self.bounds(|bound| self.real(bound), |low, high| low < high)?,
            Some(top) => self.bounds_below(top, |bound| self.real(bound))?,
        };
        let span = high - low;
        // Edges closer than a few representable numbers would leave bins with nothing to draw from.
        let finest = low.abs().max(high.abs()) * f64::EPSILON * 8.0;
        let too_fine =
            || self.fails("cannot be cut so finely", "ask for fewer bins, at least one, over a finite range");
        let bins = match (spec.count, spec.width) {
            (Some(count), _) if spec.scale == Some(Scale::Log) => {
                let first = spec.from.as_ref().map_or(Ok(low), |from| self.real(from))?;
                if first < low || first >= high {
                    return self.fails("has `from` outside its bounds", "give it between minimum and maximum");
                }
                self.log_bins_can_be_made(first > 0.0, count)?;
                let edges = log_edges(first, high, count);
                // The narrowest bins are the first ones; each is compared with its own numbers.
                if count == 0 || edges.windows(2).any(|pair| pair[1] - pair[0] < pair[1] * f64::EPSILON * 8.0) {
                    return too_fine();
                }
                return Ok((low, RealBins::Edges(edges.into())));
            }
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
        if bins.count() == 0 || !span.is_finite() || span / f64::from(bins.count()) < finest {
            return too_fine();
        }
        Ok((low, bins))
    }

    /// The bins as written; exactly one way of cutting, or none.
    fn bins_spec(&self) -> Result<BinsSpec, SchemaError> {
        let spec = self.0.dp.bins.clone().unwrap_or_default();
        let ways = [spec.count.is_some(), spec.width.is_some(), spec.edges.is_some(), spec.by.is_some()];
        if ways.into_iter().filter(|given| *given).count() > 1 {
            return self.fails("cuts its bins in two ways", "keep one of `count`, `width`, `edges` and `by`");
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

    /// The minimum, and the top code in place of the maximum, which need not be given.
    fn bounds_below<T: Copy + PartialOrd>(
        &self,
        top: T,
        read: impl Fn(&Scalar) -> Result<T, SchemaError>,
    ) -> Result<(T, T), SchemaError> {
        let constraints = &self.0.constraints;
        let Some(minimum) = &constraints.minimum else {
            return self.fails("has no minimum", "add `constraints: {minimum: ...}` from public knowledge");
        };
        let low = read(minimum)?;
        let maximum = constraints.maximum.as_ref().map(&read).transpose()?;
        if low >= top || maximum.is_some_and(|maximum| maximum < top) {
            return self
                .fails("has its `topCode` outside its bounds", "give it above the minimum and not above the maximum");
        }
        Ok((low, top))
    }

    fn edges_ascend<T>(&self, edges: &[T], ascends: impl Fn(&T, &T) -> bool) -> Result<(), SchemaError> {
        if edges.len() < 2 || !edges.windows(2).all(|pair| ascends(&pair[0], &pair[1])) {
            return self.fails("has `edges` that do not ascend", "list at least two, each above the one before");
        }
        Ok(())
    }

    /// The number that a value of the column's line stands for.
    pub(crate) fn whole(&self, line: &WholeLine, value: &Scalar) -> Result<i64, SchemaError> {
        let read = match (line, value) {
            (WholeLine::Integer, Scalar::Integer(value)) => Some(*value),
            // Years come back as 32-bit numbers.
            (WholeLine::Year, Scalar::Integer(value)) => i32::try_from(*value).ok().map(i64::from),
            // A bound is written as the column is, or in ISO 8601.
            (WholeLine::Date(format), Scalar::Text(text)) => format.days(text).or_else(|| TimeFormat::Iso.days(text)),
            (WholeLine::Datetime(format, zone), Scalar::Text(text)) => {
                let zone = zone.as_ref();
                format.micros_in(text, zone).or_else(|| TimeFormat::Iso.micros_in(text, zone))
            }
            _ => None,
        };
        let wanted = match line {
            WholeLine::Integer => "a whole number",
            WholeLine::Year => "a year such as 2020",
            WholeLine::Date(_) => "a date such as \"2020-12-31\"",
            WholeLine::Datetime(..) => "a datetime such as \"2020-12-31T18:00:00\"",
        };
        read.map_or_else(|| self.fails(format!("has `{value}` where {wanted} belongs"), format!("write {wanted}")), Ok)
    }

    /// A value of a column of real numbers.
    pub(crate) fn real(&self, value: &Scalar) -> Result<f64, SchemaError> {
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
            Values::Whole { line, cut } => cut.declared_code(self.whole(line, target)?),
            Values::Real(cut) => cut.declared_code(self.real(target)?),
        };
        code.map_or_else(
            || self.fails(format!("folds into `{target}`, which is not one of its values"), "name a declared value"),
            Ok,
        )
    }
}
