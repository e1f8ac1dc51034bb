use std::num::NonZeroU32;

use scumble_pgm::Sampling;
use scumble_schema::{Clique, CodeColumn, Recoding};
use scumble_testing::RowSource as Source;
use scumble_vault::account::{Event, Mechanism, Question};
use scumble_vault::score::ScoreKind;
use scumble_vault::{Accounting, AddRemove, ApproxDp, Certificate, Delta, Epsilon, Gdp, ReplaceOne};

use super::*;
use crate::mechanism::Mechanism as _;

fn recoding_of(options: &Options, base: &Domain) -> Result<Recoding, MechanismError> {
    options.recoding(base, &Hierarchies::new())
}

const SIZES: [u32; 4] = [2, 3, 20, 1];

/// Rows whose second column follows the first, and whose third has its own code or, every other
/// row, one of the first half.
fn table(rows: u32) -> Vec<Vec<u32>> {
    (0..rows)
        .map(|row| vec![row % 2, row % 2 + row / 2 % 4 / 3, if row % 2 == 0 { row / 2 % 20 } else { row % 10 }, 0])
        .collect()
}

fn goal(epsilon: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(1e-5).unwrap() }
}

struct Run {
    fitted: Fitted,
    certificate: Certificate,
    released: Vec<Vec<i64>>,
}

fn run<A: MethodAdjacency>(sizes: &[u32], rows: Vec<Vec<u32>>, epsilon: f64, unit: u32, options: &Options) -> Run {
    let domain = Domain::new(sizes.to_vec()).unwrap();
    let source = Box::new(Source::new(domain.clone(), rows));
    let unit = NonZeroU32::new(unit).unwrap();
    let (mut vault, budget) = Vault::<A, Gdp>::open(source, goal(epsilon), unit).unwrap();
    let model = ModelTerms { recoding: recoding_of(options, &domain).unwrap(), rules: Vec::new() };
    let fitted = options.fit(&mut vault, budget, &model).unwrap();
    let released = vault.released_values().to_vec();
    Run { fitted, certificate: vault.close(), released }
}

fn narrow() -> Options {
    Options { group_width: 3, ..Options::default() }
}

/// `Δ² / σ²` of an event, with its length.
fn cost(event: &Event) -> f64 {
    match event.mechanism() {
        Mechanism::RoundedGaussian { squared_sensitivity, sigma } => {
            let squared = squared_sensitivity as f64;
            squared / sigma.to_f64().powi(2)
        }
        other => panic!("{other:?} is not Gaussian"),
    }
}

fn close(left: f64, right: f64) -> bool {
    (left / right - 1.0).abs() < 1e-9
}

/// The scale of every event, recomputed from its sensitivity and the budget; the shares are those
/// of the paper.
fn check_budgets<A: MethodAdjacency>(unit: u32, share: f64) {
    let options = Options { network_share: share, ..narrow() };
    let run = run::<A>(&SIZES, table(4_000), 2.0, unit, &options);
    run.certificate.verify().unwrap();
    let whole = Gdp::KIND.largest(goal(2.0)).unwrap().to_f64();
    let events = run.certificate.events();
    // Columns 0, 1, 2 and two coarser versions of the last: 20, 7; the column of one code is not
    // scored.
    let pairs = 1.0 + 2.0 * 2.0;
    let unit = f64::from(unit);
    let (counts, variation, public) = match A::KIND {
        scumble_schema::AdjacencyKind::AddRemove => (unit * unit, 4.0, 0),
        scumble_schema::AdjacencyKind::ReplaceOne => (2.0 * unit * unit, (3.0 + 2.0 / 4_000.0_f64).powi(2), 1),
    };
    let mut left = events.iter();
    if public == 0 {
        let rows = left.next().unwrap();
        assert_eq!(rows.table(), Some(&Clique::empty()));
        assert!(close(cost(rows), whole * share / (pairs + 1.0)));
    }
    let scored = left.next().unwrap();
    let Question::Scores { score: ScoreKind::TotalVariation, candidates, .. } = scored.question() else {
        panic!("scores come before tables")
    };
    assert!(close(cost(scored), whole * share * if public == 1 { 1.0 } else { pairs / (pairs + 1.0) }));
    // On the lattice of 2^-10 rows; the sensitivity under replace-one is rounded up to it.
    let Mechanism::RoundedGaussian { squared_sensitivity, .. } = scored.mechanism() else { unreachable!() };
    let one = squared_sensitivity as f64 / candidates.get() as f64 / 1_024.0_f64.powi(2);
    assert!((one / (variation * unit * unit) - 1.0).abs() < 1e-3);
    let tables: Vec<&Event> = left.collect();
    let each = whole * (1.0 - share) / tables.len() as f64;
    for table in &tables {
        assert!(table.table().is_some_and(|clique| !clique.is_empty()));
        assert!(close(cost(table), each));
        let Mechanism::RoundedGaussian { squared_sensitivity, sigma } = table.mechanism() else { unreachable!() };
        let squared = squared_sensitivity as f64;
        assert!(close(squared, counts) && close(sigma.to_f64().powi(2), counts / each));
    }
    assert!(close(events.iter().map(cost).sum::<f64>(), whole), "nothing is left over");
    assert_eq!(events.len(), run.released.len());
}

