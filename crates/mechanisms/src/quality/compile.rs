//! From figures to the questions of a vault, and back.

use std::collections::BTreeMap;

use scumble_pgm::parallel;
use scumble_schema::{Attribute, AttributeId, Clique, CodeColumn, Domain, Schema, cells, drawn_sets};
use scumble_vault::score::{ComparedFigure, Comparison, ReleasedTable, WeightedCount};
use serde::{Deserialize, Serialize};

use super::figure::{Figure, Group, Tables, refused, unknown_column};
use super::learner::{Goal, Rows, Tree};
use crate::error::MechanismError;
use crate::mechanism::option::meant;
use crate::mechanism::workload::Workload;

/// Number of tables of an order, as in published comparisons.
const TABLES_PER_ORDER: usize = 300;
/// Maximum number of cells of one table: larger ones are left out of means and maxima.
const MAX_TABLE_CELLS: u128 = 1 << 20;
/// Maximum number of cells of all tables of a figure together.
const MAX_FIGURE_CELLS: u128 = 1 << 22;
/// Number of released rows that trees learn from.
const ROWS_TO_LEARN: usize = 1 << 17;

/// How a figure follows from the number that a vault releases: `factor * number + offset`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reading {
    pub(crate) figure: Figure,
    pub(crate) factor: f64,
    pub(crate) offset: f64,
    /// Number of tables that it is about.
    pub(crate) tables: u32,
}

/// Figures whose columns and groups were found in a schema.
#[derive(Debug)]
pub(crate) struct Figures<'a> {
    schema: &'a Schema,
    figures: Vec<(Figure, Resolved)>,
}

/// What a figure is about.
#[derive(Debug)]
enum Resolved {
    Errors { sets: Vec<Clique>, largest: bool, within: Option<(AttributeId, u32)> },
    Mean { column: AttributeId, within: Option<(AttributeId, u32)> },
    Predicted { column: AttributeId, as_number: bool },
    Rule { clique: Clique },
}

impl<'a> Figures<'a> {
    /// Finds the columns and groups of figures in a schema.
    ///
    /// # Errors
    /// If a figure names an unknown column or value, or no table of it is small enough.
    pub(crate) fn new(schema: &'a Schema, figures: &[Figure]) -> Result<Self, MechanismError> {
        let mut found: Vec<(Figure, Resolved)> = Vec::new();
        for figure in figures {
            figure.check()?;
            if matches!(figure, Figure::Rules { .. }) && schema.rules().is_empty() {
                return Err(refused(figure, "the schema has no rules"));
            }
        }
        for figure in figures.iter().flat_map(|figure| figure.expanded(schema)) {
            // A figure that several criteria are about is measured once.
            if found.iter().all(|(other, _)| *other != figure) {
                let resolved = resolve(schema, &figure)?;
                found.push((figure, resolved));
            }
        }
        Ok(Self { schema, figures: found })
    }

    /// Returns the usual figures of a schema, without those that cannot be measured because all
    /// their tables are too large.
    ///
    /// # Errors
    /// If the workload names an unknown column.
    pub(crate) fn usual(schema: &'a Schema, workload: &Workload) -> Result<Self, MechanismError> {
        let figures = Figure::defaults(schema, workload)?;
        let measurable: Vec<Figure> = figures.into_iter().filter(|figure| resolves(schema, figure)).collect();
        Self::new(schema, &measurable)
    }

    /// Number of figures.
    pub(crate) fn len(&self) -> usize {
        self.figures.len()
    }

    /// Reads released rows, and turns the figures into questions to a vault. `rows` is the released
    /// number of real rows.
    pub(crate) fn compile(
        &self,
        released: impl Iterator<Item = Vec<CodeColumn>>,
        rows: f64,
    ) -> Result<(Comparison, Vec<Reading>), MechanismError> {
        let domain = self.schema.domain();
        let cliques: Vec<Clique> = self.figures.iter().flat_map(|(_, resolved)| resolved.cliques()).collect();
        let learns = self.figures.iter().any(|(_, resolved)| matches!(resolved, Resolved::Predicted { .. }));
        let counted = Counted::new(domain, cliques, released, if learns { ROWS_TO_LEARN } else { 0 });
        let scale = rows / counted.rows.max(1.0);
        let mut compiler = Compiler { schema: self.schema, counted, rows, scale, comparison: Comparison::new() };
        let mut readings = Vec::with_capacity(self.figures.len());
        for (figure, resolved) in &self.figures {
            readings.push(compiler.add(figure, resolved)?);
        }
        Ok((compiler.comparison, readings))
    }
}

