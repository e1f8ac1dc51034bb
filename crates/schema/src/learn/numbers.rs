//! Bounds and bins of numbers, from counts over a public floating grid.

use super::kind::{Kind, LearnedKind};
use super::segments::populated;
use super::{LineCounts, Resolution, SURE};
use crate::file::spec::{BinsSpec, Constraints, FieldSpec, FieldTerms, Scalar, Source};

/// Octaves of the grid: from 2^-20, about a millionth, to 2^53, beyond which floats are not all
/// whole numbers.
const OCTAVES: std::ops::Range<i32> = -20..53;
/// Years that have cells of their own, of sixteen years each. Both ends are edges of all grids.
const YEARS: std::ops::Range<i32> = 1792..2048;
const YEARS_OF_CELL: usize = 16;
/// Times that a value must be as frequent as those beside it, to be a heap.
const TIMES_DENSER: f64 = 3.0;
/// Largest number of steps that a column may have: floats are exact below it, with room for sums.
const EXACT: f64 = 1e15;
/// Maximum number of bins, and that of single values of whole numbers.
const MAX_BINS: f64 = 64.0;
const MAX_VALUES: f64 = 128.0;
/// Maximum number of single values with a code of their own beside bins.
const MAX_HEAPS: usize = 64;
/// Number of bins, or of values, that any column may have.
const FEW_BINS: f64 = 8.0;
const FEW_VALUES: f64 = 24.0;
/// Rows of a bin for each row of noise in the learning of it: a few bins may have fewer rows.
const ROWS_PER_NOISE: f64 = 36.0;
const ROWS_PER_NOISE_OF_FEW: f64 = 8.0;

/// Returns the edges of the grid, which do not depend on any data.
fn edges(resolution: Resolution) -> Vec<f64> {
    let cells: i32 = match resolution {
        Resolution::Coarse => 4,
        Resolution::Fine => 16,
    };
    let octave =
        |octave: i32| (0..cells).map(move |cell| (1.0 + f64::from(cell) / f64::from(cells)) * f64::from(octave).exp2());
    let mut positive: Vec<f64> = OCTAVES.flat_map(octave).collect();
    positive.push(f64::from(OCTAVES.end).exp2());
    // Years are frequent, and a cell of an octave would hold all of them.
    let years = YEARS.step_by(YEARS_OF_CELL).map(f64::from);
    positive.extend(years);
    positive.sort_by(f64::total_cmp);
    positive.dedup();
    positive.iter().rev().map(|edge| -edge).chain(positive.iter().copied()).collect()
}

/// Returns the column that counts numbers over the grid. Zero has a cell of its own, with what is
/// nearer to it than a millionth.
pub(super) fn grid(learned: &LearnedKind, name: &str, resolution: Resolution) -> FieldSpec {
    let bins =
        BinsSpec { edges: Some(edges(resolution).into_iter().map(Scalar::Number).collect()), ..BinsSpec::default() };
    FieldSpec {
        field_type: "number".into(),
        constraints: Constraints::default(),
        dp: FieldTerms { source: Source::Public, bins: Some(bins), ..FieldTerms::default() },
        ..learned.field(name)
    }
}

/// Returns whether values of the column may be heaped: numbers that are too many for a code each.
pub(super) fn may_have_heaps(learned: &LearnedKind, counts: LineCounts<'_>) -> bool {
    match learned.kind {
        Kind::Integer => {
            let noise = counts.cells.noise;
            single_values(&populated_cells(&cells(counts), noise, learned.rows, &[]), noise).is_none()
        }
        _ => true,
    }
}

