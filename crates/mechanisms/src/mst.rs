#![doc = include_str!("mst.md")]

mod options;
pub(crate) mod planned;
mod spanning_tree;

use scumble_pgm::{Stop, StructuralZeros, simplex};
use scumble_schema::{Clique, Recoding};
use scumble_vault::{Budget, NoisyTable, Selecting, Share, Vault};

pub use self::options::Options;
use self::spanning_tree::{End, Ruled, spanning_tree};
use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::likeliest::{Likeliest, public_rows};
use crate::merging::{merged, most_groups, telling_columns};
use crate::neighbours::Neighbours;
use crate::noisy::{counts, whole};
use crate::versions::Versions;

const THIRD: Share = Share::of(1, 3).expect("a third is a proper fraction");
const HALF: Share = Share::of(1, 2).expect("a half is a proper fraction");
/// When the fit ends.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 1_000 };

/// Measures every column, merges values that are too rare for their noise, chooses a spanning tree of the pairs that independence
/// explains worst, and measures these: a third of the budget each. The model gives no probability to what `rules` forbid.
///
/// # Privacy
/// One table per column (Δ₂ 1; √2 under replace-one); then one choice per edge by the exponential mechanism among half L1 errors
/// against products of released tables (Δ 1/2; 1 under replace-one), and one table per edge. Which values are merged is
/// decided on released tables. All that follows reads released values and the schema.
///
/// # Errors
/// If the vault refuses.
///
/// # Reference
/// McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithms 1 to 3.
pub fn fit<A: Neighbours, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    recoding: &Recoding,
    rules: &[StructuralZeros],
    options: &Options,
) -> Result<Fitted, MechanismError> {
    // Declared levels tell which rare values are merged, and no more is asked about them.
    let base = recoding.base();
    vault.recode(Recoding::identity(base))?;
    let columns = telling_columns(base);
    if columns.len() < 2 && rules.is_empty() {
        return crate::independent::fit(vault, budget, base);
    }
    let one_way: Vec<Clique> = columns.into_iter().map(Clique::single).collect();
    let (for_columns, rest) = budget.split(THIRD);
    let mut tables = vault.measure(&one_way, for_columns)?.into_inner();

    let merged = merged(recoding, options.merging(), &tables)?;
    vault.recode(merged.clone())?;
    let versions = Versions::new(&merged, rules)?;
    let likeliest = Likeliest::new(versions.domain(), versions.links(), options.spread, public_rows(vault)?);
    let rows = likeliest.rows(&tables);
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
    let model = likeliest.model(&tables, None, STOP)?.model;
    let rows = whole(model.total());
    Ok(Fitted::new(Distribution::Tree(model), rows))
}

/// What the tree may join: every column with its rare values merged, as far as values are left to tell apart, and not too many.
fn ends(versions: &Versions, one_way: &[NoisyTable], rows: f64) -> Vec<End> {
    let domain = versions.domain();
    let most = most_groups(versions.columns());
    let end = |(column, table): (usize, &NoisyTable)| {
        let (finest, coarsest) = versions.ends_of(column);
        if !(2..=most).contains(&domain.size(coarsest)) {
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
