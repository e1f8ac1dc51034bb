//! Figures that compare released rows with the real ones.

use std::num::{NonZeroU32, NonZeroU64};

use scumble_planted::Mutant;
use scumble_schema::{Clique, Recoding};
use sha2::{Digest, Sha256};

use super::{CELLS_PER_SCAN, Exact, NoisyScores, Vault, batches, count_tables, table_lengths};
use crate::account::{Accounting, Adjacency, Budget, Question, ScoreUnits, Sensitivity};
use crate::error::VaultError;
use crate::hex;
use crate::released::Released;
use crate::score::{ComparedFigure, Comparison, ReleasedTable, ScoreKind};

impl<A: Adjacency, M: Accounting> Vault<A, M> {
    /// Releases the figures of a comparison of released rows with the real ones, in rows, with one
    /// event for all of them. Tables are over the columns of the source, whatever the method asked
    /// about.
    ///
    /// # Privacy
    /// One unit may move every figure by `Δ`, which is `m / 2` under add/remove and `m` under
    /// replace-one; the proof is at [`Comparison`].
    ///
    /// # Errors
    /// If there are no figures, a table is too large, the budget was issued by another vault or is
    /// too small, or the source fails. The budget is consumed in any case.
    pub fn compare(
        &mut self,
        comparison: &Comparison,
        budget: Budget<A, M>,
    ) -> Result<Released<NoisyScores>, VaultError> {
        let figures = comparison.figures();
        let count = NonZeroU64::new(figures.len() as u64);
        let count = count.ok_or_else(|| VaultError::config("figures", &0, "at least one"))?;
        comparison.check(self.source.0.domain())?;
        let mut digest = Sha256::new();
        comparison.question(&mut digest);
        let question = Question::Scores {
            score: ScoreKind::Comparison,
            candidates: count,
            heaviest: NonZeroU32::MIN,
            rows: None,
            digest: hex(&digest.finalize()),
        };
        let is_charged = |figure: &&ComparedFigure| {
            !(Mutant::LargestErrorIsFree.is_planted() && matches!(figure, ComparedFigure::LargestError(_)))
        };
        let charged = figures.iter().filter(is_charged).count().max(1);
        let one_row = Comparison::sensitivity(A::KIND);
        let one = ScoreUnits::of_unit(one_row, NonZeroU32::MIN, self.releases.max_contributions());
        let sensitivity = one.and_then(|one| Sensitivity::of_scores(one, charged as u64));
        let sensitivity = sensitivity.ok_or(VaultError::Bug { what: "a sensitivity does not fit" })?;
        let mechanism = self.releases.charge(1, budget, |share| M::noise(sensitivity, share))?;
        let event = self.releases.event(question, mechanism, sensitivity.lattice_log2(), figures.len());
        let released =
            self.release(vec![event], |vault| Ok(vec![Exact::Scores(vault.compared_values(comparison)?)]))?;
        Ok(released.map(|values| NoisyScores::new(values.into_iter().flatten(), mechanism)))
    }

    /// Computes the exact figures: in one scan if all tables fit into a batch, and in one more for
    /// each recoded count.
    fn compared_values(&self, comparison: &Comparison) -> Result<Vec<i128>, VaultError> {
        let domain = self.source.0.domain();
        let tables = comparison.tables();
        let (recoded, plain): (Vec<usize>, Vec<usize>) =
            (0..comparison.counts().len()).partition(|&count| comparison.counts()[count].recoding().is_some());
        let plain_cliques = plain.iter().map(|&count| comparison.counts()[count].clique());
        let cliques: Vec<Clique> = tables.iter().map(ReleasedTable::clique).chain(plain_cliques).cloned().collect();
        let lengths = table_lengths(domain, &cliques)?;
        let (mut distances, mut sums) = (Vec::with_capacity(tables.len()), vec![0; comparison.counts().len()]);
        for batch in batches(&lengths, CELLS_PER_SCAN) {
            let counted = count_tables(&*self.source.0, None, &cliques[batch.clone()], &lengths[batch.clone()])?;
            for (place, table) in batch.zip(&counted) {
                if let Some(released) = tables.get(place) {
                    distances.push(released.distance(domain, table.counts()));
                } else {
                    let count = plain[place - tables.len()];
                    sums[count] = comparison.counts()[count].value(table.counts());
                }
            }
        }
        for count in recoded {
            let weighted = &comparison.counts()[count];
            let columns = weighted.recoding().map_or(domain, Recoding::domain);
            let clique = std::slice::from_ref(weighted.clique());
            let counted = count_tables(&*self.source.0, weighted.recoding(), clique, &table_lengths(columns, clique)?)?;
            sums[count] = counted.iter().map(|table| weighted.value(table.counts())).sum();
        }
        Ok(comparison.values(&distances, &sums))
    }
}
