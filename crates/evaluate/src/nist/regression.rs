//! Income inequality and pay gaps, place by place.

use serde::Serialize;

use super::{Earnings, PERFECT};
use crate::error::EvaluateError;
use crate::table::Columns;

/// The two components of the regression metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// Closeness of the places' Gini coefficients of income.
    pub inequality: f64,
    /// Closeness of the places' ranks by the pay gap between the sexes.
    pub ranks: f64,
}

impl Regression {
    /// Returns the score of the metric: the mean of both components.
    pub fn score(&self) -> f64 {
        f64::midpoint(self.inequality, self.ranks)
    }
}

/// The two numbers of a place that are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    gini: f64,
    /// Number of places with a larger pay gap.
    rank: u32,
}

/// Scores the places where somebody has an income in the real table. A place where nobody has one
/// in the synthetic table has closeness zero.
pub(super) fn score(real: &Columns, synthetic: &Columns, earnings: &Earnings) -> Result<Regression, EvaluateError> {
    earnings.check(real.domain())?;
    let (real, synthetic) = (places(real, earnings), places(synthetic, earnings));
    let pairs: Vec<(Place, Option<Place>)> =
        real.into_iter().zip(synthetic).filter_map(|(real, synthetic)| Some((real?, synthetic))).collect();
    if pairs.is_empty() {
        return Err(EvaluateError::config("real", "a table in which somebody has an income"));
    }
    let count = pairs.len() as f64;
    let largest = (count - 1.0).max(1.0);
    let root_mean_square = |closeness: &dyn Fn(Place, Place) -> f64| {
        let close =
            pairs.iter().map(|&(real, synthetic)| synthetic.map_or(0.0, |synthetic| closeness(real, synthetic)));
        PERFECT * (close.map(|close| close.max(0.0).powi(2)).sum::<f64>() / count).sqrt()
    };
    Ok(Regression {
        inequality: root_mean_square(&|real, synthetic| 1.0 - (real.gini - synthetic.gini).abs()),
        ranks: root_mean_square(&|real, synthetic| 1.0 - f64::from(real.rank.abs_diff(synthetic.rank)) / largest),
    })
}

/// Returns each place by its code; `None` where nobody has an income.
fn places(table: &Columns, earnings: &Earnings) -> Vec<Option<Place>> {
    let [places, codes] = [earnings.place, earnings.income].map(|role| table.domain().size(role) as usize);
    let mut all = vec![vec![0_u64; codes]; places];
    let mut of_sexes = vec![[Earned::default(); 2]; places];
    let rows = table
        .codes(earnings.place)
        .iter()
        .zip(table.codes(earnings.sex).iter())
        .zip(table.codes(earnings.income).iter());
    for ((place, sex), code) in rows {
        let (place, code) = (place as usize, code as usize);
        let Some(income) = earnings.incomes[code] else { continue };
        all[place][code] += 1;
        if let Some(position) = earnings.sexes.iter().position(|&one| one == sex) {
            of_sexes[place][position].add(income);
        }
    }
    let rank = ranks(&all, &of_sexes);
    let place =
        |(counts, rank): (Vec<u64>, Option<u32>)| Some(Place { gini: gini(&counts, &earnings.incomes), rank: rank? });
    all.into_iter().zip(rank).map(place).collect()
}

/// Ranks the places by their pay gap, the largest first and ties by code. `None` where nobody has
/// an income.
fn ranks(all: &[Vec<u64>], of_sexes: &[[Earned; 2]]) -> Vec<Option<u32>> {
    let gap = |place: usize| of_sexes[place][0].mean() - of_sexes[place][1].mean();
    let mut order: Vec<usize> = (0..all.len()).filter(|&place| all[place].iter().any(|&count| count > 0)).collect();
    order.sort_by(|&left, &right| gap(right).total_cmp(&gap(left)));
    let mut ranks = vec![None; all.len()];
    for (rank, place) in (0..).zip(order) {
        ranks[place] = Some(rank);
    }
    ranks
}

/// The incomes of one sex at one place.
#[derive(Debug, Clone, Copy, Default)]
struct Earned {
    people: u32,
    sum: f64,
}

impl Earned {
    fn add(&mut self, income: f64) {
        self.people += 1;
        self.sum += income;
    }

    /// Returns the mean income, or zero without people.
    fn mean(self) -> f64 {
        self.sum / f64::from(self.people.max(1))
    }
}

