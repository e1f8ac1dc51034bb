//! Distances of marginal tables over few columns.

use scumble_schema::{Clique, Schema};
use serde::Serialize;

use super::{Measured, Settings, mean, names};
use crate::error::EvaluateError;
use crate::marginal::MarginalSets;
use crate::marginal::compare::compare;
use crate::table::Columns;

/// Maximum number of tables of each order in the list of the worst.
const MAX_WORST_TABLES: usize = 10;

/// Distances of tables over few columns from the real ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarginalScores {
    /// All tables, order by order.
    pub orders: Vec<OrderScore>,
    /// Tables over one column, in the order of the schema. Empty if order one was not compared.
    pub columns: Vec<TableScore>,
    /// For each order from two on, the tables with the largest [`TableScore::excess`], the worst
    /// first.
    pub worst: Vec<TableScore>,
}

/// Summary of the distances of all tables of one order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderScore {
    /// Number of columns that each table spans.
    pub order: usize,
    /// Number of tables that were compared.
    pub tables: usize,
    /// Mean total variation distance.
    pub mean: Measured,
    /// Largest distance, and the largest expected distance of any table.
    pub largest: Measured,
    /// Columns of the table with the largest distance.
    pub largest_of: Vec<String>,
}

/// Distance of one table over a few columns from the real one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableScore {
    /// Columns that the table spans.
    pub columns: Vec<String>,
    /// Total variation distance.
    pub distance: Measured,
}

impl TableScore {
    /// Returns the distance beyond that of rows drawn from the real table: what chance does not
    /// explain.
    pub fn excess(&self) -> f64 {
        self.distance.value - self.distance.achievable
    }
}

impl MarginalScores {
    pub(super) fn new(
        real: &Columns,
        synthetic: &Columns,
        schema: &Schema,
        settings: &Settings,
    ) -> Result<Self, EvaluateError> {
        let sets = MarginalSets::drawn(schema.domain().len(), &settings.orders, settings.count);
        let cliques: Vec<Clique> = sets.orders().flat_map(|(_, cliques)| cliques).cloned().collect();
        let compared = compare(real, synthetic, &cliques)?;
        let mut compared = cliques.iter().zip(compared).map(|(clique, compared)| TableScore {
            columns: names(schema, clique.attributes()),
            distance: Measured { value: compared.distance, achievable: compared.expected },
        });
        let (mut orders, mut columns, mut worst) = (Vec::new(), Vec::new(), Vec::new());
        for (order, cliques) in sets.orders() {
            let mut tables: Vec<TableScore> = compared.by_ref().take(cliques.len()).collect();
            orders.push(OrderScore::new(order, &tables));
            if order == 1 {
                columns = tables;
                continue;
            }
            tables.sort_by(|left, right| right.excess().total_cmp(&left.excess()));
            tables.truncate(MAX_WORST_TABLES);
            worst.extend(tables);
        }
        Ok(Self { orders, columns, worst })
    }
}

impl OrderScore {
    /// Summarises `tables`, which must not be empty.
    fn new(order: usize, tables: &[TableScore]) -> Self {
        let largest = tables.iter().max_by(|left, right| left.distance.value.total_cmp(&right.distance.value));
        let largest = largest.expect("an order has a table");
        let distances = || tables.iter().map(|table| table.distance);
        Self {
            order,
            tables: tables.len(),
            mean: Measured {
                value: mean(distances().map(|distance| distance.value)),
                achievable: mean(distances().map(|distance| distance.achievable)),
            },
            largest: Measured {
                value: largest.distance.value,
                achievable: distances().map(|distance| distance.achievable).fold(0.0, f64::max),
            },
            largest_of: largest.columns.clone(),
        }
    }
}
