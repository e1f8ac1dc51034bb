//! Expected counts of a model, which L1 errors compare tables with.

use scumble_pgm::{Factor, ModelError, Sampler, Sampling, TreeModel, parallel};
use scumble_schema::{Clique, CodeColumn, Domain, cells};

/// Maximum number of cells visited for one exact table. Beyond it, counting sampled rows is
/// cheaper; at the limit both take a few milliseconds.
const MAX_EXACT_WORK: u128 = 1 << 20;

/// Number of rows sampled for tables beyond [`MAX_EXACT_WORK`]. The seed is public: sampling adds
/// no privacy.
const SAMPLED_ROWS: u64 = 1 << 18;
const SEED: u64 = 2021;

/// Computes the expected counts of each table under a model. They sum to the model's total.
///
/// A table within one clique of the tree is exact, and so is any other whose sum is cheap. The rest
/// are counted in low-variance rows sampled from the model. Equal models give equal numbers.
///
/// # Errors
/// If a clique has an unknown column, or its table is too large to hold.
pub(crate) fn expected_counts(model: &TreeModel, cliques: &[Clique]) -> Result<Vec<Vec<f64>>, ModelError> {
    expected_within(model, cliques, MAX_EXACT_WORK)
}

fn expected_within(model: &TreeModel, cliques: &[Clique], max_work: u128) -> Result<Vec<Vec<f64>>, ModelError> {
    let is_exact: Vec<bool> = model.marginal_work(cliques).into_iter().map(|work| work <= max_work).collect();
    let some =
        |exact: bool| cliques.iter().zip(&is_exact).filter(move |(_, is)| **is == exact).map(|(clique, _)| clique);
    let mut exact = exact_counts(model, &some(true).cloned().collect::<Vec<_>>())?.into_iter();
    let mut sampled = sampled_counts(model, &some(false).collect::<Vec<_>>())?.into_iter();
    let in_order = is_exact.iter().filter_map(|is| if *is { exact.next() } else { sampled.next() });
    Ok(in_order.collect())
}

fn exact_counts(model: &TreeModel, cliques: &[Clique]) -> Result<Vec<Vec<f64>>, ModelError> {
    let counts = |marginal: Factor| marginal.values().iter().map(|share| share * model.total()).collect();
    Ok(model.marginals(cliques)?.into_iter().map(counts).collect())
}

fn sampled_counts(model: &TreeModel, cliques: &[&Clique]) -> Result<Vec<Vec<f64>>, ModelError> {
    let domain = model.domain();
    let lengths = cliques.iter().map(|clique| {
        let unknown = clique.attributes().iter().find(|attribute| attribute.index() >= domain.len());
        if let Some(&attribute) = unknown {
            return Err(ModelError::UnknownAttribute { attribute });
        }
        domain.table_len(clique).map_err(|_| ModelError::TooLarge {
            cells: domain.cells(clique),
            limit: scumble_schema::limits::CELLS_PER_TABLE,
        })
    });
    let mut counts = lengths.map(|length| Ok(vec![0.0; length?])).collect::<Result<Vec<Vec<f64>>, ModelError>>()?;
    if cliques.is_empty() {
        return Ok(counts);
    }
    let each = model.total() / SAMPLED_ROWS as f64;
    for chunk in Sampler::new(model).sample(SAMPLED_ROWS, SEED, Sampling::LowVariance) {
        for (clique, counts) in cliques.iter().zip(&mut counts) {
            for cell in cells_of(domain, clique, &chunk) {
                counts[cell as usize] += each;
            }
        }
    }
    Ok(counts)
}

/// Counts rows in each table, scaled to sum to `total`.
pub(crate) fn counts_in_rows(
    domain: &Domain,
    cliques: &[Clique],
    chunks: impl Iterator<Item = Vec<CodeColumn>>,
    total: f64,
) -> Vec<Vec<f64>> {
    let chunks: Vec<Vec<CodeColumn>> = chunks.collect();
    let rows: usize = chunks.iter().map(|chunk| chunk.first().map_or(0, CodeColumn::len)).sum();
    let each = total / rows as f64;
    let count = |clique: &Clique| {
        let mut counts = vec![0.0; domain.table_len(clique).expect("candidates have small tables")];
        for chunk in &chunks {
            for cell in cells_of(domain, clique, chunk) {
                counts[cell as usize] += each;
            }
        }
        counts
    };
    parallel::map(cliques, count)
}

/// Returns the cell of every row in a table.
fn cells_of(domain: &Domain, clique: &Clique, rows: &[CodeColumn]) -> Vec<u32> {
    let mut cells = vec![0_u32; rows.first().map_or(0, CodeColumn::len)];
    for (&attribute, stride) in clique.attributes().iter().zip(cells::strides(domain, clique)) {
        let stride = u32::try_from(stride).expect("a table has at most ten million cells");
        match &rows[attribute.index()] {
            CodeColumn::U8(codes) => add(&mut cells, codes, stride),
            CodeColumn::U16(codes) => add(&mut cells, codes, stride),
            CodeColumn::U32(codes) => add(&mut cells, codes, stride),
        }
    }
    cells
}

fn add<T: Copy + Into<u32>>(cells: &mut [u32], codes: &[T], stride: u32) {
    for (cell, &code) in cells.iter_mut().zip(codes) {
        *cell += stride * code.into();
    }
}

#[cfg(test)]
mod tests {
    use scumble_pgm::{Estimator, Measurement};
    use scumble_schema::AttributeId;

    use super::*;

    fn clique<const N: usize>(attributes: [usize; N]) -> Clique {
        Clique::new(attributes.map(AttributeId::new))
    }

    /// A chain of three columns: 0 - 1 - 2, and a fourth on its own.
    fn chain() -> TreeModel {
        let domain = Domain::new(vec![2, 3, 2, 1]).unwrap();
        let table = |clique, counts: &[f64]| Measurement::new(&domain, clique, counts.to_vec(), 1.0).unwrap();
        let measured = [
            table(clique([0, 1]), &[30.0, 5.0, 10.0, 5.0, 40.0, 10.0]),
            table(clique([1, 2]), &[30.0, 5.0, 5.0, 40.0, 10.0, 10.0]),
        ];
        Estimator::new(domain.clone()).estimate(&measured).unwrap().model
    }

    #[test]
    fn exact_and_sampled_counts_are_those_of_the_model() {
        let model = chain();
        let asked = [clique([0, 2]), clique([0, 1]), Clique::empty(), clique([2, 3]), clique([0, 1, 2])];
        let exact = expected_counts(&model, &asked).unwrap();
        let sampled = expected_within(&model, &asked, 0).unwrap();
        for ((clique, exact), sampled) in asked.iter().zip(&exact).zip(&sampled) {
            let marginal = model.marginal(clique).unwrap();
            for ((&expected, &exact), &sampled) in marginal.values().iter().zip(exact).zip(sampled) {
                assert!((exact - expected * model.total()).abs() < 1e-9);
                assert!((sampled - exact).abs() < 1e-3 * model.total(), "{sampled} for {exact} of {clique:?}");
            }
            assert!((sampled.iter().sum::<f64>() - model.total()).abs() < 1e-6);
        }
        // Not within one clique, so without work it has to be sampled.
        assert_ne!(exact[0], sampled[0]);
        assert_eq!(expected_within(&model, &asked, 0).unwrap(), sampled);
    }

    #[test]
    fn unknown_columns_are_refused() {
        assert!(expected_counts(&chain(), &[clique([7])]).is_err());
    }
}
