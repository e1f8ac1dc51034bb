//! A model at a glance.

use std::fmt;

use scumble_mechanisms::{Distribution, Model};
use scumble_pgm::network::Pair;
use scumble_schema::{AdjacencyKind, Attribute, Clique};
use scumble_vault::{Certificate, Event};
use serde::Serialize;

use crate::guarantee::guarantee;

/// How many of a column's codes are listed.
const LISTED_SHARES: usize = 5;
/// How many of them fit a line of text.
const SHOWN_SHARES: usize = 3;

/// What a model holds.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The method that fitted it.
    pub method: String,
    /// The released number of rows.
    pub rows: u64,
    /// What is protected: `row`, or the column that says whose a row is.
    pub privacy_unit: String,
    /// The guarantee in words.
    pub guarantee: String,
    /// The certificate, with every event.
    pub certificate: Certificate,
    /// Columns whose bounds or categories nobody has confirmed to be public.
    pub assumed: Vec<String>,
    /// The columns, in schema order.
    pub columns: Vec<ColumnSummary>,
    /// What is drawn given what, if the model is a Bayesian network, in the order in which it is drawn.
    pub network: Vec<PairSummary>,
    /// The tables over two or more columns that were measured.
    pub measured: Vec<TableSummary>,
}

/// Columns that are drawn together, given others.
#[derive(Debug, Clone, Serialize)]
pub struct PairSummary {
    /// What is drawn.
    pub children: Vec<String>,
    /// What it is drawn given.
    pub parents: Vec<String>,
}

/// A table that was measured.
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
    /// Summarises a model.
    pub fn new(model: &Model) -> Self {
        let schema = model.schema();
        let shares = model.shares();
        let columns = schema.attributes().iter().zip(schema.domain().attributes()).map(|(attribute, id)| {
            let event = model
                .certificate()
                .events()
                .iter()
                .find(|event| event.table().is_some_and(|clique| clique.attributes() == [id]));
            ColumnSummary {
                name: attribute.name().into(),
                field_type: attribute.field_type().to_string(),
                codes: attribute.size(),
                noise: event.and_then(|event| event.mechanism().standard_deviation()),
                most_frequent: most_frequent(attribute, &shares[id.index()]),
            }
        });
        Self {
            method: model.method().to_string(),
            rows: model.rows(),
            privacy_unit: schema.privacy().unit.to_string(),
            guarantee: guarantee(model),
            certificate: model.certificate().clone(),
            assumed: schema.assumed().map(|attribute| attribute.name().into()).collect(),
            columns: columns.collect(),
            network: network(model),
            measured: measured(model),
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

fn measured(model: &Model) -> Vec<TableSummary> {
    let table = |event: &Event| {
        let clique = event.table().filter(|clique| clique.len() > 1)?;
        Some(TableSummary {
            columns: names(model, clique),
            cells: event.length(),
            noise: event.mechanism().standard_deviation(),
        })
    };
    model.certificate().events().iter().filter_map(table).collect()
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
        let exactness = match self.certificate.adjacency() {
            AdjacencyKind::AddRemove => "estimated from noisy tables",
            AdjacencyKind::ReplaceOne => "public",
        };
        writeln!(formatter, "rows       {} ({exactness})", self.rows)?;
        writeln!(formatter, "guarantee  {}", self.guarantee)?;
        if !self.assumed.is_empty() {
            writeln!(
                formatter,
                "assumed    the guarantee holds if these were declared without looking at the data: {}",
                self.assumed.join(", ")
            )?;
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
            for table in &self.measured {
                let noise = table.noise.map_or_else(|| "-".into(), |noise| format!("{noise:.1}"));
                writeln!(formatter, "  {}  ({} cells, noise {noise})", table.columns.join(", "), table.cells)?;
            }
        }
        write!(formatter, "\nnoise is the standard deviation of each released count, in rows")
    }
}
