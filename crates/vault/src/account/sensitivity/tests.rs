use super::*;

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

#[test]
fn tables_have_the_sensitivities_of_the_privacy_rules() {
    for m in [1, 2, 10, u32::MAX] {
        let (unit, m) = (number(m), u128::from(m));
        let added = Sensitivity::of_table(AdjacencyKind::AddRemove, unit);
        assert_eq!((added.l1(), added.squared_l2(), added.lattice_log2()), (m, m * m, 0));
        let replaced = Sensitivity::of_table(AdjacencyKind::ReplaceOne, unit);
        assert_eq!((replaced.l1(), replaced.squared_l2(), replaced.lattice_log2()), (2 * m, 2 * m * m, 0));
    }
}

#[test]
fn no_neighbouring_table_is_further_away_than_its_sensitivity() {
    // All tables of three cells and at most four rows, and all ways to add or replace a unit of at
    // most two rows.
    let m = 2;
    let tables = |rows: u64| (0..=rows).flat_map(move |a| (0..=rows - a).map(move |b| [a, b, rows - a - b]));
    let steps = |from: [u64; 3], to: [u64; 3]| [0, 1, 2].map(|i| u128::from(from[i].abs_diff(to[i])));
    // The largest L1 norm, squared L2 norm and single cell, for added rows and for replaced rows.
    let (mut added, mut replaced) = ([0; 3], [0; 3]);
    let enter = |largest: &mut [u128; 3], step: [u128; 3]| {
        let squared = step.map(|cell| cell * cell).iter().sum();
        let norms = [step.iter().sum(), squared, step.into_iter().max().unwrap()];
        *largest = [0, 1, 2].map(|i| largest[i].max(norms[i]));
    };
    for table in (0..=4).flat_map(tables) {
        for size in 0..=u64::from(m) {
            for old in tables(size) {
                let with = std::array::from_fn(|i| table[i] + old[i]);
                enter(&mut added, steps(table, with));
                for new in tables(size) {
                    enter(&mut replaced, steps(with, std::array::from_fn(|i| table[i] + new[i])));
                }
            }
        }
    }
    let cell = RowUnits::of_cell(number(m)).get();
    for (largest, adjacency) in [(added, AdjacencyKind::AddRemove), (replaced, AdjacencyKind::ReplaceOne)] {
        let due = Sensitivity::of_table(adjacency, number(m));
        assert_eq!(largest, [due.l1(), due.squared_l2(), cell], "{adjacency}");
    }
}

#[test]
fn no_list_of_scores_is_further_away_than_its_sensitivity() {
    // Three scores, each moved by any number of units up to Δ.
    for one in 0..4_u128 {
        let due = Sensitivity::of_scores(ScoreUnits::from_units(one), 3).unwrap();
        let steps = (0..=one).flat_map(|a| (0..=one).flat_map(move |b| (0..=one).map(move |c| [a, b, c])));
        let norms = steps.map(|step| (step.iter().sum(), step.map(|cell| cell * cell).iter().sum()));
        let largest = norms.fold((0, 0), |largest: (u128, u128), norm| (largest.0.max(norm.0), largest.1.max(norm.1)));
        assert_eq!((due.l1(), due.squared_l2()), largest);
        assert_eq!(due.lattice_log2(), crate::score::LATTICE_LOG2);
    }
}

#[test]
fn one_unit_moves_a_score_by_weight_times_rows_times_one_row() {
    let one_row = ScoreUnits::from_rows(2);
    assert_eq!(ScoreUnits::of_unit(one_row, number(3), number(5)), Some(ScoreUnits::from_rows(30)));
    assert_eq!(ScoreUnits::from_rows(6).at_weight_one(number(3)), one_row);
}

#[test]
fn a_weight_that_does_not_divide_a_sensitivity_rounds_it_up() {
    for (weighted, due) in [(6, 2), (7, 3), (8, 3), (9, 3), (1, 1)] {
        assert_eq!(ScoreUnits::from_units(weighted).at_weight_one(number(3)).get(), due);
    }
}

#[test]
fn a_sensitivity_that_does_not_fit_is_none_and_never_wraps_around() {
    let huge = ScoreUnits::from_units(1 << 64);
    assert_eq!(ScoreUnits::of_unit(huge, number(u32::MAX), number(u32::MAX)).map(ScoreUnits::get), {
        Some((1 << 64) * u128::from(u32::MAX) * u128::from(u32::MAX))
    });
    assert_eq!(ScoreUnits::of_unit(ScoreUnits::from_units(1 << 65), number(u32::MAX), number(u32::MAX)), None);
    assert_eq!(Sensitivity::of_scores(huge, 1), None, "its square is 2^128");
    assert_eq!(Sensitivity::of_scores(ScoreUnits::from_units(1 << 63), 4), None, "four of 2^126 are 2^128");
    assert!(Sensitivity::of_scores(ScoreUnits::from_units(1 << 63), 3).is_some());
}
