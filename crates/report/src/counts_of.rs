//! What the released tables say of one column.

use scumble_mechanisms::Model;
use scumble_schema::{AttributeId, Clique};

use crate::noisy_table::NoisyTable;
use crate::words::real;

/// The released counts of one column of the schema, from the table that tells most of it.
pub(crate) struct CountsOf<'a> {
    /// The table.
    pub(crate) table: &'a NoisyTable<'a>,
    /// How many counts of that table make one of the column.
    pub(crate) each: f64,
    /// The sums, one per code.
    counts: Vec<f64>,
}

impl<'a> CountsOf<'a> {
    /// The counts of a column in the table in which they have least noise; `None` if no table holds the column whole.
    pub(crate) fn column(model: &Model, tables: &'a [NoisyTable<'a>], column: AttributeId) -> Option<Self> {
        let recoding = model.recoding();
        let domain = recoding.domain();
        // Coarser versions tell less; binary digits tell all of it together.
        let is_part = |&part: &AttributeId| recoding.of(part) == column && recoding.finer(part).is_none();
        let parts = Clique::new(domain.attributes().filter(is_part));
        let own = u64::try_from(domain.cells(&parts)).ok()?;
        let each = |table: &NoisyTable<'_>| real(table.cells / own);
        let error = |table: &NoisyTable<'_>| table.error_of_sum(each(table));
        let holding = tables.iter().filter(|table| table.clique.holds(&parts));
        let table = holding.min_by(|left, right| error(left).total_cmp(&error(right)))?;
        let sums = table.summed(domain, &parts);
        let strides = scumble_schema::cells::strides(domain, &parts);
        let cell = |code: usize| {
            let digits = parts.attributes().iter().map(|&part| recoding.codes(part)[code] as usize);
            digits.zip(&strides).map(|(digit, stride)| digit * stride).sum::<usize>()
        };
        let codes = model.schema().domain().size(column) as usize;
        Some(Self { table, each: each(table), counts: (0..codes).map(|code| sums[cell(code)]).collect() })
    }

    /// How far the noise takes the sum of so many of the column's counts, at most, 95 times in 100.
    pub(crate) fn error_of(&self, codes: usize) -> f64 {
        self.table.error_of_sum(self.each * real(codes as u64))
    }

    /// The released count of these codes together.
    pub(crate) fn sum_of(&self, codes: &[u32]) -> f64 {
        codes.iter().map(|&code| self.counts[code as usize]).sum()
    }

    /// Between which numbers the real count of these codes is, 95 times in 100.
    pub(crate) fn range(&self, codes: &[u32]) -> (f64, f64) {
        let count = self.sum_of(codes);
        let error = self.error_of(codes.len());
        ((count - error).max(0.0), (count + error).max(0.0))
    }
}