/// Returns the column as learned from the grid, and from single values that many rows have.
pub(super) fn learned(learned: &LearnedKind, name: &str, counts: LineCounts<'_>, values: &[(&[u8], f64)]) -> FieldSpec {
    let is_whole = learned.kind == Kind::Integer;
    let noise = counts.cells.noise;
    let cells = cells(counts);
    let heaps = dense(heaps(learned, values), &cells, learned);
    let populated = populated_cells(&cells, noise, learned.rows, &heaps);
    let decimals = match learned.kind {
        Kind::Number { decimals } => decimals.filter(|&decimals| are_exact(&populated, decimals)),
        _ => None,
    };
    let points: Vec<f64> = heaps.iter().map(|heap| heap.0).collect();
    let line =
        if is_whole { whole_line(populated, points, noise) } else { real_line(populated, points, decimals, noise) };
    let Line { constraints, bins } = line;
    let field = learned.field(name);
    FieldSpec {
        field_type: if is_whole { "integer" } else { "number" }.into(),
        constraints: Constraints { required: field.constraints.required, ..constraints },
        dp: FieldTerms { bins, decimals, ..field.dp },
        ..field
    }
}

/// Returns whether floats tell all numbers of this number of decimals apart, in these cells.
fn are_exact(cells: &[Cell], decimals: u8) -> bool {
    let largest = cells[0].from.abs().max(cells[cells.len() - 1].to.abs());
    largest * 10_f64.powi(decimals.into()) < EXACT
}

/// Returns the numbers among values with their rows, at most [`MAX_HEAPS`] of them, ascending.
fn heaps(learned: &LearnedKind, values: &[(&[u8], f64)]) -> Vec<(f64, f64)> {
    let format = learned.number_text();
    let number = |bytes: &[u8]| {
        let number: f64 = format.plain(std::str::from_utf8(bytes).ok()?.trim())?.parse().ok()?;
        let is_on_grid = number.abs() < f64::from(OCTAVES.end).exp2();
        (is_on_grid && (learned.kind != Kind::Integer || number.fract() == 0.0)).then_some(number)
    };
    let mut heaps: Vec<(f64, f64)> =
        values.iter().filter_map(|(value, rows)| Some((number(value)? + 0.0, *rows))).collect();
    heaps.sort_by(|left, right| right.1.total_cmp(&left.1));
    heaps.truncate(MAX_HEAPS);
    heaps.sort_by(|left, right| left.0.total_cmp(&right.0));
    // A number may be written in several ways.
    heaps.dedup_by(|second, first| {
        first.0.total_cmp(&second.0).is_eq() && {
            first.1 += second.1;
            true
        }
    });
    heaps
}

/// Returns the values that are much more frequent than those beside them. A frequent value among
/// others that are as frequent needs no code of its own.
fn dense(heaps: Vec<(f64, f64)>, cells: &[Cell], learned: &LearnedKind) -> Vec<(f64, f64)> {
    let step = match learned.kind {
        Kind::Integer => 1.0,
        Kind::Number { decimals: Some(decimals) } => 10_f64.powi(-i32::from(decimals)),
        _ => return heaps,
    };
    let is_dense = |&(number, rows): &(f64, f64)| {
        let place = place(cells, number);
        let beside = [place.checked_sub(1), Some(place + 1)].into_iter().flatten().filter_map(|place| cells.get(place));
        let (count, width) = beside.fold((0.0, 0.0), |(count, width), cell| (count + cell.count, width + cell.width()));
        rows > TIMES_DENSER * count.max(0.0) * step / width.max(step)
    };
    heaps.into_iter().filter(is_dense).collect()
}

/// Returns the place of the cell that holds a number.
fn place(cells: &[Cell], number: f64) -> usize {
    cells.partition_point(|cell| cell.to <= number).min(cells.len() - 1)
}

/// Returns the cells of the grid with their counts.
fn cells(counts: LineCounts<'_>) -> Vec<Cell> {
    let edges = edges(counts.resolution);
    edges.windows(2).zip(counts.cells.counts).map(|(edge, &count)| Cell { from: edge[0], to: edge[1], count }).collect()
}

/// A cell of the grid, with its noisy count.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    from: f64,
    to: f64,
    count: f64,
}

impl Cell {
    fn width(&self) -> f64 {
        self.to - self.from
    }

