#![doc = include_str!("mst.md")]

mod options;
mod outline;
mod spanning_tree;

use scumble_pgm::{Stop, simplex};
use scumble_schema::{Clique, Domain, Hierarchies, Recoding};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, ApproxDp, Budget, NoisyTable, Selecting, Share, Vault};

pub use self::options::Options;
use self::spanning_tree::{End, Ruled, spanning_tree};
use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::merging::{Merging, max_groups, merged, non_constant_columns, with_levels};
use crate::model_fitter::{ModelFitter, public_rows};
use crate::noisy::{counts, whole};
use crate::outline::{ErrorRange, Outline};
use crate::terms::{MethodAccounting, MethodAdjacency};
use crate::versions::Versions;

const THIRD: Share = Share::of(1, 3).expect("a third is a proper fraction");
const HALF: Share = Share::of(1, 2).expect("a half is a proper fraction");
/// When the fit ends.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 1_000 };

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "Every column is measured, then the pairs of a spanning tree over the columns, chosen to be those that are most strongly related: \
         McKenna, Miklau and Sheldon, 2021."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Gdp, AccountingKind::Zcdp]
    }

    fn accounting(&self, _: ApproxDp) -> AccountingKind {
        self.accounting.into()
    }

    fn keeps_rules(&self) -> bool {
        true
    }

    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        self.check_columns(base)?;
        with_levels(base, declared)
    }

    fn merges(&self) -> Option<Merging> {
        Some(self.merging())
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::{Beyond, Times};
        [Times(0.7, 1.8), Beyond(0.011, 0.088), Beyond(0.024, 0.15), Beyond(0.041, 0.19), Beyond(0.07, 0.22)]
    }

    /// Measures every column, merges values that are too rare for their noise, chooses a spanning tree of the pairs that independence
    /// explains worst, and measures these: a third of the budget each. The model gives no probability to what rules forbid.
    ///
    /// # Privacy
    /// One table per column (Δ₂ 1; √2 under replace-one); then one selection per edge by the exponential mechanism among half L1 errors
    /// against products of released tables (Δ 1/2; 1 under replace-one), and one table per edge. Which values are merged is decided on
    /// released tables. All that follows reads released values and the schema.
    ///
    /// # Reference
    /// McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithms 1 to 3.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        ModelTerms { recoding, rules }: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        // Declared levels say which rare values are merged, and no more is asked about them.
        let base = recoding.base();
        let columns = non_constant_columns(base);
        if columns.len() < 2 && rules.is_empty() {
            return crate::independent::fit(vault, budget, base);
        }
        let one_way: Vec<Clique> = columns.into_iter().map(Clique::single).collect();
        let (for_columns, rest) = budget.split(THIRD);
        let mut tables = vault.measure(&one_way, for_columns)?.into_inner();

        let merged = merged(recoding, self.merging(), &tables)?;
        vault.recode(merged.clone())?;
        let versions = Versions::new(&merged, rules)?;
        let fitter = ModelFitter::new(versions.domain(), versions.links(), self.spread, public_rows(vault)?);
        let rows = fitter.rows(&tables);
        let ends = ends(&versions, &tables, rows);
        let tied = (!rules.is_empty()).then(|| Ruled::new(&versions));
        if ends.len() < 2 {
            // No two columns are left to relate: what was meant for that makes the first tables better.
            tables.extend(vault.measure(&one_way, rest)?.into_inner());
        } else {
            let (for_choices, for_pairs) = rest.split(HALF);
            let pairs = spanning_tree(vault, &ends, rows, tied.as_ref(), for_choices)?;
            // Rules may leave no pair that the model has room for.
            let asked = if pairs.is_empty() { &one_way } else { &pairs };
            tables.extend(vault.measure(asked, for_pairs)?.into_inner());
        }
        let model = fitter.model(&tables, None, STOP)?.model;
        let rows = whole(model.total());
        Ok(Fitted::new(Distribution::Tree(model), rows))
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        outline::outline(outline, recoding.base(), amount)
    }
}

/// What the tree may join: every column with its rare values merged, as far as values are left to tell apart, and not too many.
fn ends(versions: &Versions, one_way: &[NoisyTable], rows: f64) -> Vec<End> {
    let domain = versions.domain();
    let max_size = max_groups(versions.columns());
    let end = |(column, table): (usize, &NoisyTable)| {
        let (finest, coarsest) = versions.ends_of(column);
        if !(2..=max_size).contains(&domain.size(coarsest)) {
            return None;
        }
        let mut expected = vec![0.0; domain.size(coarsest) as usize];
        let shares = simplex::project(&counts(table), rows);
        for (share, group) in shares.into_iter().zip(versions.groups(finest, coarsest)) {
            expected[group as usize] += share * rows;
        }
        Some(End { column: coarsest, expected })
    };
    one_way.iter().enumerate().filter_map(end).collect()
}
