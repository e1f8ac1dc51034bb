//! Summary of a model.

use std::fmt;

use scumble_mechanisms::marginals::Statement;
use scumble_mechanisms::quality::Checked;
use scumble_mechanisms::{Basis, Distribution, Method, Model, Origin, TableBound, TableFacts};
use scumble_pgm::network::Pair;
use scumble_schema::{Assumption, Attribute, Clique};
use scumble_vault::Certificate;
use serde::Serialize;

use crate::dead_column::{DeadColumn, dead_columns};
use crate::explained::odds_in_lines;
use crate::guarantee::guarantee;
use crate::learned::LearnedColumns;
use crate::odds::Odds;
use crate::words::{grouped, wrapped};

/// Maximum number of codes of a column in the summary.
const MAX_LISTED_SHARES: usize = 5;
/// Maximum number of codes of a column in the text.
const MAX_SHOWN_SHARES: usize = 3;
/// Name of the method for external tables.
const FROM_MARGINALS: &str = "from-marginals";

/// Number of the best bounds in the text, and of the worst.
const SHOWN_BOUNDS: usize = 3;
/// Maximum number of measured tables in the text. A model of many columns has hundreds.
const MAX_SHOWN_TABLES: usize = 40;
/// Width of lines of running text, and their indent.
const WIDTH: usize = 110;
const INDENT: usize = 11;

/// Summary of a model, as text through [`Display`](std::fmt::Display) or as data through serde.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Method that fitted it; `from-marginals` for external tables.
    pub method: String,
    /// Released number of rows.
    pub rows: u64,
    /// Whether `rows` is the public number, and not an estimate from noisy tables.
    pub rows_are_public: bool,
    /// What is protected: `row`, or the column of the privacy unit.
    pub privacy_unit: String,
    /// The guarantee in words.
    pub guarantee: String,
    /// The guarantee in odds, if it has an epsilon.
    pub odds: Option<Odds>,
    /// The certificate, with every event; `None` for external tables.
    pub certificate: Option<Certificate>,
    /// Declaration of the party that released external tables.
    pub declared: Option<Statement>,
    /// Assumptions of the guarantee that the program does not enforce.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Assumption>,
    /// Columns whose bounds or categories nobody has confirmed to be public.
    pub assumed: Vec<String>,
    /// Columns that were learned within the budget, and what was found. All others were declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<LearnedColumns>,
    /// Columns in which nearly all rows are missing, unknown or in an end bin, so that the schema
    /// is probably wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead_columns: Vec<DeadColumn>,
    /// Released figures of the quality of its rows, if the fit checked some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// The columns, in schema order.
    pub columns: Vec<ColumnSummary>,
    /// Children and parents of a Bayesian network, in the order in which they are drawn.
    pub network: Vec<PairSummary>,
    /// Measured tables over two or more columns.
    pub measured: Vec<TableSummary>,
    /// Error bounds of tables, if the method gives them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<BoundSummary>,
}

/// Error bound of a table.
#[derive(Debug, Clone, Serialize)]
pub struct BoundSummary {
    /// Its columns.
    pub columns: Vec<String>,
    /// Upper bound on the share of rows in another cell than in the real table: the total variation
    /// distance.
    pub share: f64,
    /// Basis of the bound.
    pub basis: Basis,
}

/// Columns that are drawn together, given others.
#[derive(Debug, Clone, Serialize)]
pub struct PairSummary {
    /// Columns that are drawn.
    pub children: Vec<String>,
    /// Columns that they are drawn given.
    pub parents: Vec<String>,
}

/// A measured table over several columns, with its noise.
#[derive(Debug, Clone, Serialize)]
pub struct TableSummary {
    /// Its columns.
    pub columns: Vec<String>,
    /// Number of cells.
    pub cells: u64,
    /// Standard deviation of the noise on each count, in rows.
    pub noise: Option<f64>,
    /// Whether rows are moved towards it, because the distribution cannot hold it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rows_only: bool,
}

/// Summary of one column of a model.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub field_type: String,
    /// Number of codes.
    pub codes: u32,
    /// Standard deviation of the noise on each count, in rows, of all its own tables together;
    /// `None` if it was not measured alone.
    pub noise: Option<f64>,
    /// Its most frequent codes, with their shares.
    pub most_frequent: Vec<Share>,
}