/// Returns whether a figure can be measured.
pub(super) fn resolves(schema: &Schema, figure: &Figure) -> bool {
    let expanded = figure.expanded(schema);
    !expanded.is_empty() && expanded.iter().all(|figure| resolve(schema, figure).is_ok())
}

fn resolve(schema: &Schema, figure: &Figure) -> Result<Resolved, MechanismError> {
    let find =
        |name: &String| schema.find(name).ok_or_else(|| refused(figure, unknown_column(name, column_names(schema))));
    let table = |names: &Vec<String>| {
        Ok::<_, MechanismError>(Clique::new(names.iter().map(find).collect::<Result<Vec<_>, _>>()?))
    };
    let group = |within: &Option<Group>| within.as_ref().map(|group| code_of(schema, figure, group)).transpose();
    Ok(match figure {
        Figure::Tables { of, largest, within } => {
            let within = group(within)?;
            let (sets, is_one) = match of {
                Tables::Order(order) => (drawn_sets(schema.domain().len(), *order as usize, TABLES_PER_ORDER), false),
                Tables::Columns(names) => (vec![table(names)?], true),
                Tables::Named(tables) => (tables.iter().map(table).collect::<Result<_, _>>()?, false),
            };
            let and_group =
                |set: Clique| Clique::new(set.attributes().iter().copied().chain(within.map(|(column, _)| column)));
            let mut cells = 0;
            let mut fits = |set: &Clique| {
                let of_set = schema.domain().cells(set);
                let fits = of_set <= MAX_TABLE_CELLS && cells + of_set <= MAX_FIGURE_CELLS;
                cells += if fits { of_set } else { 0 };
                fits
            };
            let sets: Vec<Clique> = sets.into_iter().map(and_group).filter(|set| fits(set)).collect();
            if sets.is_empty() {
                let what = if is_one { "its table has" } else { "all its tables have" };
                return Err(refused(
                    figure,
                    format_args!("{what} more than {MAX_TABLE_CELLS} cells, or there is none"),
                ));
            }
            Resolved::Errors { sets, largest: *largest, within }
        }
        Figure::Mean { column, within } => {
            let column = find(column)?;
            numbers(schema, figure, column)?;
            Resolved::Mean { column, within: group(within)? }
        }
        Figure::Accuracy { column } => Resolved::Predicted { column: find(column)?, as_number: false },
        Figure::Regression { column } => {
            let column = find(column)?;
            numbers(schema, figure, column)?;
            Resolved::Predicted { column, as_number: true }
        }
        Figure::Rules { columns } => {
            let clique = table(columns)?;
            if schema.rules().iter().all(|rule| rule.clique() != &clique) {
                return Err(refused(figure, "the schema has no rule about exactly these columns"));
            }
            Resolved::Rule { clique }
        }
    })
}

fn column_names(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.attributes().iter().map(Attribute::name)
}

fn code_of(schema: &Schema, figure: &Figure, group: &Group) -> Result<(AttributeId, u32), MechanismError> {
    let Group { column: name, value } = group;
    let column = schema.find(name).ok_or_else(|| refused(figure, unknown_column(name, column_names(schema))))?;
    let attribute = schema.attribute(column);
    let code = (0..attribute.size()).find(|&code| attribute.label(code) == *value);
    let code = code.ok_or_else(|| {
        let labels: Vec<String> = (0..attribute.size()).map(|code| attribute.label(code)).collect();
        let meant = meant(value, labels.iter().map(String::as_str));
        refused(figure, format_args!("`{name}` has no value or bin `{value}`{meant}"))
    })?;
    Ok((column, code))
}

/// Returns the numbers that the codes of a column stand for.
fn numbers(schema: &Schema, figure: &Figure, column: AttributeId) -> Result<Vec<Option<f64>>, MechanismError> {
    let attribute = schema.attribute(column);
    let numbers: Vec<Option<f64>> = (0..attribute.size()).map(|code| attribute.number(code)).collect();
    if numbers.iter().all(Option::is_none) {
        return Err(refused(figure, format_args!("`{}` has no numbers", attribute.name())));
    }
    Ok(numbers)
}

impl Resolved {
    /// Returns the tables of released rows that it needs.
    fn cliques(&self) -> Vec<Clique> {
        match self {
            Self::Errors { sets, .. } => sets.clone(),
            Self::Mean { column, within } => vec![with_group(*column, *within)],
            Self::Predicted { .. } | Self::Rule { .. } => Vec::new(),
        }
    }
}

