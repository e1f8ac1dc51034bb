//! Released counts of one column.

use scumble_mechanisms::Model;
use scumble_schema::{AttributeId, Clique};

use crate::noisy_table::NoisyTable;
use crate::words::real;

/// Released counts of one column of the schema, from the table with the least noise on them.
pub(crate) struct CountsOf<'a> {
    /// The table.
    pub(crate) table: &'a NoisyTable<'a>,
    /// Number of counts of the table that sum to one count of the column.
    pub(crate) each: f64,
    /// Sums, one per code.
    counts: Vec<f64>,
}

impl<'a> CountsOf<'a> {
    /// Returns the counts of a column from the table in which they have the least noise; `None` if
    /// no table contains the whole column.
    pub(crate) fn column(model: &Model, tables: &'a [NoisyTable<'a>], column: AttributeId) -> Option<Self> {
        let recoding = model.recoding();
        let domain = recoding.domain();
        // Coarser levels of a column lose codes. Its binary digits together keep all of them.
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

    /// Returns the error bound of the sum of `codes` counts of the column, which holds 95 times in
    /// 100.
    pub(crate) fn error_of(&self, codes: usize) -> f64 {
        self.table.error_of_sum(self.each * real(codes as u64))
    }

    /// Returns the sum of the released counts of these codes.
    pub(crate) fn sum_of(&self, codes: &[u32]) -> f64 {
        codes.iter().map(|&code| self.counts[code as usize]).sum()
    }

    /// Returns the interval that contains the real count of these codes, 95 times in 100.
    pub(crate) fn range(&self, codes: &[u32]) -> (f64, f64) {
        let count = self.sum_of(codes);
        let error = self.error_of(codes.len());
        ((count - error).max(0.0), (count + error).max(0.0))
    }
}
