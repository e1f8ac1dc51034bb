//! Checks one column of a schema file and builds its encoder.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::bins::amounts::{RealAmounts, WholeAmounts, log_edges, whole_log_bins};
use crate::bins::calendar::CalendarUnit;
use crate::bins::cut::{Held, RealCut, WholeCut};
use crate::bins::edges::Edges;
use crate::bins::step::{MAX_DECIMALS, Step};
use crate::bins::{RealBins, WholeBins};
use crate::error::SchemaError;
use crate::file::spec::{BinsSpec, FieldSpec, Scalar, Scale};
use crate::learn;
use crate::limits;
use crate::schema::attribute::{Attribute, FieldType};
use crate::schema::hierarchy::levels_of;
use crate::values::encode::{Encoder, Lookup, Values, WholeLine, real_key};
use crate::values::missing::{self, MissingKind, MissingTexts, MissingValue};
use crate::values::number_text::NumberText;
use crate::values::text::{MICROS_PER_DAY, TimeFormat};
use crate::values::zone::Zone;

const LAST_MICRO_OF_DAY: i64 = MICROS_PER_DAY - 1;
const MICROS_PER_HOUR: u64 = 3_600_000_000;
const TRUE_TEXTS: [&str; 4] = ["true", "True", "TRUE", "1"];
const FALSE_TEXTS: [&str; 4] = ["false", "False", "FALSE", "0"];