    fn is_zero(&self) -> bool {
        self.from < 0.0 && self.to > 0.0
    }
}

/// Bounds and bins of a column.
struct Line {
    constraints: Constraints,
    bins: Option<BinsSpec>,
}

impl Line {
    fn of(edges: impl Iterator<Item = Scalar>, points: impl Iterator<Item = Scalar>) -> Self {
        let points: Vec<Scalar> = points.collect();
        let points = (!points.is_empty()).then_some(points);
        let bins = BinsSpec { edges: Some(edges.collect()), points, ..BinsSpec::default() };
        Self { constraints: Constraints::default(), bins: Some(bins) }
    }
}

/// Returns the cells that rows are in, with smooth counts, of which the rows of heaps are no part.
/// Some cell if there is none.
fn populated_cells(cells: &[Cell], noise: f64, rows: Option<f64>, heaps: &[(f64, f64)]) -> Vec<Cell> {
    let counts: Vec<f64> = cells.iter().map(|cell| cell.count).collect();
    let place = |number: f64| place(cells, number);
    let of_heaps = heaps.first().zip(heaps.last()).map(|(first, last)| place(first.0)..place(last.0) + 1);
    let (mut smooth, mut range) = (vec![0.0; cells.len()], of_heaps.clone());
    if let Some((rows_in, means)) = populated(&counts, noise, rows) {
        smooth[rows_in.clone()].copy_from_slice(&means);
        range =
            Some(of_heaps.map_or(rows_in.clone(), |heaps| rows_in.start.min(heaps.start)..rows_in.end.max(heaps.end)));
    }
    for (number, rows) in heaps {
        let count = &mut smooth[place(*number)];
        *count = (*count - rows).max(0.0);
    }
    match range {
        Some(range) => {
            cells[range.clone()].iter().zip(&smooth[range]).map(|(cell, &count)| Cell { count, ..*cell }).collect()
        }
        None => vec![Cell { from: 0.0, to: 1.0, count: 1.0 }],
    }
}

/// Number of codes that the rows of cells allow, between `few` and `most`. Each should carry many
/// times its noise, but few codes blur more than noise does.
fn code_count(cells: &[Cell], noise: f64, few: f64, most: f64) -> f64 {
    let rows: f64 = cells.iter().map(|cell| cell.count).sum();
    let some = (rows / (ROWS_PER_NOISE_OF_FEW * noise)).clamp(few, few.max(FEW_VALUES));
    (rows / (ROWS_PER_NOISE * noise)).clamp(some, most)
}

/// Returns the bounds of whole numbers that are few enough for a code each.
fn single_values(cells: &[Cell], noise: f64) -> Option<(f64, f64)> {
    let (low, high) = whole_bounds(cells);
    (high - low < code_count(cells, noise, FEW_VALUES, MAX_VALUES)).then_some((low, high))
}

/// Returns edges between which about equally many rows are. Rows are taken as evenly spread within
/// a cell.
fn even_edges(cells: &[Cell], bins: f64) -> Vec<f64> {
    let all: f64 = cells.iter().map(|cell| cell.count).sum();
    if all <= 0.0 {
        return vec![cells[0].from, cells[cells.len() - 1].to];
    }
    let share = all / bins;
    let mut edges = vec![cells[0].from];
    let mut held = 0.0;
    for cell in cells {
        let mut from = cell.from;
        let mut left = cell.count;
        while held + left >= share {
            let taken = share - held;
            from += (cell.to - from) * taken / left;
            edges.push(from);
            (held, left) = (0.0, left - taken);
        }
        held += left;
    }
    let end = cells[cells.len() - 1].to;
    edges.retain(|edge| *edge < end);
    edges.push(end);
    edges
}

/// Returns the least and the greatest whole number of cells. A cell that ends at a whole number
/// does not hold it.
fn whole_bounds(cells: &[Cell]) -> (f64, f64) {
    let low = cells[0].from.ceil();
    (low, (cells[cells.len() - 1].to.ceil() - 1.0).max(low))
}