fn with_group(column: AttributeId, within: Option<(AttributeId, u32)>) -> Clique {
    Clique::new([column].into_iter().chain(within.map(|(group, _)| group)))
}

/// Tables of released rows, and some of the rows.
struct Counted {
    tables: BTreeMap<Clique, Vec<u32>>,
    some_rows: Vec<CodeColumn>,
    rows: f64,
}

impl Counted {
    /// Counts rows in one pass, and keeps the first `kept` of them.
    fn new(
        domain: &Domain,
        mut cliques: Vec<Clique>,
        released: impl Iterator<Item = Vec<CodeColumn>>,
        kept: usize,
    ) -> Self {
        cliques.sort_unstable();
        cliques.dedup();
        let length = |clique: &Clique| clique.attributes().iter().map(|&column| domain.size(column) as usize).product();
        let mut tables: Vec<(Clique, Vec<u32>)> =
            cliques.into_iter().map(|clique| (clique.clone(), vec![0; length(&clique)])).collect();
        let mut some_rows: Vec<CodeColumn> =
            domain.sizes().iter().map(|&size| CodeColumn::with_capacity(size, 0)).collect();
        let mut rows = 0.0;
        for chunk in released {
            let chunk_rows = chunk.first().map_or(0, CodeColumn::len);
            parallel::map(&mut tables, |(clique, counts)| {
                let strides = cells::strides(domain, clique);
                let mut cell = vec![0_usize; chunk_rows];
                for (column, stride) in clique.attributes().iter().zip(&strides) {
                    let codes = chunk[column.index()].iter();
                    cell.iter_mut().zip(codes).for_each(|(cell, code)| *cell += code as usize * stride);
                }
                for cell in cell {
                    counts[cell] = counts[cell].saturating_add(1);
                }
            });
            let missing = kept.saturating_sub(some_rows.first().map_or(0, CodeColumn::len)).min(chunk_rows);
            if missing > 0 {
                let places: Vec<usize> = (0..missing).collect();
                some_rows.iter_mut().zip(&chunk).for_each(|(kept, column)| kept.append(&column.pick(&places)));
            }
            rows += chunk_rows as f64;
        }
        Self { tables: tables.into_iter().collect(), some_rows, rows }
    }
}

struct Compiler<'a> {
    schema: &'a Schema,
    counted: Counted,
    /// Released number of real rows.
    rows: f64,
    /// Real rows for each released one.
    scale: f64,
    comparison: Comparison,
}