/// Returns the Gini coefficient of people with these incomes: half the mean difference of two
/// incomes over the mean income. Zero if all incomes are zero.
fn gini(counts: &[u64], incomes: &[Option<f64>]) -> f64 {
    let mut groups: Vec<(f64, f64)> =
        counts.iter().zip(incomes).filter_map(|(&count, &income)| Some((income?, count as f64))).collect();
    groups.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
    let people: f64 = groups.iter().map(|&(_, count)| count).sum();
    // Twice the area below the curve of cumulative income over cumulative people, which is straight
    // within a group.
    let (mut earned, mut area) = (0.0, 0.0);
    for (income, count) in groups {
        let before = earned;
        earned += income * count;
        area += count * (before + earned);
    }
    if earned > 0.0 { 1.0 - area / (people * earned) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use scumble_schema::{AttributeId, Domain};

    use super::*;

    fn gini_of(incomes: &[f64]) -> f64 {
        gini(&vec![1; incomes.len()], &incomes.iter().copied().map(Some).collect::<Vec<_>>())
    }

    /// Rows of income, sex and place.
    fn table(rows: &[[u32; 3]]) -> Columns {
        let column = |position: usize| rows.iter().map(|row| row[position]).collect();
        Columns::new(Domain::new(vec![4, 2, 3]).unwrap(), [0, 1, 2].map(column).to_vec()).unwrap()
    }

    fn earnings() -> Earnings {
        let [income, sex, place] = [0, 1, 2].map(AttributeId::new);
        Earnings { income, incomes: vec![None, Some(0.0), Some(10.0), Some(30.0)], sex, sexes: [0, 1], place }
    }

    #[test]
    fn the_gini_coefficient_is_half_the_relative_mean_difference() {
        for incomes in [vec![5.0, 5.0], vec![0.0, 1.0], vec![3.0, 1.0, 4.0, 1.0, 5.0], vec![0.0; 3], vec![7.0]] {
            let people = incomes.len() as f64;
            let differences: f64 = incomes.iter().flat_map(|x| incomes.iter().map(move |y: &f64| (x - y).abs())).sum();
            let total: f64 = incomes.iter().sum();
            let due = if total > 0.0 { differences / (2.0 * people * total) } else { 0.0 };
            assert!((gini_of(&incomes) - due).abs() < 1e-15, "{incomes:?}");
        }
    }

    #[test]
    fn people_without_an_income_are_left_out() {
        let counts = [9, 1, 1];
        let incomes = [None, Some(1.0), Some(3.0)];
        assert!((gini(&counts, &incomes) - 0.25).abs() < 1e-15);
        assert_eq!(places(&table(&[[0, 0, 1]]), &earnings()), [None; 3]);
    }

    #[test]
    fn places_are_ranked_by_the_gap_between_the_sexes() {
        // Gaps: place 0 none, place 1 30 - 10, place 2 10 - 30.
        let rows = [[2, 0, 0], [2, 1, 0], [3, 0, 1], [2, 1, 1], [2, 0, 2], [3, 1, 2]];
        let ranks = places(&table(&rows), &earnings()).into_iter().map(|place| place.unwrap().rank);
        assert_eq!(ranks.collect::<Vec<_>>(), [1, 0, 2]);
    }

    #[test]
    fn both_components_are_root_mean_squares_of_closeness() {
        let rows = [[2, 0, 0], [2, 1, 0], [3, 0, 1], [2, 1, 1], [2, 0, 2], [3, 1, 2]];
        let real = table(&rows);
        // The sexes of the last two places change roles: ranks 1, 2, 0 instead of 1, 0, 2, and the
        // coefficients stay.
        let mut swapped = rows;
        swapped[2..].iter_mut().for_each(|row| row[1] = 1 - row[1]);
        let regression = score(&real, &table(&swapped), &earnings()).unwrap();
        assert!((regression.inequality - PERFECT).abs() < 1e-6);
        assert!((regression.ranks - PERFECT * (1.0_f64 / 3.0).sqrt()).abs() < 1e-6);
        assert!((regression.score() - PERFECT * f64::midpoint(1.0, (1.0_f64 / 3.0).sqrt())).abs() < 1e-6);
        // In place 0 one of the two loses the income: 0.5 instead of 0.
        let mut poorer = rows;
        poorer[0][0] = 1;
        let regression = score(&real, &table(&poorer), &earnings()).unwrap();
        assert!((regression.inequality - PERFECT * (2.25_f64 / 3.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_place_without_synthetic_incomes_has_closeness_zero() {
        let real = table(&[[2, 0, 0], [2, 0, 1]]);
        let regression = score(&real, &table(&[[2, 0, 0]]), &earnings()).unwrap();
        assert!((regression.inequality - PERFECT * 0.5_f64.sqrt()).abs() < 1e-6);
        assert!((regression.ranks - PERFECT * 0.5_f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_real_table_without_incomes_is_refused() {
        let real = table(&[[0, 0, 0]]);
        assert!(matches!(score(&real, &real, &earnings()), Err(EvaluateError::Config { .. })));
    }
}
