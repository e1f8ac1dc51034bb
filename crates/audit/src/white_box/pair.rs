//! Pairs of neighbouring tables.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use scumble_schema::{AdjacencyKind, Clique, Domain, Recoding, Schema};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError, audit};
use sha2::{Digest, Sha256};

use super::rows::CodedRows;
use crate::error::AuditError;

/// Opens a source of counts over rows that do not change.
pub type OpenTable = Box<dyn Fn() -> Box<dyn MarginalSource> + Send + Sync>;

/// Returns a source that every run opens again, over one table that is kept.
pub fn shared(source: impl MarginalSource + Sync + 'static) -> OpenTable {
    let source: Arc<dyn MarginalSource + Sync> = Arc::new(source);
    Box::new(move || Box::new(Shared(Arc::clone(&source))))
}

struct Shared(Arc<dyn MarginalSource + Sync>);

impl MarginalSource for Shared {
    fn domain(&self) -> &Domain {
        self.0.domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.0.bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.0.count(cliques)
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.0.count_recoded(recoding, cliques)
    }
}

/// Two neighbouring tables, which an audit tries to tell apart.
pub struct Pair {
    name: String,
    /// Digest of the schema and of the rows that are not the steward's.
    digest: String,
    has_real_rows: bool,
    schema: Schema,
    table: OpenTable,
    neighbour: OpenTable,
}

impl Pair {
    /// Returns a table and the table with `planted` rows of one unit added. Without a unit column,
    /// a unit is one row.
    ///
    /// # Errors
    /// If the rows do not fit the schema, or are more than a unit may have.
    pub fn with_planted(schema: Schema, table: OpenTable, planted: Vec<Vec<u32>>) -> Result<Self, AuditError> {
        let limit = schema.privacy().max_contributions;
        if schema.privacy().adjacency != AdjacencyKind::AddRemove {
            return Err(AuditError::NotAddRemove);
        }
        if planted.is_empty() || planted.len() > limit.get() as usize {
            return Err(AuditError::PlantedRows { limit });
        }
        // Checked once, so that no run fails by it.
        audit::with_rows(table(), planted.clone())?;
        let digest = digest(&schema, &planted);
        let table = Arc::new(table);
        let base = Arc::clone(&table);
        let neighbour = move || audit::with_rows(base(), planted.clone()).expect("the rows were checked");
        Ok(Self {
            name: "your table and planted rows".into(),
            digest,
            has_real_rows: true,
            schema,
            table: Box::new(move || table()),
            neighbour: Box::new(neighbour),
        })
    }

    /// Returns a made-up pair of a schema: four rows of the last code of every column, and a row of
    /// the first codes.
    ///
    /// # Errors
    /// If columns have fewer than two codes, so that no two rows differ.
    pub fn of_schema(schema: Schema) -> Result<Self, AuditError> {
        let sizes = schema.domain().sizes().to_vec();
        if sizes.iter().all(|&size| size < 2) {
            return Err(AuditError::OneRow);
        }
        let rows = vec![sizes.iter().map(|size| size - 1).collect(); 4];
        Ok(Self::of_rows("made-up rows of the schema", schema, rows))
    }

    /// Returns the made-up pairs for an adjacency.
    ///
    /// `few rows`: four rows of ones, and a row of zeros. Whatever is counted, the row of zeros is
    /// alone in its cell.
    ///
    /// `opposed pairs`: two pairs of columns, of which one always agrees and the other never does.
    /// A row of zeros makes the first pair more related than the second: the scores of candidates
    /// move in opposite directions, which is what a selection pays for.
    pub fn made_up(adjacency: AdjacencyKind) -> Vec<Self> {
        let few = vec![vec![1; 3]; 4];
        let opposed = (0..4).flat_map(|kind| {
            let [first, second] = [kind & 1, kind >> 1];
            vec![vec![first, first, second, 1 - second]; 4]
        });
        vec![
            Self::of_zeros("few rows", adjacency, 2, few),
            Self::of_zeros("opposed pairs", adjacency, 3, opposed.collect()),
        ]
    }

    /// Returns a table of integer columns, and its neighbour.
    fn of_zeros(name: &str, adjacency: AdjacencyKind, codes: u32, rows: Vec<Vec<u32>>) -> Self {
        Self::of_rows(name, integers(adjacency, rows[0].len(), codes), rows)
    }

    /// Returns a table and its neighbour with rows of zeros of one unit: more of them, or under
    /// replace-one in place of the last rows.
    fn of_rows(name: &str, schema: Schema, rows: Vec<Vec<u32>>) -> Self {
        let privacy = schema.privacy();
        let planted = vec![vec![0; rows[0].len()]; privacy.max_contributions.get() as usize];
        let kept = match privacy.adjacency {
            AdjacencyKind::AddRemove => rows.len(),
            AdjacencyKind::ReplaceOne => rows.len().saturating_sub(planted.len()),
        };
        let rows = if privacy.adjacency == AdjacencyKind::ReplaceOne && rows.len() < planted.len() {
            vec![rows[0].clone(); planted.len()]
        } else {
            rows
        };
        let neighbour = [&rows[..kept], &planted].concat();
        let bound = privacy.bound().map(|(column, rows)| (column.to_owned(), rows));
        let open = |rows| -> OpenTable {
            let source = CodedRows::new(schema.domain().clone(), bound.clone(), rows);
            Box::new(move || Box::new(source.clone()))
        };
        Self {
            name: name.into(),
            digest: digest(&schema, &rows),
            has_real_rows: false,
            table: open(rows),
            neighbour: open(neighbour),
            schema,
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what identifies the pair in a file of runs: its schema and its made-up or planted
    /// rows. The steward's own rows have no part in it.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns whether the rows are of real people.
    pub fn has_real_rows(&self) -> bool {
        self.has_real_rows
    }

    /// Returns the schema of both tables.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Opens the table and its neighbour.
    pub(super) fn open(&self) -> [Box<dyn MarginalSource>; 2] {
        [(self.table)(), (self.neighbour)()]
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pair").field("name", &self.name).finish_non_exhaustive()
    }
}

fn digest(schema: &Schema, rows: &[Vec<u32>]) -> String {
    let hash = Sha256::new().chain_update(schema.to_spec().to_yaml());
    scumble_vault::hex(&hash.chain_update(format!("{rows:?}")).finalize())
}

/// Returns a schema of closed integer columns.
fn integers(adjacency: AdjacencyKind, columns: usize, codes: u32) -> Schema {
    let field = |column| {
        let largest = codes - 1;
        format!(
            "  - {{name: c{column}, type: integer, constraints: {{minimum: 0, maximum: {largest}, required: true}}}}\n"
        )
    };
    let fields: String = (0..columns).map(field).collect();
    Schema::parse(&format!("dp: {{adjacency: {adjacency}}}\nfields:\n{fields}")).expect("it keeps the rules")
}