fn whole_line(mut cells: Vec<Cell>, mut points: Vec<f64>, noise: f64) -> Line {
    let (low, high) = whole_bounds(&cells);
    // Beside points there must be bins with other values.
    let few = FEW_VALUES.max(2.0 * points.len() as f64);
    if (points.is_empty() && single_values(&cells, noise).is_some()) || high - low < few {
        let constraints =
            Constraints { minimum: Some(whole(low)), maximum: Some(whole(high)), ..Constraints::default() };
        return Line { constraints, bins: None };
    }
    add_heap_at_zero(&mut points, &mut cells, noise);
    let bins = code_count(&cells, noise, FEW_BINS, MAX_BINS);
    let mut edges: Vec<f64> = even_edges(&cells, bins).into_iter().map(f64::ceil).collect();
    // The last bin includes its upper edge.
    edges.retain(|edge| *edge < high);
    edges.push(high);
    edges.dedup();
    Line::of(edges.into_iter().map(whole), points.into_iter().map(whole))
}

fn real_line(mut cells: Vec<Cell>, mut points: Vec<f64>, decimals: Option<u8>, noise: f64) -> Line {
    add_heap_at_zero(&mut points, &mut cells, noise);
    if cells.len() == 1 && cells[0].is_zero() {
        // Nothing but zeros stands out.
        cells = vec![Cell { from: 0.0, to: 1.0, count: 0.0 }];
        points = vec![0.0];
    }
    let edges = even_edges(&cells, code_count(&cells, noise, FEW_BINS, MAX_BINS));
    let mut edges: Vec<f64> = edges.into_iter().map(|edge| rounded(edge, decimals)).collect();
    // A number with more decimals than the column is written with fewer.
    for point in &mut points {
        *point = with_decimals(*point, decimals);
    }
    points.dedup();
    // Rounding may have moved an end across a point.
    if let (Some(first), Some(last)) = (points.first(), points.last()) {
        edges[0] = edges[0].min(*first);
        let end = edges.len() - 1;
        edges[end] = edges[end].max(*last);
    }
    edges.dedup();
    if edges.len() < 2 {
        edges = vec![edges[0], edges[0] + 1.0];
    }
    Line::of(edges.into_iter().map(Scalar::Number), points.into_iter().map(Scalar::Number))
}

/// Adds zero to the points, if it is much more frequent than its neighbours, and takes its rows out
/// of the cells: it gets a code of its own, beside the bins.
fn add_heap_at_zero(points: &mut Vec<f64>, cells: &mut [Cell], noise: f64) {
    let Some(zero) = cells.iter().position(Cell::is_zero) else { return };
    let beside = [zero.checked_sub(1), Some(zero + 1)].into_iter().flatten().filter_map(|place| cells.get(place));
    let beside = beside.map(|cell| cell.count).fold(0.0, f64::max);
    let others: f64 = cells.iter().map(|cell| cell.count).sum::<f64>() - cells[zero].count;
    if cells[zero].count > 2.0 * beside + SURE * noise && others > 0.0 && !points.contains(&0.0) {
        cells[zero].count = 0.0;
        points.insert(points.partition_point(|point| *point < 0.0), 0.0);
    }
}

/// A whole number of the grid, which is below 2^53.
#[expect(clippy::cast_possible_truncation, reason = "the grid ends at 2^53")]
fn whole(number: f64) -> Scalar {
    Scalar::Integer(number as i64)
}

/// Rounds an edge to four significant digits, so that people can read it, and to the decimals of
/// the column.
fn rounded(edge: f64, decimals: Option<u8>) -> f64 {
    with_decimals(format!("{edge:.3e}").parse().unwrap_or(edge), decimals)
}

/// Rounds a number to the decimals of its column. There is no negative zero.
fn with_decimals(number: f64, decimals: Option<u8>) -> f64 {
    let Some(decimals) = decimals else { return number + 0.0 };
    format!("{number:.*}", usize::from(decimals)).parse().unwrap_or(number) + 0.0
}

