//! Systematic sampling of the codes of one group.

use super::code::Code;

/// Fills `codes` with the expected number of each code, rounded, given cumulative probabilities.
///
/// Looks up points one row apart, all moved by `offset` below one row, in the cumulative
/// probabilities. Every count is its expectation rounded up or down, and its mean over all offsets
/// is the expectation.
pub(super) fn fill<C: Code>(codes: &mut [C], cumulative: &[f64], offset: f64) {
    let line = codes.len() as f64;
    let mut code = 0;
    let mut position = offset;
    for filled in codes {
        // Below one even if the last point rounds up: the last edge is one, and no later code is
        // possible.
        let point = (position / line).min(1.0 - f64::EPSILON / 2.0);
        code += ahead(&cumulative[code..], point);
        *filled = C::from_code(code);
        position += 1.0;
    }
}

/// Returns the number of edges at or below `point`, which is below the last. Doubling steps find
/// near edges in a few comparisons, and far ones in twice the logarithm of their distance.
fn ahead(edges: &[f64], point: f64) -> usize {
    let mut reach = 1;
    while reach < edges.len() && edges[reach - 1] <= point {
        reach *= 2;
    }
    let from = reach / 2;
    let to = reach.min(edges.len());
    from + edges[from..to].partition_point(|&edge| edge <= point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_equal_those_of_a_search_over_all_edges() {
        let edges: Vec<f64> = (1..=1000).map(|code| (f64::from(code) / 1000.0).powi(3)).collect();
        for rows in [1, 2, 7, 100, 3000] {
            for offset in [0.0, 0.3, 1.0 - f64::EPSILON / 2.0] {
                let mut codes = vec![0_u16; rows];
                fill(&mut codes, &edges, offset);
                for (code, row) in codes.into_iter().zip(0_u16..) {
                    let point = (f64::from(row) + offset) / f64::from(u16::try_from(rows).unwrap());
                    assert_eq!(
                        usize::from(code),
                        edges.partition_point(|&edge| edge <= point).min(999),
                        "{rows} {row}"
                    );
                }
            }
        }
    }

    #[test]
    fn over_all_offsets_every_count_is_its_expectation() {
        const OFFSETS: u32 = 10_000;
        let edges = [0.05, 0.05, 0.37, 0.63, 0.94, 1.0];
        let mut sums = [0.0; 6];
        for step in 0..OFFSETS {
            let mut codes = [0_u8; 7];
            fill(&mut codes, &edges, f64::from(step) / f64::from(OFFSETS));
            for code in codes {
                sums[usize::from(code)] += 1.0 / f64::from(OFFSETS);
            }
        }
        for (mean, expected) in sums.into_iter().zip([0.35, 0.0, 2.24, 1.82, 2.17, 0.42]) {
            assert!((mean - expected).abs() < 1e-3, "{sums:?}");
        }
    }

    #[test]
    fn a_point_that_rounds_to_the_end_stays_with_the_last_possible_code() {
        let mut codes = vec![0_u8; 1 << 16];
        fill(&mut codes, &[0.5, 1.0, 1.0], 1.0 - f64::EPSILON / 2.0);
        assert_eq!(codes[(1 << 16) - 1], 1);
    }
}
