//! Drawing rows from a smoothed histogram.

use std::num::NonZeroU64;
use std::slice;

use scumble_schema::Clique;

use super::{Exact, MAX_CELLS_PER_CALL, Vault};
use crate::account::{Budget, Mechanism, Question, ReplaceOne, RowDrawing, RowUnits, Smoothing, Unit};
use crate::error::VaultError;
use crate::released::Released;

impl<M: RowDrawing> Vault<ReplaceOne, M> {
    /// Draws `rows` rows from the table over `clique`, smoothed towards the uniform distribution,
    /// and releases their cells in the order drawn. A cell has probability `(1-s) c/n + s/cells`,
    /// with the smallest `s` that `budget` pays for. Cells are numbered as in
    /// [`scumble_schema::cells`].
    ///
    /// # Privacy
    /// One event for all rows. `k` rows cost `k ln r` or, in `rho`, `k (ln r)²/2`, with
    /// `r = 1 + (1-s) cells u / (n s)`; the proof is at [`Smoothing`](crate::account::Smoothing).
    /// `s` depends on `n`, so the method does not exist under add/remove:
    /// ```compile_fail,E0599
    /// # use scumble_schema::Clique;
    /// # use scumble_vault::{AddRemove, Budget, Pure, Vault};
    /// fn draw(vault: &mut Vault<AddRemove, Pure>, clique: &Clique, budget: Budget<AddRemove, Pure>) {
    ///     let rows = vault.draw_rows(clique, 10, budget);
    /// }
    /// ```
    /// Nor does it exist under Gaussian differential privacy, which has no cost for such draws:
    /// ```compile_fail,E0599
    /// # use scumble_schema::Clique;
    /// # use scumble_vault::{Budget, Gdp, ReplaceOne, Vault};
    /// fn draw(vault: &mut Vault<ReplaceOne, Gdp>, clique: &Clique, budget: Budget<ReplaceOne, Gdp>) {
    ///     let rows = vault.draw_rows(clique, 10, budget);
    /// }
    /// ```
    ///
    /// # Errors
    /// If `rows` is zero or too large, the table is too large, the budget was issued by another
    /// vault or pays for no `s` below one, or the source fails. The budget is consumed in any case.
    ///
    /// # Reference
    /// Aalborg report 2024, Theorem 3.1.1, with `m` the measure of all cells over that of the
    /// smallest.
    pub fn draw_rows(
        &mut self,
        clique: &Clique,
        rows: u64,
        budget: Budget<ReplaceOne, M>,
    ) -> Result<Released<Vec<u64>>, VaultError> {
        let drawn = NonZeroU64::new(rows).filter(|rows| u128::from(rows.get()) <= MAX_CELLS_PER_CALL);
        let drawn = drawn.ok_or_else(|| VaultError::config("rows", &rows, "at least one and at most 50,000,000"))?;
        let length = self.table_lengths([clique])?[0];
        let cells = NonZeroU64::new(length as u64).expect("every attribute has a code");
        let (unit, rows) = (self.releases.max_contributions(), self.public_rows()?);
        let mechanism = self.releases.charge(1, budget, |share| {
            Smoothing::fitting(cells, unit, rows, drawn, share).map(Mechanism::SmoothedHistogram)
        })?;
        let drawn = usize::try_from(drawn.get()).expect("it was checked to be small");
        let event = self.releases.event(Question::Rows(clique.clone()), mechanism, RowUnits::LATTICE_LOG2, drawn);
        let released = self.release(vec![event], |vault| {
            let tables = vault.count(slice::from_ref(clique), &[length])?;
            // The cost depends on the number of rows. The number is public, so this check leaks
            // nothing.
            if tables[0].rows() != u128::from(rows) {
                return Err(VaultError::SourceShape);
            }
            Ok(tables.into_iter().map(|table| Exact::Counts(table.into_counts())).collect())
        })?;
        let cell = |&cell: &i64| u64::try_from(cell).ok().filter(|&cell| cell < cells.get());
        let drawn: Option<Vec<u64>> = released[0].iter().map(cell).collect();
        let drawn = drawn.ok_or(VaultError::Bug { what: "no such cell" })?;
        Ok(released.map(|_| drawn))
    }
}