#[cfg(test)]
mod tests {
    use super::super::{GridCounts, Notation};
    use super::*;
    use crate::Schema;
    use crate::file::spec::SchemaSpec;

    const POINT: Notation = Notation { has_decimal_comma: false, group: None, is_marked: false };
    const INTEGER: LearnedKind =
        LearnedKind { kind: Kind::Integer, notation: POINT, is_required: true, missing: Vec::new(), rows: None };
    const NUMBER: LearnedKind = LearnedKind {
        kind: Kind::Number { decimals: Some(2) },
        notation: POINT,
        is_required: true,
        missing: Vec::new(),
        rows: None,
    };

    fn fine(counts: &[f64], noise: f64) -> LineCounts<'_> {
        LineCounts { cells: GridCounts { counts, noise }, resolution: Resolution::Fine }
    }

    /// A schema with this one column.
    fn schema(field: FieldSpec) -> Schema {
        Schema::new(SchemaSpec { fields: vec![field], ..SchemaSpec::default() }).unwrap()
    }

    /// The column learned from these numbers, each with a number of rows, and some noise.
    fn of(learned: &LearnedKind, numbers: impl IntoIterator<Item = (f64, f64)>, noise: f64) -> Schema {
        let grid = schema(grid(learned, "x", Resolution::Fine));
        let mut counts: Vec<f64> = (0..grid.domain().sizes()[0])
            .map(|cell| noise * (f64::from(cell.wrapping_mul(2_654_435_761) >> 8) / f64::from(1_u32 << 24) - 0.5) * 3.4)
            .collect();
        for (number, rows) in numbers {
            counts[grid.attributes()[0].encoder().float(number) as usize] += rows;
        }
        schema(super::learned(learned, "x", fine(&counts, noise), &[]))
    }

    #[test]
    fn the_grid_is_a_column_of_the_schema() {
        // 73 octaves, and 12 more cells for years.
        const ALL: u32 = 73 * 16 + 12;
        let grid = schema(grid(&INTEGER, "x", Resolution::Fine));
        assert_eq!(grid.domain().sizes()[0], 2 * ALL + 2, "both sides, zero, missing");
        let code = |text: &str| grid.attributes()[0].encoder().text(text.as_bytes());
        assert_eq!(code("0"), ALL);
        assert!(code("-1") < code("0") && code("0") < code("0.01") && code("17") < code("18"));
        assert_eq!(code("1e300"), 2 * ALL, "above all");
        assert_eq!(code("x"), 2 * ALL + 1);
    }

    #[test]
    fn ages_keep_every_year_if_rows_are_many() {
        let ages = |times: f64| (17..=90).map(move |age| (f64::from(age), times * (600.0 - 6.0 * f64::from(age - 17))));
        let many = of(&INTEGER, ages(5.0), 30.0);
        let (low, high) = many.attributes()[0].encoder().whole_span().unwrap();
        assert!((16..=18).contains(&low) && (84..=96).contains(&high), "{low} {high}");
        assert_eq!(i64::from(many.domain().sizes()[0]), high - low + 1);
        let few = of(&INTEGER, ages(1.0), 30.0);
        assert!((20..=40).contains(&few.domain().sizes()[0]), "{:?}", few.domain().sizes());
    }

    #[test]
    fn years_are_bounded_by_the_cells_that_hold_them() {
        let years = of(&INTEGER, (1950..=2020).map(|year| (f64::from(year), 2_500.0)), 30.0);
        let (low, high) = years.attributes()[0].encoder().whole_span().unwrap();
        assert_eq!((low, high), (1936, 2031));
        assert_eq!(years.domain().sizes()[0], 96, "every year");
    }

    #[test]
    fn amounts_have_narrow_bins_where_rows_are_and_zero_apart() {
        let gains = (0..8_000).map(|row| (100.0 * 1.0009_f64.powi(row), 1.0)).chain([(0.0, 40_000.0)]);
        let gains = of(&NUMBER, gains, 20.0);
        let column = &gains.attributes()[0];
        let zero = column.encoder().text(b"0");
        assert!(column.bin(zero).is_none(), "a code of its own");
        let widths: Vec<f64> =
            [150.0, 20_000.0].map(|value| column.bin_width(column.encoder().float(value)).unwrap()).into();
        assert!(widths[0] < 100.0 && widths[1] > 500.0, "{widths:?}");
    }

    #[test]
    fn an_even_spread_is_divided_evenly() {
        let heights = (0..20_000).map(|row| (150.0 + f64::from(row) / 400.0, 1.0));
        let heights = of(&NUMBER, heights, 20.0);
        let bins = heights.domain().sizes()[0];
        assert!((20..=40).contains(&bins), "{bins}");
        let width = heights.attributes()[0].bin_width(bins / 2).unwrap();
        assert!((0.5..3.0).contains(&width), "{width}");
    }

    #[test]
    fn a_coarse_grid_finds_few_rows() {
        let grid = schema(grid(&INTEGER, "x", Resolution::Coarse));
        assert_eq!(grid.domain().sizes()[0], 2 * (73 * 4 + 15) + 2);
        let wiggle = |cell: usize| ((cell * 7_919 % 1_000) as f64 / 500.0 - 1.0) * 90.0;
        let mut counts: Vec<f64> = (0..grid.domain().sizes()[0] as usize).map(wiggle).collect();
        for age in 18..70 {
            counts[grid.attributes()[0].encoder().float(f64::from(age)) as usize] += 25.0;
        }
        let counts = LineCounts { cells: GridCounts { counts: &counts, noise: 55.0 }, resolution: Resolution::Coarse };
        let ages = schema(super::learned(&INTEGER, "x", counts, &[]));
        let (low, high) = ages.attributes()[0].encoder().whole_span().unwrap();
        assert!((4..=32).contains(&low) && (55..=112).contains(&high), "{low} {high}");
    }

    #[test]
    fn nothing_but_zeros_is_zero() {
        let zeros = of(&NUMBER, [(0.0, 9_000.0)], 20.0);
        let column = &zeros.attributes()[0];
        assert_eq!((column.size(), column.label(0).as_str()), (2, "0"), "zero, and a bin for the rest");
    }

    #[test]
    fn heaped_values_have_codes_of_their_own() {
        let grid = schema(grid(&INTEGER, "x", Resolution::Fine));
        let mut counts = vec![0.0; grid.domain().sizes()[0] as usize];
        let heaps: [(&[u8], f64); 4] = [(b"98115", 900.0), (b"98103", 800.0), (b"99999", 700.0), (b"seattle", 700.0)];
        for (value, rows) in &heaps[..3] {
            counts[grid.attributes()[0].encoder().text(value) as usize] += rows;
        }
        let counts = fine(&counts, 20.0);
        assert!(may_have_heaps(&INTEGER, counts));
        let codes = schema(super::learned(&INTEGER, "x", counts, &heaps));
        let column = &codes.attributes()[0];
        for value in ["98115", "98103", "99999"] {
            assert_eq!(column.label(column.encoder().text(value.as_bytes())), value);
        }
        // Prices, of which some are the same to the cent, written in several ways.
        let prices = super::learned(&NUMBER, "x", counts, &[(b"7.50", 900.0), (b"7.5", 300.0), (b"-3", 200.0)]);
        let points = prices.dp.bins.clone().unwrap().points.unwrap();
        assert_eq!(points, [Scalar::Number(-3.0), Scalar::Number(7.5)]);
        schema(prices);
    }

    #[test]
    fn noise_alone_gives_some_column() {
        for learned in [&INTEGER, &NUMBER] {
            let nothing = of(learned, [], 30.0);
            assert!(nothing.domain().sizes()[0] <= 128);
        }
    }
}
