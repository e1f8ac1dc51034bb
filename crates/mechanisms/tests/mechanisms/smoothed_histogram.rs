//! The smoothed histogram: its numbers against what the vault charges, and its rows.

use std::num::NonZeroU32;

use scumble_mechanisms::smoothed_histogram::{Draws, Options, default_rows};
use scumble_mechanisms::{Distribution, MechanismError, Method, MethodAccounting, fit};
use scumble_schema::{Domain, Schema};
use scumble_testing::RowSource;
use scumble_vault::account::{Mechanism, Smoothing, zcdp};
use scumble_vault::{AccountingKind, ApproxDp, Certificate, Delta, Epsilon, Pure, ReplaceOne, Vault, VaultError, Zcdp};

/// Draws columns from a number of equal rows. Also returns the certificate of the vault.
fn draw<M: MethodAccounting>(
    sizes: &[u32],
    row: &[u32],
    (rows, unit, epsilon): (usize, u32, f64),
    options: Options,
) -> Result<(Vec<Vec<u32>>, Certificate), MechanismError> {
    let domain = Domain::new(sizes.to_vec()).unwrap();
    let source = RowSource::new(domain.clone(), vec![row.to_vec(); rows]);
    let delta = if M::KIND == AccountingKind::Pure { 0.0 } else { 1e-9 };
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    let unit = NonZeroU32::new(unit).unwrap();
    let (mut vault, budget) = Vault::<ReplaceOne, M>::open(Box::new(source), goal, unit)?;
    let fitted = Method::SmoothedHistogram(options).fit_columns(&mut vault, budget)?;
    let Distribution::Rows(drawn) = fitted.distribution else { panic!("it releases rows") };
    Ok((drawn.iter().map(|column| column.iter().collect()).collect(), vault.close()))
}

fn smoothing(certificate: &Certificate) -> Smoothing {
    certificate.verify().unwrap();
    match certificate.events() {
        [event] => match event.mechanism() {
            Mechanism::SmoothedHistogram(smoothing) => smoothing,
            other => panic!("rows were drawn by {other:?}"),
        },
        events => panic!("{} releases", events.len()),
    }
}

/// `s` as the vault has it.
fn exact(smoothing: &Smoothing) -> f64 {
    f64::from(smoothing.smoothing.get()) * 2_f64.powi(-32)
}

fn draws(smoothing: &Smoothing) -> Draws {
    let Smoothing { cells, unit, rows, drawn, .. } = *smoothing;
    Draws { rows, cells: cells.get(), unit: unit.get(), drawn: drawn.get() }
}

fn numbers_agree<M: MethodAccounting>(index: u32) {
    let (sizes, unit) = ([2 + index % 3, 3, 1 + index % 5], 1 + index % 2);
    let rows = 1 + 997 * index as usize % 1500;
    let epsilon = 0.02 * 1.08_f64.powi(index.cast_signed());
    let options = Options { rows: (!index.is_multiple_of(4)).then_some(1 + 73 * u64::from(index) % 400) };
    let (columns, certificate) = draw::<M>(&sizes, &[1, 2, 0], (rows, unit, epsilon), options).unwrap();
    let charged = smoothing(&certificate);
    let (draws, exact) = (draws(&charged), exact(&charged));
    assert!(columns.iter().all(|column| column.len() as u64 == draws.drawn));
    assert_eq!(draws.cells, sizes.iter().map(|&size| u64::from(size)).product::<u64>());
    let event = &certificate.events()[0];
    // The smallest multiple of 2^-32 that is large enough.
    let (cost, needed) = if M::KIND == AccountingKind::Pure {
        (draws.epsilon_of_smoothing(exact), draws.smoothing_for_epsilon(epsilon))
    } else {
        let rho = zcdp::largest_rho(certificate.goal()).unwrap().to_f64();
        (draws.rho_of_smoothing(exact), draws.smoothing_for_rho(rho))
    };
    let charged = event.cost(M::KIND).unwrap().to_f64();
    assert!((cost / charged - 1.0).abs() < 1e-9, "{cost} is charged as {charged} for {draws:?}");
    assert!(exact > needed - 1e-12 && exact < needed + 2_f64.powi(-32) + 1e-12, "{exact} for {needed}: {draws:?}");
    if options.rows.is_none() && M::KIND == AccountingKind::Pure {
        let by_default = default_rows(draws.rows, draws.cells, unit, |draws| draws.smoothing_for_epsilon(epsilon));
        assert_eq!(draws.drawn, by_default);
    }
}

#[test]
fn the_numbers_are_those_that_the_vault_charges_for() {
    for index in 0..120 {
        numbers_agree::<Pure>(index);
        numbers_agree::<Zcdp>(index);
    }
}

