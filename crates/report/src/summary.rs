//! A model at a glance.

use std::fmt;

use scumble_mechanisms::marginals::Statement;
use scumble_mechanisms::{Basis, Distribution, Method, Model, Origin, TableBound, TableFacts};
use scumble_pgm::network::Pair;
use scumble_schema::{Assumption, Attribute, Clique};
use scumble_vault::Certificate;
use serde::Serialize;

use crate::dead_column::{DeadColumn, dead_columns};
use crate::explained::odds_in_lines;
use crate::guarantee::guarantee;
use crate::odds::Odds;
use crate::words::wrapped;

/// How many of a column's codes are listed.
const LISTED_SHARES: usize = 5;
/// How many of them fit a line of text.
const SHOWN_SHARES: usize = 3;
/// What stands for a method where none of ours measured anything.
const FROM_MARGINALS: &str = "from-marginals";

/// How many of the best bounds are shown, and of the worst.
const SHOWN_BOUNDS: usize = 3;
/// How many measured tables are shown: a model of many columns has hundreds.
const SHOWN_TABLES: usize = 40;
/// How long lines of running text are, and where they begin.
const WIDTH: usize = 110;
const INDENT: usize = 11;

/// What a model holds, at a glance: as text through [`Display`](std::fmt::Display), or as data for programs.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The method that fitted it; `from-marginals` if its tables were made elsewhere.
    pub method: String,
    /// The released number of rows.
    pub rows: u64,
    /// Whether that is the number itself, and not an estimate from noisy tables.
    pub rows_are_public: bool,
    /// What is protected: `row`, or the column that says whose a row is.
    pub privacy_unit: String,
    /// The guarantee in words.
    pub guarantee: String,
    /// What that means in odds, if it is an epsilon.
    pub odds: Option<Odds>,
    /// The certificate, with every event. There is none if the tables were made elsewhere.
    pub certificate: Option<Certificate>,
    /// What the maker of the tables declares, if they were made elsewhere.
    pub declared: Option<Statement>,
    /// What the guarantee assumes beyond what the program enforces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Assumption>,
    /// Columns whose bounds or categories nobody has confirmed to be public.
    pub assumed: Vec<String>,
    /// Columns nearly all of whose rows are missing, unknown or at an end, so that the schema is probably wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead_columns: Vec<DeadColumn>,
    /// The columns, in schema order.
    pub columns: Vec<ColumnSummary>,
    /// What is drawn given what, if the model is a Bayesian network, in the order in which it is drawn.
    pub network: Vec<PairSummary>,
    /// The tables over two or more columns that were measured.
    pub measured: Vec<TableSummary>,
    /// How far tables may be off, as far as the method could tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<BoundSummary>,
}

/// How far a table may be off.
#[derive(Debug, Clone, Serialize)]
pub struct BoundSummary {
    /// Its columns.
    pub columns: Vec<String>,
    /// The share of rows that may be in another cell than in the real table, at most: the largest total variation distance.
    pub share: f64,
    /// Why.
    pub basis: Basis,
}

/// Columns that are drawn together, given others.
#[derive(Debug, Clone, Serialize)]
pub struct PairSummary {
    /// What is drawn.
    pub children: Vec<String>,
    /// What it is drawn given.
    pub parents: Vec<String>,
}

/// A table over several columns that was measured, and with how much noise.
#[derive(Debug, Clone, Serialize)]
pub struct TableSummary {
    /// Its columns.
    pub columns: Vec<String>,
    /// How many cells it has.
    pub cells: u64,
    /// The standard deviation of the noise on each of its counts, in rows.
    pub noise: Option<f64>,
}

/// What a model says about one column.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub field_type: String,
    /// How many codes it has.
    pub codes: u32,
    /// The standard deviation of the noise on each of its counts, in rows; `None` if it was not measured alone.
    pub noise: Option<f64>,
    /// Its most frequent codes, with their shares.
    pub most_frequent: Vec<Share>,
}

/// A code and how much of the rows has it.
#[derive(Debug, Clone, Serialize)]
pub struct Share {
    /// What the code stands for.
    pub label: String,
    /// Between 0 and 1.
    pub share: f64,
}

impl Summary {
    /// Looks through a model. Shares of codes are the model's, so that they are post-processing too.
    pub fn new(model: &Model) -> Self {
        let schema = model.schema();
        let shares = model.shares();
        let tables = model.origin().tables();
        let declared = match model.origin() {
            Origin::Measured { .. } => None,
            Origin::External(marginals) => Some(marginals.statement().clone()),
        };
        let columns = schema.attributes().iter().zip(schema.domain().attributes()).map(|(attribute, id)| {
            let table = tables.iter().find(|table| table.clique.attributes() == [id]);
            ColumnSummary {
                name: attribute.name().into(),
                field_type: attribute.field_type().to_string(),
                codes: attribute.size(),
                noise: table.and_then(|table| table.noise),
                most_frequent: most_frequent(attribute, &shares[id.index()]),
            }
        });
        Self {
            method: model.method().map_or(FROM_MARGINALS, Method::name).into(),
            rows: model.rows(),
            rows_are_public: model.origin().tells_rows(),
            privacy_unit: schema.privacy().unit.to_string(),
            guarantee: guarantee(model),
            odds: Odds::new(model),
            certificate: model.certificate().cloned(),
            declared,
            assumptions: schema.assumptions(),
            assumed: schema.assumed().map(|attribute| attribute.name().into()).collect(),
            dead_columns: dead_columns(model),
            columns: columns.collect(),
            network: network(model),
            measured: measured(model, &tables),
            bounds: bounds(model),
        }
    }
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
    over_several
        .map(|table| TableSummary { columns: names(model, table.clique), cells: table.cells, noise: table.noise })
        .collect()
}

fn bounds(model: &Model) -> Vec<BoundSummary> {
    #[expect(clippy::cast_precision_loss, reason = "a row more or less in 2^53 does not matter")]
    let rows = model.rows().max(1) as f64;
    let bound = |bound: &TableBound| BoundSummary {
        columns: names(model, &bound.table),
        // A row in another cell is missing in one and too many in the other.
        share: (bound.rows / 2.0 / rows).min(1.0),
        basis: bound.basis,
    };
    model.bounds().iter().map(bound).collect()
}

fn most_frequent(attribute: &Attribute, probabilities: &[f64]) -> Vec<Share> {
    let mut codes: Vec<(u32, f64)> = (0..).zip(probabilities.iter().copied()).collect();
    // Ties in code order, so that the same model is always told the same way.
    codes.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    codes.truncate(LISTED_SHARES);
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
        for (dead, label) in self.dead_columns.iter().zip(std::iter::once("look at").chain(std::iter::repeat(""))) {
            writeln!(formatter, "{}", entry(label, &dead.to_string()))?;
        }
        let width = self.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).max(6);
        writeln!(formatter, "\n{:width$}  {:8}  {:>7}  {:>8}  most frequent", "column", "type", "codes", "noise")?;
        for column in &self.columns {
            let noise = column.noise.map_or_else(|| "-".into(), |noise| format!("{noise:.1}"));
            let shares = column
                .most_frequent
                .iter()
                .take(SHOWN_SHARES)
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
            for table in self.measured.iter().take(SHOWN_TABLES) {
                let noise = table.noise.map_or_else(|| "-".into(), |noise| format!("{noise:.1}"));
                writeln!(formatter, "  {}  ({} cells, noise {noise})", table.columns.join(", "), table.cells)?;
            }
            let left_out = self.measured.len().saturating_sub(SHOWN_TABLES);
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
    /// The tables that may be off least and most.
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