impl Compiler<'_> {
    fn add(&mut self, figure: &Figure, resolved: &Resolved) -> Result<Reading, MechanismError> {
        let (factor, offset, tables) = match resolved {
            Resolved::Errors { sets, largest, within } => self.add_errors(sets, *largest, *within)?,
            Resolved::Mean { column, within } => self.add_mean(figure, *column, *within)?,
            Resolved::Predicted { column, as_number } => self.add_predicted(figure, *column, *as_number)?,
            Resolved::Rule { clique } => self.add_rule(clique)?,
        };
        let tables = u32::try_from(tables).unwrap_or(u32::MAX);
        Ok(Reading { figure: figure.clone(), factor, offset, tables })
    }

    fn domain(&self) -> &Domain {
        self.schema.domain()
    }

    fn add_errors(
        &mut self,
        sets: &[Clique],
        largest: bool,
        within: Option<(AttributeId, u32)>,
    ) -> Result<(f64, f64, usize), MechanismError> {
        let mut places = Vec::with_capacity(sets.len());
        let mut share = 1.0;
        for set in sets {
            let counts = &self.counted.tables[set];
            let expected: Vec<f64> = counts.iter().map(|&count| f64::from(count) * self.scale).collect();
            let mut table = ReleasedTable::new(set.clone(), &expected)?;
            if let Some((column, code)) = within {
                share = self.share_within(set, column, code);
                table = table.within(column, code);
            }
            places.push(self.comparison.add_table(table));
        }
        let tables = places.len();
        let figure = if largest { ComparedFigure::LargestError(places) } else { ComparedFigure::MeanError(places) };
        self.comparison.add_figure(figure);
        Ok((1.0 / (self.rows * share).max(1.0), 0.0, tables))
    }

    /// Share of the released rows that have this code.
    fn share_within(&self, set: &Clique, column: AttributeId, code: u32) -> f64 {
        let (domain, counts) = (self.domain(), &self.counted.tables[set]);
        let place = set.attributes().iter().position(|&attribute| attribute == column).expect("in the table");
        let (stride, size) = (cells::strides(domain, set)[place], domain.size(column) as usize);
        let inside = counts.iter().enumerate().filter(|(cell, _)| cell / stride % size == code as usize);
        inside.map(|(_, &count)| f64::from(count)).sum::<f64>() / self.counted.rows.max(1.0)
    }

    /// The sum over the real rows of a group of how far they are from the mean of the released
    /// ones, which is zero if the means agree.
    fn add_mean(
        &mut self,
        figure: &Figure,
        column: AttributeId,
        within: Option<(AttributeId, u32)>,
    ) -> Result<(f64, f64, usize), MechanismError> {
        let numbers = numbers(self.schema, figure, column)?;
        let clique = with_group(column, within);
        let (domain, counts) = (self.schema.domain(), &self.counted.tables[&clique]);
        let strides = cells::strides(domain, &clique);
        let code_in = |cell: usize, of: AttributeId| {
            let place = clique.attributes().iter().position(|&attribute| attribute == of).expect("in the table");
            cell / strides[place] % domain.size(of) as usize
        };
        let value = |cell: usize| {
            let is_inside = within.is_none_or(|(group, code)| code_in(cell, group) == code as usize);
            numbers[code_in(cell, column)].filter(|_| is_inside)
        };
        let values: Vec<Option<f64>> = (0..counts.len()).map(value).collect();
        let (mut sum, mut inside) = (0.0, 0.0);
        for (value, &count) in values.iter().zip(counts) {
            if let Some(value) = value {
                sum += value * f64::from(count);
                inside += f64::from(count);
            }
        }
        let mean = if inside > 0.0 { sum / inside } else { 0.0 };
        let reach = values.iter().flatten().map(|value| (value - mean).abs()).fold(f64::MIN_POSITIVE, f64::max);
        let weights: Vec<f64> =
            values.iter().map(|value| value.map_or(0.0, |value| (value - mean) / (2.0 * reach))).collect();
        let count = WeightedCount::new(None, clique, &weights)?;
        // Weights are rounded, so the released rows do not add up to zero exactly.
        let cells = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let released: f64 = cells.map(|(cell, &rows)| f64::from(rows) * count.weight(cell)).sum();
        let count = self.comparison.add_count(count);
        self.comparison.add_figure(ComparedFigure::Count(count));
        // Synthetic minus real.
        let factor = -2.0 * reach / (inside * self.scale).max(1.0);
        Ok((factor, -factor * released * self.scale, 1))
    }

    fn add_predicted(
        &mut self,
        figure: &Figure,
        column: AttributeId,
        as_number: bool,
    ) -> Result<(f64, f64, usize), MechanismError> {
        let numbers = if as_number { numbers(self.schema, figure, column)? } else { Vec::new() };
        let goal = if as_number { Goal::Number(&numbers) } else { Goal::Code };
        let rows = Rows { domain: self.schema.domain(), columns: &self.counted.some_rows };
        let tree = Tree::learn(&rows, column, goal);
        let table = tree.table(self.schema.domain()).map_err(|error| refused(figure, error))?;
        // Losses from zero to their reach become weights from -1/2 to 1/2.
        let losses: Vec<f64> = table
            .predicted
            .iter()
            .map(|&(predicted, code)| {
                if as_number {
                    numbers[code as usize].map_or(0.0, |number| (number - predicted).abs())
                } else {
                    // Codes are whole numbers.
                    f64::from((predicted - f64::from(code)).abs() < 0.5)
                }
            })
            .collect();
        let reach = losses.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let weights: Vec<f64> = losses.iter().map(|loss| loss / reach - 0.5).collect();
        let count = WeightedCount::new(Some(table.recoding), table.clique, &weights)?;
        let count = self.comparison.add_count(count);
        self.comparison.add_figure(ComparedFigure::Count(count));
        Ok((reach / self.rows.max(1.0), reach / 2.0, 1))
    }

    fn add_rule(&mut self, clique: &Clique) -> Result<(f64, f64, usize), MechanismError> {
        let rules: Vec<_> = self.schema.rules().iter().filter(|rule| rule.clique() == clique).collect();
        let cells = rules.first().map_or(0, |rule| rule.possible().len());
        let is_broken = |cell: usize| rules.iter().any(|rule| !rule.possible()[cell]);
        let weights: Vec<f64> = (0..cells).map(|cell| if is_broken(cell) { 0.5 } else { -0.5 }).collect();
        let count = self.comparison.add_count(WeightedCount::new(None, clique.clone(), &weights)?);
        self.comparison.add_figure(ComparedFigure::Count(count));
        Ok((1.0 / self.rows.max(1.0), 0.5, 1))
    }
}