/// Checks a column, whose missing values default to those of the table.
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
            "is required and open, but unknown values of its type can only be written as blanks",
            "drop `required`, or drop `open`",
        );
    }
    if spec.dp.unknown_label.is_some() && !(open && field_type == FieldType::String) {
        return field
            .fails("has `unknownLabel` but is not an open text column", "add `open: true`, or drop `unknownLabel`");
    }
    if let (true, Values::Text(categories)) = (open, &values) {
        let label = spec.dp.unknown_label();
        if categories.get(label.as_bytes()).is_some() {
            return field.fails(
                format!("is open, and its unknown values would be written as `{label}`, which is also a category"),
                format!("close it with `required: true` and `foldInto: {label}`, or write another `unknownLabel`"),
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
            "has `foldInto`, but its missing or unknown values have their own codes",
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
        classifies: field.classifies()?,
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
    /// Number of declared values, before any limit is applied.
    fn count(&self) -> u128 {
        match self {
            Self::Text(categories) => categories.len() as u128,
            Self::Boolean { .. } => 2,
            Self::Whole { cut, .. } => cut.count(),
            Self::Real(cut) => cut.count(),
        }
    }

    /// The code of the least value; 0 for text and booleans.
    fn first_code(&self) -> u32 {
        let code = match self {
            Self::Whole { cut, .. } => cut.bounds().and_then(|(low, _)| cut.code(low)),
            Self::Real(cut) => cut.bounds().and_then(|(low, _)| cut.code(low)),
            Self::Text(_) | Self::Boolean { .. } => None,
        };
        code.unwrap_or(0)
    }

    /// The code of the greatest value; `None` for text, booleans and categories.
    fn last_code(&self) -> Option<u32> {
        match self {
            Self::Whole { cut, .. } => cut.bounds().and_then(|(_, high)| cut.code(high)),
            Self::Real(cut) => cut.bounds().and_then(|(_, high)| cut.code(high)),
            Self::Text(_) | Self::Boolean { .. } => None,
        }
    }

    /// The top code, which covers every value above the bounds.
    pub(crate) fn top_code(&self) -> Option<u32> {
        let has_top = match self {
            Self::Whole { cut, .. } => cut.has_top(),
            Self::Real(cut) => cut.has_top(),
            Self::Text(_) | Self::Boolean { .. } => false,
        };
        has_top.then(|| self.last_code()).flatten()
    }
}

/// A column being checked.
pub(crate) struct Field<'a>(pub(crate) &'a FieldSpec);

impl Field<'_> {
    fn fails<T>(&self, problem: impl Into<String>, hint: impl Into<String>) -> Result<T, SchemaError> {
        Err(SchemaError::column(&self.0.name, problem, hint))
    }

    /// The kinds of missing values: those of the column if it lists its own, else those of the
    /// table.
    fn missing_kinds(&self, of_table: &[MissingValue], values: &Values) -> Result<Vec<MissingKind>, SchemaError> {
        let declared = self.0.missing_values.as_deref().unwrap_or(of_table);
        if self.0.missing_values.is_some()
            && let Some((problem, hint)) = missing::find_problem(declared)
        {
            return self.fails(problem, hint);
        }
        let kinds = missing::kinds(declared);
        let nullable = !self.0.constraints.required;
        if let (true, Values::Text(categories)) = (nullable, values) {
            let unknown = self.0.dp.unknown_label();
            let is_taken = |text: &str| categories.get(text.as_bytes()).is_some() || self.0.dp.open && text == unknown;
            let labelled = kinds.iter().filter(|kind| kind.label().is_some());
            if let Some(taken) = labelled.flat_map(MissingKind::texts).find(|text| is_taken(text)) {
                return self.fails(
                    format!("has the value `{taken}`, which is also a labelled missing value"),
                    "drop one of the two, or write `missingValues` for this column",
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
        let found = FieldType::from_name(&self.0.field_type);
        found.map_or_else(
            || {
                self.fails(
                    format!("has type `{}`, which Scumble does not support", self.0.field_type),
                    format!("use one of {}, or drop the column", FieldType::ALL.map(FieldType::name).join(", ")),
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
            FieldType::Time => WholeLine::Time(self.clock_format()?),
        };
        let cut = self.whole_values(&line)?;
        Ok(Values::Whole { line, cut })
    }

    fn time_format(&self) -> Result<TimeFormat, SchemaError> {
        TimeFormat::new(self.0.format.as_deref()).map_or_else(
            || {
                self.fails(
                    "has a `format` that is not a date pattern",
                    "write it as `%Y-%m-%d`, or drop it for ISO 8601",
                )
            },
            Ok,
        )
    }

    fn clock_format(&self) -> Result<TimeFormat, SchemaError> {
        TimeFormat::new(self.0.format.as_deref()).filter(TimeFormat::is_of_clock).map_or_else(
            || {
                self.fails(
                    "has a `format` that is not the pattern of a time of day",
                    "write it with hours and minutes, as `%H:%M` or `%I:%M %p`, or drop it for ISO 8601",
                )
            },
            Ok,
        )
    }

    /// The number format of the column.
    fn number_text(&self, field_type: FieldType) -> Result<NumberText, SchemaError> {
        let FieldSpec { decimal_char, group_char, bare_number, format, .. } = self.0;
        let is_number = matches!(field_type, FieldType::Integer | FieldType::Number);
        if !is_number && (decimal_char.is_some() || group_char.is_some() || *bare_number == Some(false)) {
            return self.fails(
                "has `decimalChar`, `groupChar` or `bareNumber: false`, but is neither an integer nor a number",
                "drop them, or change the type",
            );
        }
        // In the standard, the format of a string only restricts its values.
        let has_format =
            matches!(field_type, FieldType::Date | FieldType::Datetime | FieldType::Time | FieldType::String);
        if let Some(format) = format.as_deref().filter(|format| !has_format && *format != "default") {
            return self.fails(
                format!("has `format: {format}`, which does not apply to type `{field_type}`"),
                if is_number {
                    "drop `format`, and write `decimalChar` and `groupChar` for numbers such as 1.234,56"
                } else {
                    "drop `format`"
                },
            );
        }
        NumberText::new(decimal_char.as_deref(), group_char.as_deref(), bare_number.unwrap_or(true)).or_else(
            |problem| self.fails(problem, "write for example `decimalChar: \",\"` and `groupChar: \".\"` for 1.234,56"),
        )
    }

    /// Whether the column counts the classes of texts.
    fn classifies(&self) -> Result<bool, SchemaError> {
        if self.0.dp.grid.is_none() {
            return Ok(false);
        }
        let due = learn::class_grid(&self.0.name);
        let is_grid = (&self.0.field_type, &self.0.constraints) == (&due.field_type, &due.constraints)
            && !self.0.dp.open
            && self.0.dp.fold_into.is_none();
        if is_grid {
            return Ok(true);
        }
        self.fails("has a `grid`, which only `schema learn` makes", "drop `grid`")
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

    /// The texts of true and false: the declared ones, or the defaults of Table Schema.
    pub(crate) fn boolean_values(&self) -> Result<Values, SchemaError> {
        let texts = |given: &Option<Vec<String>>, default: [&str; 4]| {
            let texts: BTreeSet<String> = match given {
                Some(texts) => texts.iter().cloned().collect(),
                None => default.map(String::from).into(),
            };
            self.lookup(texts.into_iter().map(|text| text.into_bytes().into()))
        };
        let false_texts = texts(&self.0.false_values, FALSE_TEXTS)?;
        let true_texts = texts(&self.0.true_values, TRUE_TEXTS)?;
        if true_texts.by_code().into_iter().any(|text| false_texts.get(text).is_some()) {
            return self.fails("has the same text in `trueValues` and `falseValues`", "drop it from one of them");
        }
        Ok(Values::Boolean { false_texts, true_texts })
    }

    /// Refuses properties that the type does not have.
    fn check_terms_of_type(&self, field_type: FieldType) -> Result<(), SchemaError> {
        let terms = &self.0.dp;
        let bins = terms.bins.as_ref();
        let is_amount = matches!(field_type, FieldType::Integer | FieldType::Number);
        let has_units = matches!(field_type, FieldType::Date | FieldType::Datetime | FieldType::Time);
        if terms.time_zone.is_some() && field_type != FieldType::Datetime {
            return self.fails("has a `timeZone` but is not a datetime", "drop `timeZone`");
        }
        if let Some(keep) = terms.keep
            && (field_type != FieldType::Date || self.0.constraints.categories.is_some())
        {
            return self.fails(format!("has `keep: {}` but is not a date with bins", keep.word()), "drop `keep`");
        }
        let Some(bins) = bins else {
            if let Some(keep) = terms.keep {
                return self.fails(
                    format!("has `keep: {}`, but every day has its own code already", keep.word()),
                    "drop `keep`, or add for example `bins: {by: month}`",
                );
            }
            return Ok(());
        };
        if bins.by.is_some() && !has_units {
            return self.fails(
                "has bins `by` calendar unit, but is neither a date nor a datetime",
                "use `count`, `width` or `edges`",
            );
        }
        if bins.by.is_some_and(|unit| unit != CalendarUnit::Hour) && field_type == FieldType::Time {
            return self.fails(
                "is a time of day with bins of a day or more",
                "use `by: hour`, or a `width` in seconds, such as `width: 900`",
            );
        }
        if bins.by == Some(CalendarUnit::Hour) && field_type == FieldType::Date {
            return self.fails("is a date with bins `by: hour`", "use `day`, `week`, `month`, `quarter` or `year`");
        }
        let has_amounts = bins.scale.is_some() || bins.points.is_some() || bins.top_code.is_some();
        if has_amounts && !is_amount {
            return self.fails(
                "has `scale`, `points` or `topCode`, but is neither an integer nor a number",
                "drop them, or change the type",
            );
        }
        if bins.scale.is_some() && bins.count.is_none() {
            return self.fails("has a `scale` but no `count`", "add the number of bins, such as `count: 20`");
        }
        if bins.from.is_some() && bins.scale.is_none() {
            return self.fails("has `from` but no `scale: log`", "drop `from`, or add `scale: log`");
        }
        Ok(())
    }

    /// Refuses an invalid step, and one that leaves a bin without a value.
    fn check_step(&self, field_type: FieldType, values: &Values, declared: u32) -> Result<(), SchemaError> {
        let terms = &self.0.dp;
        if terms.step.is_none() && terms.decimals.is_none() {
            return Ok(());
        }
        let Some(step) = Step::of(terms) else {
            return self.fails(
                "has a `step` that is not positive, too many `decimals`, or both",
                format!("write either `step`, such as `step: 0.5`, or `decimals`, at most {MAX_DECIMALS}"),
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
                    format!("has a `step` or `decimals`, but is a list of values or of type `{field_type}`"),
                    "use `decimals` for numbers, and `step` for numbers or, as a whole number, for integers",
                );
            }
        };
        if !has_values {
            return self
                .fails("has a bin without a multiple of its `step`", "widen the bins, or write a smaller `step`");
        }
        Ok(())
    }

    fn zone(&self) -> Result<Option<Zone>, SchemaError> {
        let Some(name) = self.0.dp.time_zone.as_deref() else { return Ok(None) };
        Zone::new(name).map_or_else(
            || {
                self.fails(
                    format!("has an unknown time zone `{name}`"),
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
            // `check_field` reports this with the total number of codes.
            return Ok(WholeCut::Bins(bins));
        }
        if let Some(keep) = self.0.dp.keep {
            let has_one_part = |bin: u32| {
                let (first, last) = bins.members(bin);
                (first..=last).all(|day| keep.part(day) == keep.part(first))
            };
            // A day has one weekday, and a bin within a month has one month: nothing more to keep.
            if (0..).take(usize::try_from(bins.count()).unwrap_or(usize::MAX)).all(has_one_part) {
                let part = keep.word();
                return self.fails(format!("has `keep: {part}`, but no bin has more than one {part}"), "drop `keep`");
            }
            return Ok(WholeCut::Kept(bins, keep));
        }
        if points.is_empty() && top.is_none() && low == bins.bounds().0 {
            return Ok(WholeCut::Bins(bins));
        }
        let high = bins.bounds().1;
        self.check_points(&points, |point| (low..=high).contains(point))?;
        match WholeAmounts::new(bins, low, points, top) {
            Some(amounts) => Ok(WholeCut::Amounts(amounts)),
            None => self.fails("has only `points` and no other value in its bins", "list the values as an `enum`"),
        }
    }

    /// The least value, and the bins. Logarithmic bins may start above the least value.
    fn whole_bins(&self, line: &WholeLine, spec: &BinsSpec, top: Option<i64>) -> Result<(i64, WholeBins), SchemaError> {
        if let Some(edges) = spec.edges.as_deref() {
            let edges = edges.iter().map(|edge| self.whole(line, edge)).collect::<Result<Vec<_>, _>>()?;
            let [lower @ .., high] = edges.as_slice() else {
                return self.fails("has no edges", "list at least two");
            };
            self.check_edges(&edges, |left, right| left < right)?;
            // If the last edge is the top code, it is not a member of the last bin.
            let high = if top == Some(*high) { high - 1 } else { *high };
            return Ok((edges[0], WholeBins::Edges { lower: lower.into(), high }));
        }
        let (low, high) = match top {
            None if matches!(line, WholeLine::Time(_)) => self.bounds_in_a_day(line)?,
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
                    return self
                        .fails("has `from` outside its bounds", "write a value between `minimum` and `maximum`");
                }
                let values = u128::from(high.abs_diff(first)) + 1;
                if count == 0 || u128::from(count) > values {
                    return self.fails(
                        format!("has {values} values, which cannot be divided into {count} bins"),
                        "write a `count` from 1 up to the number of values",
                    );
                }
                match spec.scale {
                    None => WholeBins::Equal { low, high, count },
                    Some(Scale::Log) => {
                        self.check_log_bins(first > 0, count)?;
                        WholeBins::Edges { lower: whole_log_bins(first, high, count).into(), high }
                    }
                }
            }
            (None, Some(width), _) => {
                // The width of such a bin is in seconds.
                let scale = if line.is_in_micros() { 1e6 } else { 1.0 };
                let width = width * scale;
                // 2^53: beyond it a float no longer holds every whole number.
                if !(1.0..=9_007_199_254_740_992.0).contains(&width) || width.fract() != 0.0 {
                    return self.fails(
                        "has a bin `width` that is not a positive whole number",
                        "write for example `width: 5`",
                    );
                }
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
                let width = width as u64;
                WholeBins::Stepped { low, high, width }
            }
            (None, None, Some(unit)) => {
                let lower = match line {
                    WholeLine::Datetime(_, zone) => unit.instants(zone.as_ref(), low, high),
                    WholeLine::Time(_) => unit.instants(None, low, high),
                    _ => unit.days(low, high),
                };
                let Some(lower) = lower else {
                    return self.fails(
                        format!("has more than {} calendar bins", limits::CATEGORIES),
                        "use a longer unit, such as `by: month`",
                    );
                };
                WholeBins::Edges { lower, high }
            }
            (None, None, None) if matches!(line, WholeLine::Datetime(..)) => {
                return self.fails("has no bins", "add for example `dp: {bins: {width: 3600}}` for hours");
            }
            (None, None, None) if matches!(line, WholeLine::Time(_)) => {
                WholeBins::Stepped { low, high, width: MICROS_PER_HOUR }
            }
            (None, None, None) => WholeBins::Stepped { low, high, width: 1 },
        };
        Ok((low, bins))
    }

    /// The declared points, ascending.
    fn points<T: PartialOrd + Copy>(
        &self,
        spec: &BinsSpec,
        read: impl Fn(&Scalar) -> Result<T, SchemaError>,
    ) -> Result<Vec<T>, SchemaError> {
        let listed = spec.points.iter().flatten();
        let mut points = listed.map(read).collect::<Result<Vec<T>, _>>()?;
        // All are finite, so comparable.
        points.sort_by(|left, right| left.partial_cmp(right).unwrap_or(Ordering::Equal));
        if points.windows(2).any(|pair| pair[0] == pair[1]) {
            return self.fails("lists a value twice in `points`", "drop one of them");
        }
        Ok(points)
    }

    fn check_points<T>(&self, points: &[T], is_within: impl Fn(&T) -> bool) -> Result<(), SchemaError> {
        if points.iter().all(is_within) {
            return Ok(());
        }
        self.fails(
            "has `points` outside its bounds, or not below its `topCode`",
            "widen the bounds, or drop the points outside",
        )
    }

    fn check_log_bins(&self, is_positive: bool, count: u32) -> Result<(), SchemaError> {
        if !is_positive {
            return self.fails(
                "has a logarithmic scale that starts at zero or below",
                "raise `minimum` above 0, or add `points: [0]` and `from`, the first edge above 0",
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
        self.check_points(&points, |&point| {
            (low..=high).contains(&point) && (top.is_none() || real_key(point) != real_key(high))
        })?;
        Ok(Values::Real(RealCut::Amounts(RealAmounts::new(bins, low, &points, top))))
    }

    /// The least value, and the bins. Logarithmic bins may start above the least value.
    fn real_bins(&self, spec: &BinsSpec, top: Option<f64>) -> Result<(f64, RealBins), SchemaError> {
        if let Some(edges) = spec.edges.as_deref() {
            let edges = edges.iter().map(|edge| self.real(edge)).collect::<Result<Vec<_>, _>>()?;
            self.check_edges(&edges, |left, right| left < right)?;
            return Ok((edges[0], RealBins::Edges(Edges::new(&edges))));
        }
        let (low, high) = match top {
            None => self.bounds(|bound| self.real(bound), |low, high| low < high)?,
            Some(top) => self.bounds_below(top, |bound| self.real(bound))?,
        };
        let span = high - low;
        // Bins narrower than a few floats would have nothing to draw from.
        let finest = low.abs().max(high.abs()) * f64::EPSILON * 8.0;
        let too_fine =
            || self.fails("has bins that are too narrow, or an infinite range", "use fewer bins, or narrow the bounds");
        let bins = match (spec.count, spec.width) {
            (Some(count), _) if spec.scale == Some(Scale::Log) => {
                let first = spec.from.as_ref().map_or(Ok(low), |from| self.real(from))?;
                if first < low || first >= high {
                    return self
                        .fails("has `from` outside its bounds", "write a value between `minimum` and `maximum`");
                }
                self.check_log_bins(first > 0.0, count)?;
                let edges = log_edges(first, high, count);
                // The float spacing grows with the numbers, so each bin is compared with its own
                // edge.
                if count == 0 || edges.windows(2).any(|pair| pair[1] - pair[0] < pair[1] * f64::EPSILON * 8.0) {
                    return too_fine();
                }
                return Ok((low, RealBins::Edges(Edges::new(&edges))));
            }
            (Some(count), _) => RealBins::Equal { low, high, count },
            (None, Some(width)) => {
                let count = (span / width).ceil();
                if !(width > 0.0 && (1.0..=f64::from(u32::MAX)).contains(&count)) {
                    return self.fails(
                        "has a bin `width` that does not divide its range",
                        "write a positive width of at least a millionth of the range",
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

    /// The declared bins, checked to use at most one of `count`, `width`, `edges` and `by`.
    fn bins_spec(&self) -> Result<BinsSpec, SchemaError> {
        let spec = self.0.dp.bins.clone().unwrap_or_default();
        let given = [spec.count.is_some(), spec.width.is_some(), spec.edges.is_some(), spec.by.is_some()];
        if given.into_iter().filter(|is_given| *is_given).count() > 1 {
            return self.fails("declares its bins in two ways", "keep one of `count`, `width`, `edges` and `by`");
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
        self.in_order((read(minimum)?, read(maximum)?), in_order)
    }

    /// The declared bounds of a time of day; by default the whole day.
    fn bounds_in_a_day(&self, line: &WholeLine) -> Result<(i64, i64), SchemaError> {
        let read = |bound: &Option<Scalar>, default: i64| {
            bound.as_ref().map_or(Ok(default), |declared| self.whole(line, declared))
        };
        let constraints = &self.0.constraints;
        let bounds = (read(&constraints.minimum, 0)?, read(&constraints.maximum, LAST_MICRO_OF_DAY)?);
        self.in_order(bounds, |low, high| low <= high)
    }

    fn in_order<T: Copy>(&self, (low, high): (T, T), in_order: impl Fn(T, T) -> bool) -> Result<(T, T), SchemaError> {
        if !in_order(low, high) {
            return self.fails("has a `minimum` above its `maximum`, or an empty range", "widen the bounds");
        }
        Ok((low, high))
    }

    /// The minimum and the top code, which replaces the maximum. A declared maximum must not be
    /// below it.
    fn bounds_below<T: Copy + PartialOrd>(
        &self,
        top: T,
        read: impl Fn(&Scalar) -> Result<T, SchemaError>,
    ) -> Result<(T, T), SchemaError> {
        let constraints = &self.0.constraints;
        let Some(minimum) = &constraints.minimum else {
            return self.fails(
                "has no `minimum`",
                "add `constraints: {minimum: ...}` from public knowledge, not from the data",
            );
        };
        let low = read(minimum)?;
        let maximum = constraints.maximum.as_ref().map(&read).transpose()?;
        if low >= top || maximum.is_some_and(|maximum| maximum < top) {
            return self
                .fails("has a `topCode` outside its bounds", "write a value above `minimum` and at most `maximum`");
        }
        Ok((low, top))
    }

    fn check_edges<T>(&self, edges: &[T], ascends: impl Fn(&T, &T) -> bool) -> Result<(), SchemaError> {
        if edges.len() < 2 || !edges.windows(2).all(|pair| ascends(&pair[0], &pair[1])) {
            return self.fails("has `edges` that are not ascending", "list at least two, each above the one before");
        }
        Ok(())
    }

    /// A value of a whole-number, date, datetime or time column, as a number.
    pub(crate) fn whole(&self, line: &WholeLine, value: &Scalar) -> Result<i64, SchemaError> {
        let read = match (line, value) {
            (WholeLine::Integer, Scalar::Integer(value)) => Some(*value),
            // Years are decoded as 32-bit numbers.
            (WholeLine::Year, Scalar::Integer(value)) => i32::try_from(*value).ok().map(i64::from),
            // A bound is in the column's format, or in ISO 8601.
            (WholeLine::Date(format), Scalar::Text(text)) => format.days_or_iso(text),
            (WholeLine::Datetime(format, zone), Scalar::Text(text)) => format.micros_or_iso(text, zone.as_ref()),
            // The end of the day is a bound, and not a time in it.
            (WholeLine::Time(format), Scalar::Text(text)) => {
                format.clock_or_iso(text).map(|micros| micros.min(LAST_MICRO_OF_DAY))
            }
            _ => None,
        };
        let expected = match line {
            WholeLine::Integer => "a whole number",
            WholeLine::Year => "a year such as 2020",
            WholeLine::Date(_) => "a date such as \"2020-12-31\"",
            WholeLine::Datetime(..) => "a datetime such as \"2020-12-31T18:00:00\"",
            WholeLine::Time(_) => "a time of day such as \"18:05\"",
        };
        read.map_or_else(|| self.fails(format!("has `{value}` instead of {expected}"), format!("write {expected}")), Ok)
    }

    /// A value of a real-number column.
    pub(crate) fn real(&self, value: &Scalar) -> Result<f64, SchemaError> {
        match value {
            Scalar::Integer(value) => Ok(*value as f64),
            Scalar::Number(value) if value.is_finite() => Ok(*value),
            _ => self.fails(format!("has `{value}` instead of a finite number"), "write a number"),
        }
    }

    /// The code for missing and unknown values of a required, closed column.
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