#[test]
fn every_event_has_the_share_of_the_paper() {
    for unit in [1, 2] {
        for share in [0.2, 0.5] {
            check_budgets::<AddRemove>(unit, share);
            check_budgets::<ReplaceOne>(unit, share);
        }
    }
}

fn tau_of<A: MethodAdjacency>(versions: &Versions, rows: f64, mu_squared_log2: u32, unit: u32) -> u128 {
    let amount = Amount::from_quanta(5 << (96 - mu_squared_log2));
    tau::<A, Gdp>(NonZeroU32::new(unit).unwrap(), rows, amount, versions)
}

#[test]
fn tau_is_the_number_of_rows_over_four_times_the_noise_of_the_maximum_number_of_tables() {
    let domain = Domain::new(SIZES.to_vec()).unwrap();
    let versions = Versions::of_recoding(&recoding_of(&narrow(), &domain).unwrap());
    assert_eq!(versions.max_tables(), 5, "four columns, one of which may come in two steps");
    // Five tables share 5 / 2^8, so sigma is 16 rows, 16 √2 if a row is replaced; n / (4 sigma) =
    // 4000 / 64.
    assert_eq!(tau_of::<AddRemove>(&versions, 4_000.0, 8, 1), 62);
    assert_eq!(tau_of::<ReplaceOne>(&versions, 4_000.0, 8, 1), 44);
    assert_eq!(tau_of::<AddRemove>(&versions, 4_000.0, 8, 2), 31);
    // The noisy number of rows may be negative, and a large budget would allow any number of cells.
    assert_eq!(tau_of::<AddRemove>(&versions, -50.0, 8, 1), 1);
    assert_eq!(tau_of::<AddRemove>(&versions, 1e18, 0, 1), 5_000_000);
}

#[test]
fn versions_of_one_column_are_never_scored_nor_in_one_table() {
    let sizes = [40, 30, 2];
    let versions = Versions::of_recoding(&recoding_of(&narrow(), &Domain::new(sizes.to_vec()).unwrap()).unwrap());
    // Three versions of the first, three of the second, one of the third: 3·3 + 3·1 + 3·1 pairs.
    assert_eq!(versions.domain().sizes(), [40, 30, 2, 14, 5, 10, 4]);
    let pairs = versions.pairs();
    assert_eq!(pairs.len(), 15);
    assert!(pairs.iter().all(|&[left, right]| versions.of(left) != versions.of(right)));
    let rows = (0..2_000).map(|row| vec![row % 40, row % 40 * 3 / 4, row / 20 % 2]).collect();
    let run = run::<AddRemove>(&sizes, rows, 1.0, 1, &narrow());
    let mut in_two_steps = 0;
    for table in run.certificate.events().iter().filter_map(Event::table) {
        let mut of: Vec<usize> = table.attributes().iter().map(|&column| versions.of(column)).collect();
        of.sort_unstable();
        of.dedup();
        assert_eq!(of.len(), table.len());
        in_two_steps += usize::from(table.attributes().iter().any(|column| column.index() >= 3));
    }
    assert!(in_two_steps > 0, "the test should see coarser versions");
}

