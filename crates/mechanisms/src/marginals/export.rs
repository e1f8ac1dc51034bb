//! Exports the tables of a model.

use scumble_pgm::Factor;
use scumble_schema::{AttributeId, Clique, Recoding, Schema};
use scumble_vault::account::Mechanism;
use scumble_vault::{Certificate, Event};

use super::error::MarginalsError;
use super::statement::Statement;
use super::tables::{Marginal, Marginals, NOISE, NoiseKind};
use crate::mechanism::method::Method;
use crate::model::Model;
use crate::model::origin::Origin;
use crate::model::parity_tables::ParityTable;

/// The noisy tables of a model over columns of its schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The tables.
    pub marginals: Marginals,
    /// Number of tables that were summed over derived columns of the method, such as coarser
    /// versions.
    pub summed: usize,
    /// Number of tables that are left out, because they have derived columns only.
    pub left_out: usize,
}

impl Model {
    /// Returns the noisy tables that the model was fitted to, with a privacy statement.
    ///
    /// # Privacy
    /// Post-processing of the model, whose certificate covers all releases.
    ///
    /// # Errors
    /// If no table is over columns of the schema, or all of them together are too large.
    pub fn marginals(&self) -> Result<Exported, MarginalsError> {
        match self.origin() {
            Origin::External(marginals) => Ok(Exported { marginals: marginals.clone(), summed: 0, left_out: 0 }),
            Origin::Measured { method, released, certificate } => {
                let statement = statement(method, self.schema(), certificate);
                let rows = self.origin().has_public_rows().then_some(self.rows());
                let (mut tables, mut summed, mut left_out) = (Vec::new(), 0, 0);
                for (event, values) in certificate.events().iter().zip(released) {
                    let Some(clique) = event.table() else { continue };
                    let kept = base_columns(self.recoding(), clique);
                    if kept.is_empty() && !clique.is_empty() {
                        left_out += 1;
                        continue;
                    }
                    summed += usize::from(kept != *clique);
                    tables.push(marginal(self, event, clique, values, &kept)?);
                }
                let domain = self.schema().domain();
                for ParityTable { clique, values, noise } in self.parity_tables() {
                    // The columns are those of the schema: only larger ones have others.
                    let table = Marginal::new(domain, clique, values, noise, Some(NoiseKind::Gaussian));
                    tables.push(table.map_err(|refused| refused_table(tables.len() + 1, refused))?);
                }
                if tables.is_empty() {
                    return Err(MarginalsError::NoTables);
                }
                Ok(Exported { marginals: Marginals::new(statement, rows, tables)?, summed, left_out })
            }
        }
    }
}

fn statement(method: &Method, schema: &Schema, certificate: &Certificate) -> Statement {
    let note = format!(
        "from a model that was fitted by `{method}`; epsilon and delta are those of its certificate, for all that it released"
    );
    Statement {
        epsilon: Some(certificate.epsilon().get()),
        delta: Some(certificate.delta().get()),
        rho: None,
        adjacency: certificate.adjacency(),
        unit: schema.privacy().unit.to_string(),
        max_contributions: certificate.max_contributions(),
        maker: concat!("scumble ", env!("CARGO_PKG_VERSION")).into(),
        note: Some(note),
    }
}

/// Returns the columns of a clique that are columns of the schema, unchanged.
fn base_columns(recoding: &Recoding, clique: &Clique) -> Clique {
    let is_base = |column: &AttributeId| (0..).zip(recoding.codes(*column)).all(|(code, &same)| code == same);
    Clique::new(clique.attributes().iter().copied().filter(is_base))
}

/// Sums a released table over all columns but those that are kept.
fn marginal(
    model: &Model,
    event: &Event,
    clique: &Clique,
    values: &[i64],
    kept: &Clique,
) -> Result<Marginal, MarginalsError> {
    let recoding = model.recoding();
    let counts: Vec<f64> = values.iter().map(|&count| count as f64).collect();
    let table = Factor::new(recoding.domain(), clique.clone(), counts).expect("an event has the numbers of its table");
    let sums = table.project(kept).into_values();
    let noise = match event.mechanism() {
        Mechanism::RoundedGaussian { .. } => Some(NoiseKind::Gaussian),
        Mechanism::DiscreteLaplace { .. } if kept == clique => Some(NoiseKind::Geometric),
        _ => None,
    };
    let summed_cells = (values.len() / sums.len()) as f64;
    let deviation = event.mechanism().standard_deviation().unwrap_or_default() * summed_cells.sqrt();
    // Discrete noise of a tiny scale is almost always zero. The minimum that may be declared is
    // larger.
    let deviation = deviation.max(*NOISE.start());
    // Columns of the schema are in its order in every recoding, and columns that a method adds
    // after its first releases come after all others. So cells keep their order, also in earlier
    // tables.
    let columns = Clique::new(kept.attributes().iter().map(|&column| recoding.of(column)));
    let table = Marginal::new(model.schema().domain(), columns, sums, deviation, noise);
    table.map_err(|refused| refused_table(event.id().get() as usize + 1, refused))
}

fn refused_table(place: usize, (problem, hint): (String, &str)) -> MarginalsError {
    MarginalsError::Table { place, columns: String::new(), problem, hint: hint.into() }
}