#[test]
fn smoothing_and_cost_are_inverse_to_each_other() {
    for (rows, cells, unit, drawn) in [(1, 2, 1, 1), (1000, 32, 1, 1000), (10_000, 100, 3, 17), (0, 6, 2, 5)] {
        let draws = Draws { rows, cells, unit, drawn };
        for cost in [1e-3, 0.1, 1.0, 20.0] {
            let pure = draws.epsilon_of_smoothing(draws.smoothing_for_epsilon(cost));
            let zcdp = draws.rho_of_smoothing(draws.smoothing_for_rho(cost));
            assert!((pure / cost - 1.0).abs() < 1e-9 && (zcdp / cost - 1.0).abs() < 1e-9, "{draws:?}, {cost}");
        }
    }
}

/// The report inverts its equation (3.2) with the measure of a cell, 1/100, where the theorem has
/// one over it.
#[test]
fn a_grid_of_ten_by_ten_has_a_measure_of_a_hundred_and_not_of_a_hundredth() {
    let report = |m: f64, alpha: f64| m / (10_000.0 * (alpha / 1_000.0).exp() + m - 10_000.0);
    let draws = Draws { rows: 10_000, cells: 100, unit: 1, drawn: 1_000 };
    for alpha in [0.1, 1.0, 10.0, 100.0] {
        assert!((draws.smoothing_for_epsilon(alpha) / report(100.0, alpha) - 1.0).abs() < 1e-9);
    }
    assert!((draws.epsilon_of_smoothing(report(0.01, 1.0)) - 2_399.0).abs() < 1.0);
}

/// Returns every table of a number of rows, as shares.
fn shares(cells: usize, rows: u32) -> Vec<Vec<f64>> {
    fn counts(cells: usize, rows: u32) -> Vec<Vec<u32>> {
        if cells == 1 {
            return vec![vec![rows]];
        }
        let with = |first| counts(cells - 1, rows - first).into_iter().map(move |rest| [vec![first], rest].concat());
        (0..=rows).flat_map(with).collect()
    }
    let share = |count: u32| f64::from(count) / f64::from(rows);
    counts(cells, rows).into_iter().map(|table| table.into_iter().map(share).collect()).collect()
}

/// The expected squared distance between the shares of `drawn` independent draws and `table`, over
/// every sequence of draws.
fn expected_squared_error(table: &[f64], smoothing: f64, drawn: u32) -> f64 {
    let smoothed: Vec<f64> =
        table.iter().map(|share| (1.0 - smoothing) * share + smoothing / table.len() as f64).collect();
    let mut sum = 0.0;
    for sequence in 0..table.len().pow(drawn) {
        let (mut probability, mut counts, mut rest) = (1.0, vec![0_u32; table.len()], sequence);
        for _ in 0..drawn {
            probability *= smoothed[rest % table.len()];
            counts[rest % table.len()] += 1;
            rest /= table.len();
        }
        let off = |(&count, share): (&u32, &f64)| (f64::from(count) / f64::from(drawn) - share).powi(2);
        sum += probability * counts.iter().zip(table).map(off).sum::<f64>();
    }
    sum
}

#[test]
fn the_worst_error_is_that_of_the_worst_table() {
    for (cells, rows, drawn) in [(2, 6, 1), (2, 6, 5), (3, 4, 3), (4, 2, 2)] {
        for smoothing in [0.0, 0.1, 0.4, 0.9, 1.0] {
            // Four cells and two rows cannot be uniform, and 3 cells and 4 rows neither: that one
            // is added.
            let tables = shares(cells, rows).into_iter().chain([vec![1.0 / cells as f64; cells]]);
            let worst = tables.map(|table| expected_squared_error(&table, smoothing, drawn)).fold(0.0, f64::max);
            let draws = Draws { rows: rows.into(), cells: cells as u64, unit: 1, drawn: drawn.into() };
            let said = draws.worst_squared_error(smoothing);
            assert!((worst - said).abs() < 1e-12, "{worst} is said to be {said}: {draws:?}, smoothing {smoothing}");
        }
    }
}

#[test]
fn no_number_of_rows_has_a_smaller_error_than_the_default() {
    for rows in [0, 1, 2, 30, 5_000] {
        for (cells, budget) in [1, 2, 32, 1_000].into_iter().flat_map(|m| [0.001, 0.1, 1.0, 30.0].map(|b| (m, b))) {
            for smoothing in [Draws::smoothing_for_epsilon, Draws::smoothing_for_rho] {
                let error = |drawn| {
                    let draws = Draws { rows, cells, unit: 2, drawn };
                    draws.worst_squared_error(smoothing(draws, budget))
                };
                let chosen = default_rows(rows, cells, 2, |draws| smoothing(draws, budget));
                assert!((1..=rows.max(1)).contains(&chosen));
                let least = (1..=rows.max(1)).map(error).fold(f64::INFINITY, f64::min);
                assert!(error(chosen) <= least * 1.002, "{chosen} of {rows} rows, {cells} cells, budget {budget}");
            }
        }
    }
    // Balanced where the sample is as rough as the smoothing is coarse: near (n epsilon / m)^(2/3).
    let chosen = default_rows(1_000_000, 32, 1, |draws| draws.smoothing_for_epsilon(1.0));
    assert!((900..1100).contains(&chosen), "{chosen}");
}