#[test]
fn only_pairs_that_a_table_can_hold_are_scored() {
    let rows = (0..500).map(|row| vec![row % 50, row % 40, row % 2]).collect();
    let run = run::<AddRemove>(&[50, 40, 2], rows, 0.5, 1, &Options { group_width: 50, ..Options::default() });
    let scored = run.certificate.events().iter().filter(|event| event.table().is_none());
    let lengths: Vec<u64> = scored.map(Event::length).collect();
    assert!(lengths.iter().sum::<u64>() < 3, "50 times 40 cells are too many for 500 rows: {lengths:?}");
}

fn columns(fitted: &Fitted, rows: u64, sampling: Sampling) -> Vec<Vec<u32>> {
    // Only trees look at it, and this is a network.
    let recoding = Recoding::identity(&Domain::new(vec![]).unwrap());
    let chunks: Vec<Vec<CodeColumn>> = fitted.distribution.sample(&recoding, rows, 3, sampling, 0, &[]).collect();
    let width = chunks.first().map_or(0, Vec::len);
    let code = |column: usize| {
        let of_chunk = move |chunk: &Vec<CodeColumn>| {
            (0..chunk[column].len()).map(|row| chunk[column].get(row)).collect::<Vec<_>>()
        };
        chunks.iter().flat_map(of_chunk).collect()
    };
    (0..width).map(code).collect()
}

/// Half the L1 distance of the joint distributions of two columns.
fn distance(left: &[Vec<u32>], right: &[Vec<u32>], pair: [usize; 2]) -> f64 {
    let mut shares = std::collections::BTreeMap::new();
    for (rows, sign) in [(left, 1.0), (right, -1.0)] {
        let each = sign / rows[0].len() as f64;
        for codes in rows[pair[0]].iter().zip(&rows[pair[1]]) {
            *shares.entry(codes).or_insert(0.0) += each;
        }
    }
    shares.values().map(|share: &f64| share.abs()).sum::<f64>() / 2.0
}