/// A code and its share of the rows.
#[derive(Debug, Clone, Serialize)]
pub struct Share {
    /// Label of the code.
    pub label: String,
    /// Share of the rows, between 0 and 1.
    pub share: f64,
}

impl Summary {
    /// Summarises a model. Shares of codes are those of the model, so they are post-processing too.
    pub fn new(model: &Model) -> Self {
        let schema = model.schema();
        let shares = model.shares();
        let tables = model.tables();
        let declared = match model.origin() {
            Origin::Measured { .. } => None,
            Origin::External(marginals) => Some(marginals.statement().clone()),
        };
        let columns = schema.attributes().iter().zip(schema.domain().attributes()).map(|(attribute, id)| {
            let noise = tables.iter().filter(|table| table.clique.attributes() == [id]).map(|table| table.noise);
            ColumnSummary {
                name: attribute.name().into(),
                field_type: attribute.field_type().to_string(),
                codes: attribute.size(),
                noise: together(noise),
                most_frequent: most_frequent(attribute, &shares[id.index()]),
            }
        });
        Self {
            method: model.method().map_or(FROM_MARGINALS, Method::name).into(),
            rows: model.rows(),
            rows_are_public: model.origin().has_public_rows(),
            privacy_unit: schema.privacy().unit.to_string(),
            guarantee: guarantee(model),
            odds: Odds::new(model),
            certificate: model.certificate().cloned(),
            declared,
            assumptions: schema.assumptions(),
            assumed: schema.assumed().map(|attribute| attribute.name().into()).collect(),
            learned: model.certificate().and_then(|certificate| LearnedColumns::new(schema, certificate)),
            dead_columns: dead_columns(model),
            checked: model.checked(),
            columns: columns.collect(),
            network: network(model),
            measured: measured(model, &tables),
            bounds: bounds(model),
        }
    }
}

/// Returns the noise of several measurements of the same counts, of which each counts by its
/// precision. `None` if there is none, or one without a known deviation.
fn together(deviations: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let precision = deviations.map(|deviation| deviation.map(|deviation| deviation.powi(-2))).sum::<Option<f64>>()?;
    (precision > 0.0).then(|| precision.powf(-0.5))
}

fn names(model: &Model, clique: &Clique) -> Vec<String> {
    clique.attributes().iter().map(|&column| model.column_name(column)).collect()
}

fn network(model: &Model) -> Vec<PairSummary> {
    let Distribution::Network(network) = model.distribution() else { return Vec::new() };
    let pair =
        |pair: &Pair| PairSummary { children: names(model, pair.children()), parents: names(model, pair.parents()) };
    network.model().network().pairs().iter().map(pair).collect()
}

fn measured(model: &Model, tables: &[TableFacts]) -> Vec<TableSummary> {
    let over_several = tables.iter().filter(|table| table.clique.len() > 1);
    let summary = |table: &TableFacts| TableSummary {
        columns: names(model, &table.clique),
        cells: table.cells,
        noise: table.noise,
        rows_only: model.targets().iter().any(|target| *target.clique() == table.clique),
    };
    over_several.map(summary).collect()
}

fn bounds(model: &Model) -> Vec<BoundSummary> {
    let rows = model.rows().max(1) as f64;
    let bound = |bound: &TableBound| BoundSummary {
        columns: names(model, &bound.table),
        // A row in the wrong cell counts twice: it is missing in one cell and extra in another.
        share: (bound.rows / 2.0 / rows).min(1.0),
        basis: bound.basis,
    };
    model.bounds().iter().map(bound).collect()
}

