#![doc = include_str!("mst.md")]

mod options;
mod outline;

use scumble_pgm::Stop;
use scumble_schema::{Clique, Domain, Hierarchies, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::score::HalfL1;
use scumble_vault::{AccountingKind, ApproxDp, Budget, Selecting, Share, Vault};

pub use self::options::Options;
use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::merging::{Merging, max_groups, merged, non_constant_tables, with_levels};
use crate::learning::model_fitter::{ModelFitter, public_rows};
use crate::learning::spanning_tree::{End, NamedEdges, Ruled, spanning_tree};
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::model::fitted::Fitted;
use crate::planning::outline::{ErrorRange, Outline};

const THIRD: Share = Share::of(1, 3).expect("a third is a proper fraction");
const HALF: Share = Share::of(1, 2).expect("a half is a proper fraction");
/// Stopping rule of the fit where rules or shrinkage need a search.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 1_000 };

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "Every column is measured, then the pairs of a spanning tree over the columns, selected for strong relations: McKenna, Miklau and \
         Sheldon, 2021."
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

    fn of_schema(&self, schema: &Schema) -> Result<Self, MechanismError> {
        Ok(Self { workload: self.workload.by_place(schema)?, ..self.clone() })
    }

    /// Measures every column, merges rare values, selects a spanning tree of pairs that
    /// independence explains badly, and measures them: a third of the budget each. Pairs that the
    /// workload names are edges wherever they close no cycle, and edges within its larger tables
    /// are selected before others. The model gives no probability to combinations that rules
    /// forbid.
    ///
    /// # Privacy
    /// One table per column (Δ₂ 1; √2 under replace-one); then one selection per edge that the
    /// workload does not name, by the exponential mechanism among half L1 errors against products
    /// of released tables (Δ 1/2; 1 under replace-one), and one table per edge. Merging reads
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
        // Declared levels only decide which rare values are merged.
        let base = recoding.base();
        let one_way = non_constant_tables(base);
        if one_way.len() < 2 && rules.is_empty() {
            return crate::methods::independent::fit(vault, budget, base);
        }
        let (for_columns, rest) = budget.split(THIRD);
        let mut tables = vault.measure(&one_way, for_columns)?.into_inner();

        let merged = merged(recoding, self.merging(), &tables)?;
        vault.recode(merged.clone())?;
        let versions = ColumnLevels::new(&merged, rules)?;
        let fitter = ModelFitter::new(versions.domain(), versions.links(), self.spread, public_rows(vault)?);
        let rows = fitter.rows(&tables);
        let ends = End::all(&versions, &tables, rows, max_groups(versions.columns()));
        let tied = (!rules.is_empty()).then(|| Ruled::new(&versions));
        if ends.len() < 2 {
            // No two columns are left to relate: the rest of the budget measures the columns again.
            tables.extend(vault.measure(&one_way, rest)?.into_inner());
        } else {
            let (for_selections, for_pairs) = rest.split(HALF);
            let fits = |tree: &[Clique], pair: &Clique| tied.as_ref().is_none_or(|tied| tied.have_room(tree, pair));
            let score =
                |[one, other]: [usize; 2]| HalfL1::against_product(ends[one].table(), ends[other].table(), rows);
            let named = NamedEdges::new(&ends, &self.named_tables(base, &versions)?);
            let (edges, unspent) = spanning_tree(vault, &ends, &named, for_selections, fits, score)?;
            let for_pairs = match unspent {
                Some(unspent) => for_pairs.join(unspent)?,
                None => for_pairs,
            };
            let pairs: Vec<Clique> = edges.into_iter().map(|edge| End::pair(&ends, edge)).collect();
            // With rules, the model may have room for no pair.
            let asked = if pairs.is_empty() { &one_way } else { &pairs };
            tables.extend(vault.measure(asked, for_pairs)?.into_inner());
        }
        let forest = if self.spread.is_none() { fitter.forest(&tables)? } else { None };
        let model = match forest {
            Some(model) => model,
            None => fitter.model(&tables, None, STOP)?.model,
        };
        Ok(Fitted::of_tree(model))
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        outline::outline(outline, recoding.base(), self, amount)
    }
}