/// The three variants of the paper draw the joint distributions of a table that is measured with
/// little noise, and the distance distinguishes them from independent columns.
#[test]
fn all_three_variants_draw_what_was_measured() {
    const FAR: f64 = 0.15;
    let rows = table(20_000);
    let real: Vec<Vec<u32>> = (0..4).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
    // The same columns at different speeds: every one as it was, and no relation.
    let apart: Vec<Vec<u32>> =
        (0..4).map(|column| (0..20_000).map(|row| real[column][row >> column]).collect()).collect();
    let mut seen = 0;
    for probabilities in [Probabilities::Clipped, Probabilities::Nearest] {
        for (consistency, sampling) in [
            (Consistency::Enforced, Sampling::LowVariance),
            (Consistency::Enforced, Sampling::Independent),
            (Consistency::None, Sampling::LowVariance),
        ] {
            let options = Options { consistency, probabilities, ..narrow() };
            let fitted = run::<AddRemove>(&SIZES, rows.clone(), 4.0, 1, &options).fitted;
            assert!(fitted.rows.abs_diff(20_000) < 200);
            let drawn = columns(&fitted, 20_000, sampling);
            for pair in [[0, 1], [0, 2], [1, 2], [2, 3]] {
                let far = distance(&real, &drawn, pair);
                assert!(far < FAR / 2.0, "{options:?} {sampling:?} {pair:?}: {far}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 24);
    for pair in [[0, 1], [0, 2]] {
        assert!(distance(&real, &apart, pair) > FAR, "the test would not see independent columns");
    }
}

#[test]
fn a_column_in_two_steps_never_contradicts_itself() {
    // The first has far too many codes for a table with another column; the others are the same.
    let sizes = [300, 2, 2];
    let row = |row: u32| (row * 7 % 300, u32::from(row * 7 % 300 >= 150));
    let rows: Vec<Vec<u32>> = (0..3_000).map(row).map(|(code, side)| vec![code, side, side]).collect();
    for (consistency, probabilities) in
        [(Consistency::Enforced, Probabilities::Nearest), (Consistency::None, Probabilities::Clipped)]
    {
        let options = Options { consistency, probabilities, ..narrow() };
        let fitted = run::<AddRemove>(&sizes, rows.clone(), 1.0, 1, &options).fitted;
        let Distribution::Network(network) = &fitted.distribution else { panic!("it is a network") };
        let last = network.model().network().pairs().last().unwrap();
        assert_eq!(last.children(), &Clique::single(AttributeId::new(0)), "the first column comes last");
        assert!(last.parents().attributes()[0].index() >= 3, "given a coarser version of itself");
        let recoding = recoding_of(&options, &Domain::new(sizes.to_vec()).unwrap()).unwrap();
        for sampling in [Sampling::LowVariance, Sampling::Independent] {
            let drawn = columns(&fitted, 3_000, sampling);
            for version in 3..recoding.domain().len() {
                let groups = recoding.codes(AttributeId::new(version));
                let agree = drawn[0].iter().zip(&drawn[version]).all(|(&code, &group)| groups[code as usize] == group);
                assert!(agree, "version {version} of the column says something else");
            }
            // Half of the rows fall on the wrong side if the columns are independent.
            let wrong = drawn[0].iter().zip(&drawn[1]).filter(|&(&code, &side)| u32::from(code >= 150) != side).count();
            assert!(wrong < 600, "{wrong} of 3000 rows are on the wrong side");
        }
    }
}

#[test]
fn small_and_strange_tables_are_fitted() {
    let shapes: [(&[u32], u32); 7] =
        [(&[5], 100), (&[1], 10), (&[1, 1, 2], 10), (&[2, 2], 0), (&[1_000, 900], 20), (&[500], 0), (&[2, 3, 4], 1)];
    for (sizes, rows) in shapes {
        let rows: Vec<Vec<u32>> = (0..rows).map(|row| sizes.iter().map(|size| row % size).collect()).collect();
        for epsilon in [0.01, 1.0, 50.0] {
            for options in [narrow(), Options { consistency: Consistency::None, ..narrow() }] {
                for run in [
                    run::<AddRemove>(sizes, rows.clone(), epsilon, 1, &options),
                    run::<ReplaceOne>(sizes, rows.clone(), epsilon, 1, &options),
                ] {
                    run.certificate.verify().unwrap();
                    let drawn = columns(&run.fitted, 50, Sampling::LowVariance);
                    for (column, &size) in drawn.iter().zip(sizes) {
                        assert!(column.len() == 50 && column.iter().all(|&code| code < size));
                    }
                }
            }
        }
    }
}

#[test]
fn a_single_column_gets_the_whole_budget() {
    let rows = (0..100).map(|row| vec![row % 5]).collect();
    let run = run::<AddRemove>(&[5], rows, 1.0, 1, &Options::default());
    assert_eq!(run.certificate.events().len(), 1, "no score, and no other use for the number of rows");
    let whole = Gdp::KIND.largest(goal(1.0)).unwrap().to_f64();
    assert!(close(cost(&run.certificate.events()[0]), whole));
}

#[test]
fn options_out_of_their_range_are_refused() {
    let base = Domain::new(vec![2, 3]).unwrap();
    let refused = |options: Options| recoding_of(&options, &base).is_err();
    assert!(!refused(Options::default()));
    for network_share in [0.0, 1.0, 0.0004, 0.9996, -1.0, f64::NAN] {
        assert!(refused(Options { network_share, ..Options::default() }), "{network_share}");
    }
    for group_width in [0, 1, 65_536] {
        assert!(refused(Options { group_width, ..Options::default() }), "{group_width}");
    }
    let many = recoding_of(&Options::default(), &Domain::new(vec![2; 2_901]).unwrap()).unwrap_err();
    assert!(many.to_string().contains("2901 columns"), "{many}");
    let read = serde_json::from_str::<Options>;
    assert_eq!(read("{}").unwrap(), Options::default());
    assert!(read(r#"{"groups": 3}"#).is_err());
    assert_eq!(read(r#"{"probabilities": "clipped"}"#).unwrap().probabilities, Probabilities::Clipped);
}