fn most_frequent(attribute: &Attribute, probabilities: &[f64]) -> Vec<Share> {
    let mut codes: Vec<(u32, f64)> = (0..).zip(probabilities.iter().copied()).collect();
    // Ties in code order, so that the summary of a model is reproducible.
    codes.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    codes.truncate(MAX_LISTED_SHARES);
    codes.into_iter().map(|(code, share)| Share { label: attribute.label(code), share }).collect()
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "method     {}", self.method)?;
        let exactness = if self.rows_are_public { "public" } else { "estimated from noisy tables" };
        writeln!(formatter, "rows       {} ({exactness})", self.rows)?;
        let entry = |label: &str, text: &str| wrapped(&format!("{label:INDENT$}{text}"), WIDTH, INDENT);
        writeln!(formatter, "{}", entry("guarantee", &self.guarantee))?;
        for (line, label) in self.odds.iter().flat_map(odds_in_lines).zip(["odds", ""]) {
            writeln!(formatter, "{}", entry(label, &line))?;
        }
        if !self.assumed.is_empty() {
            let names = self.assumed.join(", ");
            let text = format!("the guarantee holds if these were declared without looking at the data: {names}");
            writeln!(formatter, "{}", entry("assumed", &text))?;
        }
        if let Some(learned) = &self.learned {
            let names: Vec<&str> = learned.columns().iter().map(|column| column.name.as_str()).collect();
            let text =
                format!("{}: within this budget, from the rows. All other columns were declared", names.join(", "));
            writeln!(formatter, "{}", entry("learned", &text))?;
        }
        for (dead, label) in self.dead_columns.iter().zip(std::iter::once("look at").chain(std::iter::repeat(""))) {
            writeln!(formatter, "{}", entry(label, &dead.to_string()))?;
        }
        if let Some(checked) = &self.checked {
            let rows = grouped(checked.rows);
            writeln!(formatter, "\nquality of {rows} rows (seed {}), released within this budget", checked.seed)?;
            for figure in &checked.figures {
                writeln!(formatter, "  {figure}")?;
            }
        }
        let width = self.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).max(6);
        writeln!(formatter, "\n{:width$}  {:8}  {:>7}  {:>8}  most frequent", "column", "type", "codes", "noise")?;
        for column in &self.columns {
            let noise = column.noise.map_or_else(|| "-".into(), |noise| format!("{noise:.1}"));
            let shares = column
                .most_frequent
                .iter()
                .take(MAX_SHOWN_SHARES)
                .map(|share| format!("{} {:.1} %", share.label, share.share * 100.0));
            writeln!(
                formatter,
                "{:width$}  {:8}  {:>7}  {noise:>8}  {}",
                column.name,
                column.field_type,
                column.codes,
                shares.collect::<Vec<_>>().join(", ")
            )?;
        }
        if !self.network.is_empty() {
            writeln!(formatter, "\ndrawn in this order")?;
            for pair in &self.network {
                let given = if pair.parents.is_empty() {
                    String::new()
                } else {
                    format!("  given {}", pair.parents.join(", "))
                };
                writeln!(formatter, "  {}{given}", pair.children.join(", "))?;
            }
        }
        if !self.measured.is_empty() {
            writeln!(formatter, "\nmeasured together")?;
            for table in self.measured.iter().take(MAX_SHOWN_TABLES) {
                let noise = table.noise.map_or_else(|| "-".into(), |noise| format!("{noise:.1}"));
                let rows_only = if table.rows_only { ", in rows only" } else { "" };
                let columns = table.columns.join(", ");
                writeln!(formatter, "  {columns}  ({} cells, noise {noise}{rows_only})", table.cells)?;
            }
            let left_out = self.measured.len().saturating_sub(MAX_SHOWN_TABLES);
            if left_out > 0 {
                writeln!(formatter, "  {left_out} more tables, which `--json` lists")?;
            }
        }
        if !self.bounds.is_empty() {
            self.write_bounds(formatter)?;
        }
        write!(formatter, "\nnoise is the standard deviation of each released count, in rows")
    }
}

impl Summary {
    /// Writes the tables with the smallest and the largest bounds.
    fn write_bounds(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bounds: Vec<&BoundSummary> = self.bounds.iter().collect();
        bounds.sort_by(|left, right| left.share.total_cmp(&right.share));
        let percent = TableBound::LEVEL * 100.0;
        writeln!(
            formatter,
            "\nhow far tables may be off, in rows of the wrong cell; each bound holds with {percent:.0} %"
        )?;
        let left_out = bounds.len().saturating_sub(2 * SHOWN_BOUNDS);
        for (place, bound) in bounds.iter().enumerate() {
            if place == SHOWN_BOUNDS && left_out > 0 {
                writeln!(formatter, "  {left_out} more tables between these")?;
            }
            if place < SHOWN_BOUNDS || place >= SHOWN_BOUNDS + left_out {
                let basis = match bound.basis {
                    Basis::Measured => "measured",
                    Basis::NotChosen => "not measured",
                };
                writeln!(formatter, "  {:5.1} %  {}  ({basis})", bound.share * 100.0, bound.columns.join(", "))?;
            }
        }
        Ok(())
    }
}