#[test]
fn codes_stand_in_the_columns_they_were_in() {
    // One row in 2^32 is smoothed away at this epsilon, and one in five hundred of those lands in
    // another cell.
    let options = Options { rows: Some(40) };
    let (columns, certificate) = draw::<Pure>(&[2, 7, 5, 8], &[1, 4, 0, 6], (300, 1, 10_000.0), options).unwrap();
    assert_eq!(columns, [vec![1; 40], vec![4; 40], vec![0; 40], vec![6; 40]]);
    assert_eq!(smoothing(&certificate).smoothing.get(), 1);
}

/// A false alarm has probability 2e-9.
const SIGMAS: f64 = 6.0;

#[test]
fn rows_are_smoothed_as_much_as_is_charged_for() {
    let options = Options { rows: Some(40_000) };
    let (columns, certificate) = draw::<Pure>(&[2, 5], &[1, 3], (20_000, 1, 20.0), options).unwrap();
    let in_other_cells =
        columns[0].iter().zip(&columns[1]).filter(|&(&one, &other)| (one, other) != (1, 3)).count() as f64;
    let z = |smoothing: f64| {
        let share = smoothing * 0.9;
        (in_other_cells - 40_000.0 * share) / (40_000.0 * share * (1.0 - share)).sqrt()
    };
    let smoothing = exact(&smoothing(&certificate));
    assert!(z(smoothing).abs() < SIGMAS, "{} at smoothing {smoothing}", z(smoothing));
    assert!(z(0.9 * smoothing).abs() > SIGMAS && z(1.1 * smoothing).abs() > SIGMAS);
}

#[test]
fn a_table_that_is_too_large_is_refused_with_the_columns_to_coarsen() {
    let fields: String = [("age", 99), ("sex", 1), ("county", 299), ("work", 29), ("school", 19), ("income", 999)]
        .map(|(name, most)| {
            format!(
                "  - {{name: {name}, type: integer, constraints: {{minimum: 0, maximum: {most}, required: true}}}}\n"
            )
        })
        .concat();
    let schema = Schema::parse(&format!("dp: {{adjacency: replace-one}}\nfields:\n{fields}")).unwrap();
    let source = Box::new(RowSource::new(schema.domain().clone(), vec![]));
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::ZERO };
    let error = fit(&schema, source, &Method::SmoothedHistogram(Options::default()), goal, None).unwrap_err();
    assert_eq!(error.to_string(), "a table of all columns would have 36000000000 cells, at most 10000000 are possible");
    assert_eq!(
        error.hint(),
        "leave out columns, or coarsen the largest; the columns with most codes are `income` (1000 codes), `county` (300 \
         codes), `age` (100 codes)"
    );
}

#[test]
fn no_rows_and_too_many_are_refused() {
    for rows in [0, 50_000_001] {
        let error = draw::<Zcdp>(&[2], &[0], (5, 1, 1.0), Options { rows: Some(rows) }).unwrap_err();
        assert!(matches!(error, MechanismError::Vault(VaultError::Config { parameter: "rows", .. })), "{error}");
    }
}

#[test]
fn a_table_without_rows_gives_one_row() {
    let (columns, _) = draw::<Pure>(&[2, 3], &[0, 0], (0, 1, 1.0), Options::default()).unwrap();
    assert_eq!(columns.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
}

/// The unit square in ten by ten cells.
fn grid() -> Schema {
    let column = |name: &str| {
        format!(
            "  - {{name: {name}, type: number, constraints: {{minimum: 0, maximum: 1, required: true}}, \
             dp: {{bins: {{count: 10}}}}}}\n"
        )
    };
    Schema::parse(&format!("dp: {{adjacency: replace-one}}\nfields:\n{}{}", column("x"), column("y"))).unwrap()
}

#[test]
fn cells_are_half_open_and_the_last_one_is_closed() {
    let schema = grid();
    assert_eq!(schema.domain().sizes(), [10, 10]);
    let encoder = schema.attributes()[0].encoder();
    let code = |value: f64| encoder.text(value.to_string().as_bytes());
    for bin in 0..10 {
        let edge = f64::from(bin) / 10.0;
        assert_eq!(code(edge), bin, "an edge opens a cell");
        if bin > 0 {
            assert_eq!(code(edge.next_down()), bin - 1, "and is not in the cell before it");
        }
    }
    assert_eq!(code(1.0), 9, "but the greatest value has a cell too");
}
