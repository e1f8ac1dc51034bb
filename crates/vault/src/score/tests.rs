//! Every score against its definition, on all small tables and their neighbours, and on random
//! larger ones.

use std::cmp::Ordering;
use std::num::NonZeroU32;

use proptest::prelude::*;
use scumble_schema::AttributeId;

use super::*;
use crate::account::{AddRemove, ReplaceOne};

/// Shapes of T2 (`docs/reference/privacy-tests.md`): cells of the left side, of the right side,
/// maximum rows.
const SHAPES: [(u32, u32, u64); 5] = [(2, 2, 8), (2, 3, 8), (3, 3, 8), (2, 4, 7), (3, 4, 5)];

/// An exact number with a positive denominator.
#[derive(Debug, Clone, Copy)]
struct Fraction(i128, i128);

impl Fraction {
    const ZERO: Self = Self(0, 1);

    fn distance(self, other: Self) -> Self {
        if self.1 == other.1 {
            return Self((self.0 - other.0).abs(), self.1);
        }
        Self((self.0 * other.1 - other.0 * self.1).abs(), self.1 * other.1)
    }

    fn on_lattice(self) -> i128 {
        (self.0 << LATTICE_LOG2).div_euclid(self.1)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
}

/// A table of two attributes, as lines of counts.
type Lines = Vec<Vec<i128>>;

fn clique<const N: usize>(attributes: [usize; N]) -> Clique {
    Clique::new(attributes.map(AttributeId::new))
}

fn domain<const N: usize>(sizes: [u32; N]) -> Domain {
    Domain::new(sizes.to_vec()).unwrap()
}

fn lines(counts: &[u64], width: u32) -> Lines {
    counts.chunks_exact(width as usize).map(|line| line.iter().copied().map(i128::from).collect()).collect()
}

/// Returns all tables of `cells` cells and `rows` rows.
fn tables(cells: usize, rows: u64) -> Vec<Vec<u64>> {
    if cells == 1 {
        return vec![vec![rows]];
    }
    let first_then = |first| tables(cells - 1, rows - first).into_iter().map(move |rest| [vec![first], rest].concat());
    (0..=rows).flat_map(first_then).collect()
}

/// The largest steps between exact values, where the larger table has `rows` rows.
struct Steps {
    rows: u64,
    joined: Fraction,
    replaced: Fraction,
}

/// Enumerates tables of one shape: checks that the code gives the floors of the exact values, and
/// that neighbours stay within the sensitivities. Returns the largest exact steps by the number of
/// rows.
fn enumerate<S: Statistic>(
    (left, right, most): (u32, u32, u64),
    score: &S,
    exact: impl Fn(&Lines) -> Fraction,
    joined: Option<u128>,
    replaced: impl Fn(u64) -> u128,
) -> Vec<Steps> {
    let domain = domain([left, right]);
    score.check(&domain).unwrap();
    assert_eq!(score.clique(), &clique([0, 1]));
    let both = |counts: &[u64]| {
        let (exact, value) = (exact(&lines(counts, right)), score.value(&domain, counts));
        assert_eq!(value, exact.on_lattice(), "{counts:?}");
        (exact, value)
    };
    let steps = |rows| {
        let mut steps = Steps { rows, joined: Fraction::ZERO, replaced: Fraction::ZERO };
        for mut table in tables((left * right) as usize, rows - 1) {
            let before = both(&table);
            let mut after = Vec::new();
            for cell in 0..table.len() {
                table[cell] += 1;
                after.push(both(&table));
                table[cell] -= 1;
            }
            for (index, &(exact, value)) in after.iter().enumerate() {
                steps.joined = steps.joined.max(exact.distance(before.0));
                assert!(joined.is_none_or(|joined| value.abs_diff(before.1) <= joined), "{table:?} + {index}");
                for other in &after[..index] {
                    steps.replaced = steps.replaced.max(exact.distance(other.0));
                    assert!(value.abs_diff(other.1) <= replaced(rows), "{table:?} + {index} or another");
                }
            }
        }
        steps
    };
    (1..=most).map(steps).collect()
}

/// Runs [`enumerate`] for a score of both adjacencies, and checks that the largest exact steps are
/// within the sensitivities.
fn enumerate_both<S: Score<AddRemove> + Score<ReplaceOne>>(
    shape: (u32, u32, u64),
    score: &S,
    exact: impl Fn(&Lines) -> Fraction,
) -> Vec<Steps> {
    let domain = domain([shape.0, shape.1]);
    let joined = Score::<AddRemove>::sensitivity(score, &domain, ()).get();
    let replaced = |rows| Score::<ReplaceOne>::sensitivity(score, &domain, rows).get();
    let steps = enumerate(shape, score, exact, Some(joined), replaced);
    let within = |step: Fraction, units: u128| step <= Fraction(units.cast_signed(), ONE.into());
    assert!(steps.iter().all(|step| within(step.joined, joined) && within(step.replaced, replaced(step.rows))));
    steps
}

fn total_variation(table: &Lines) -> Fraction {
    let rows: i128 = table.iter().flatten().sum();
    let column = |j: usize| table.iter().map(|line| line[j]).sum::<i128>();
    let cell = |line: &Vec<i128>, j: usize| (rows * line[j] - line.iter().sum::<i128>() * column(j)).abs();
    let numerator = table.iter().flat_map(|line| (0..line.len()).map(move |j| cell(line, j))).sum();
    Fraction(numerator, (2 * rows).max(1))
}

#[test]
fn total_variation_has_the_sensitivity_of_the_privacy_rules() {
    let score = TotalVariation::between(clique([0]), clique([1])).unwrap();
    for shape in SHAPES {
        for Steps { rows, joined, replaced } in enumerate_both(shape, &score, total_variation) {
            // 2n/(n+1), where the rules write n for the smaller of the two numbers of rows.
            let rows = i128::from(rows);
            assert_eq!(joined, Fraction(2 * (rows - 1), rows), "{shape:?}");
            let replaced_most = match rows {
                1 => Fraction::ZERO,
                // Below the 3(n-1)/n that is proved: three lines are too few to reach it.
                _ if shape.0 == 3 => Fraction(5 * rows - 6 - rows % 2, 2 * rows),
                _ => Fraction(2 * (rows - 1), rows),
            };
            assert_eq!(replaced, replaced_most, "{shape:?}");
        }
    }
}

/// A large grid with one row in every cell is independent. Replacing a row there moves the score by
/// nearly 3.
#[test]
fn total_variation_without_a_binary_side_has_sensitivity_three() {
    let side = 100;
    let (domain, score) = (domain([side, side]), TotalVariation::between(clique([0]), clique([1])).unwrap());
    let mut counts = vec![1; (side * side) as usize];
    assert_eq!(score.value(&domain, &counts), 0);
    counts[0] -= 1;
    *counts.last_mut().unwrap() += 1;
    let (moved, three) = (score.value(&domain, &counts), i128::from(3 * ONE));
    assert!(three * 97 / 100 < moved && moved < three, "{moved} of {three}");
    let sensitivity = |rows| Score::<ReplaceOne>::sensitivity(&score, &domain, rows).get();
    assert_eq!([0, 1, 3, 10_000].map(sensitivity), [5 * 1024, 5 * 1024, 3755, 3073]);
}

/// With many rows in one cell, a first row elsewhere moves the score by one lattice unit less than
/// 2: the floor of `2n/(n+1)`.
#[test]
fn total_variation_comes_within_a_unit_of_its_sensitivity() {
    let (domain, score) = (domain([2, 2]), TotalVariation::between(clique([0]), clique([1])).unwrap());
    let values = [[5000, 0, 0, 0], [5000, 0, 0, 1]].map(|counts| score.value(&domain, &counts));
    assert_eq!(values, [0, 2 * 1024 - 1]);
}

/// Computes `n F` by its definition: the best way to assign parent cells a value of the attribute,
/// with both values used.
fn maximal_joint(table: &Lines) -> Fraction {
    let [first, second] = table.as_slice() else { panic!("the attribute is binary") };
    let rows: i128 = table.iter().flatten().sum();
    let distance = |ways: u32| {
        let given = |line: &[i128], value| (0..line.len()).filter(|j| ways >> j & 1 == value).map(|j| line[j]).sum();
        let sums: [i128; 2] = [given(first, 0), given(second, 1)];
        sums.into_iter().map(|sum| (rows - 2 * sum).max(0)).sum::<i128>()
    };
    Fraction(-(1..(1 << first.len()) - 1).map(distance).min().unwrap(), 2)
}

#[test]
fn maximal_joint_has_the_sensitivity_of_the_privacy_rules() {
    for shape in SHAPES.into_iter().filter(|shape| shape.0 == 2) {
        let score = MaximalJoint::of(AttributeId::new(0), clique([1]), &domain([shape.0, shape.1])).unwrap();
        for Steps { rows, joined, replaced } in enumerate_both(shape, &score, maximal_joint) {
            assert_eq!(joined, Fraction(if rows < 3 { 1 } else { 2 }, 2), "{shape:?}, {rows} rows");
            assert_eq!(replaced, Fraction(i128::from(rows > 1), 1), "{shape:?}, {rows} rows");
        }
    }
}

/// Computes `n I` to the nearest multiple of 2^-40, so that numbers on the lattice are exact.
fn mutual_information(table: &Lines) -> Fraction {
    #[expect(clippy::cast_precision_loss, reason = "small counts are exact")]
    let sum =
        |counts: &[i128]| counts.iter().filter(|&&x| x > 0).map(|&x| x as f64 * libm::log2(x as f64)).sum::<f64>();
    let columns: Vec<i128> = (0..table[0].len()).map(|j| table.iter().map(|line| line[j]).sum()).collect();
    let whole_lines: Vec<i128> = table.iter().map(|line| line.iter().sum()).collect();
    let bits = sum(&table.concat()) + sum(&[columns.iter().sum()]) - sum(&columns) - sum(&whole_lines);
    from_float(bits)
}

#[expect(clippy::cast_possible_truncation, reason = "a small number of bits")]
fn from_float(number: f64) -> Fraction {
    Fraction(libm::round(number * 2_f64.powi(40)) as i128, 1 << 40)
}

/// Computes `φ(x) - φ(x - 1)` with `φ(x) = x lb(x)`.
fn increment(x: f64) -> f64 {
    let phi = |x: f64| if x > 0.0 { x * libm::log2(x) } else { 0.0 };
    phi(x) - phi(x - 1.0)
}

#[test]
fn mutual_information_has_the_sensitivity_of_the_privacy_rules() {
    let score = MutualInformation::between(clique([0]), clique([1])).unwrap();
    for shape in SHAPES {
        let domain = domain([shape.0, shape.1]);
        let sensitivity = |rows| score.sensitivity(&domain, rows).get();
        for Steps { rows, replaced, .. } in enumerate(shape, &score, mutual_information, None, sensitivity) {
            let n = f64::from(u32::try_from(rows).unwrap());
            let claimed = match (shape.0, rows) {
                (_, 1) => 0.0,
                (2, _) => libm::log2(n) + (n - 1.0) * libm::log2(n / (n - 1.0)),
                _ => 2.0 * libm::log2(f64::midpoint(n, 1.0)) + (n - 1.0) * libm::log2((n + 1.0) / (n - 1.0)),
            };
            let reached = match (shape.0, rows % 2) {
                (2, _) | (_, 1) => claimed,
                // Half a row cannot be in a line.
                _ => increment(n / 2.0) + increment(n / 2.0 + 1.0),
            };
            assert!(replaced.distance(from_float(reached)) < Fraction(4, 1 << 40), "{shape:?}, {rows} rows");
            // Rounded up, and one unit more where the claim itself is on the lattice and its error
            // is not.
            let units = from_float(claimed).on_lattice().cast_unsigned();
            assert_eq!(sensitivity(rows), units + 1, "{shape:?}, {rows} rows");
        }
    }
}

/// The first bound of Lemma 1 with the example of the paper, at sizes where errors of logarithms
/// are visible.
#[test]
fn mutual_information_of_the_papers_example_comes_within_a_unit_of_its_sensitivity() {
    let (domain, score) = (domain([2, 2]), MutualInformation::between(clique([0]), clique([1])).unwrap());
    for rows in [2, 1000, 1024, 1_000_000, 1 << 40, MAX_ROWS - 1] {
        let values = [[0, 0, 0, rows], [1, 0, 0, rows - 1]].map(|counts| score.value(&domain, &counts));
        let sensitivity = score.sensitivity(&domain, rows).get().cast_signed();
        // The error of the logarithms is 2^-43 lattice units a row.
        let error = i128::from(rows >> 42);
        assert!((0..=error).contains(&values[0]), "{rows} rows: {values:?}");
        assert!((sensitivity - 1 - 2 * error..=sensitivity).contains(&values[1]), "{rows} rows: {values:?}");
    }
    assert_eq!(score.value(&domain, &[0; 4]), 0);
    assert_eq!(score.value(&domain, &[500, 500, 500, 500]), 0);
    assert_eq!(score.value(&domain, &[500, 0, 0, 500]), 1000 * 1024, "one bit a row");
    assert_eq!(score.sensitivity(&domain, 0), score.sensitivity(&domain, 1), "there is nothing to replace");
}

/// The errors of the logarithms have either sign, and the floor of a slightly negative number would
/// be -1.
#[test]
fn mutual_information_of_independent_sides_is_zero() {
    let (domain, score) = (domain([2, 2]), MutualInformation::between(clique([0]), clique([1])).unwrap());
    for (x, y) in (1..40).flat_map(|x| (1..40).map(move |y| (x, y))) {
        assert_eq!(score.value(&domain, &[x * y, 7 * x, 3 * y, 21]), 0, "({x}, 3) times ({y}, 7)");
    }
}

#[test]
fn l1_errors_have_the_sensitivity_of_the_privacy_rules() {
    for shape in SHAPES {
        // Some cells expect no rows, others more than eight.
        let expected: Vec<i32> = [0, 50, 7].into_iter().cycle().take((shape.0 * shape.1) as usize).collect();
        let quarters: Vec<f64> = expected.iter().map(|&quarters| f64::from(quarters) / 4.0).collect();
        let exact = |table: &Lines| {
            let cells = table.iter().flatten().zip(&expected);
            Fraction(cells.map(|(count, expected)| (4 * count - i128::from(*expected)).abs()).sum(), 4)
        };
        let score = L1Error::against(clique([0, 1]), &quarters).unwrap();
        for Steps { joined, replaced, .. } in enumerate_both(shape, &score, exact) {
            assert_eq!([joined, replaced], [Fraction(1, 1), Fraction(2, 1)], "{shape:?}");
        }
    }
}

#[test]
fn half_l1_distances_have_the_sensitivity_of_the_privacy_rules() {
    for shape in SHAPES {
        // In half rows, over eight rows: cells with negative, zero and too large expected counts.
        let side = |length: u32| [0, 200, -1, 64].into_iter().cycle().take(length as usize).collect::<Vec<i32>>();
        let sides = [side(shape.0), side(shape.1)];
        let [left, right] = sides.each_ref().map(|side| side.iter().map(|&x| f64::from(x) / 2.0).collect::<Vec<f64>>());
        let exact = |table: &Lines| {
            let cell = |i: usize, j: usize| (32 * table[i][j] - i128::from(sides[0][i] * sides[1][j])).abs();
            let cells = (0..table.len()).flat_map(|i| (0..table[i].len()).map(move |j| (i, j)));
            Fraction(cells.map(|(i, j)| cell(i, j)).sum(), 64)
        };
        let score = HalfL1::against_product((clique([0]), &left), (clique([1]), &right), 8.0).unwrap();
        for Steps { joined, replaced, .. } in enumerate_both(shape, &score, exact) {
            assert_eq!([joined, replaced], [Fraction(1, 2), Fraction(1, 1)], "{shape:?}");
        }
    }
}

#[test]
fn rows_above_a_product_have_the_sensitivity_of_their_note() {
    for shape in SHAPES {
        // In half rows, over eight rows, with a slack of three quarters of a row.
        let side = |length: u32| [0, 16, -1, 6].into_iter().cycle().take(length as usize).collect::<Vec<i32>>();
        let sides = [side(shape.0), side(shape.1)];
        let [left, right] = sides.each_ref().map(|side| side.iter().map(|&x| f64::from(x) / 2.0).collect::<Vec<f64>>());
        let exact = |table: &Lines| {
            let cell = |i: usize, j: usize| (32 * table[i][j] - i128::from(sides[0][i] * sides[1][j]) - 24).max(0);
            let cells = (0..table.len()).flat_map(|i| (0..table[i].len()).map(move |j| (i, j)));
            Fraction(cells.map(|(i, j)| cell(i, j)).sum(), 32)
        };
        let score = Excess::above_product((clique([0]), &left), (clique([1]), &right), 8.0, 0.75).unwrap();
        // The slack takes part of the first row of a cell; the second moves the score by all of it.
        for Steps { rows, joined, replaced } in enumerate_both(shape, &score, exact).into_iter().skip(1) {
            assert_eq!([joined, replaced], [Fraction(1, 1), Fraction(1, 1)], "{shape:?}, {rows} rows");
        }
    }
}

#[test]
fn a_parity_has_the_sensitivity_of_its_note() {
    let sign = |cell: usize| if cell.count_ones().is_multiple_of(2) { 1 } else { -1 };
    let exact = |table: &Lines| {
        let cell = |i: usize, j: usize| sign(2 * i + j) * table[i][j];
        Fraction((0..2).flat_map(|i| (0..2).map(move |j| (i, j))).map(|(i, j)| cell(i, j)).sum(), 1)
    };
    for Steps { rows, joined, replaced } in
        enumerate_both((2, 2, 8), &Parity::of(clique([0, 1])), exact).into_iter().skip(1)
    {
        assert_eq!([joined, replaced], [Fraction(1, 1), Fraction(2, 1)], "{rows} rows");
    }
    // Of a column alone, and of none: the number of rows.
    let domain = domain([2, 2, 2]);
    assert_eq!(Parity::of(clique([1])).value(&domain, &[5, 2]), 3 * 1024);
    assert_eq!(Parity::of(Clique::empty()).value(&domain, &[7]), 7 * 1024);
    assert_eq!(
        Parity::of(clique([0, 1, 2])).value(&domain, &[1, 2, 4, 8, 16, 32, 64, 128]),
        (1 - 2 - 4 + 8 - 16 + 32 + 64 - 128) * 1024
    );
}

#[test]
fn a_parity_is_of_columns_of_two_values() {
    let domain = domain([2, 3, 1]);
    Parity::of(clique([0])).check(&domain).unwrap();
    for columns in [clique([1]), clique([0, 1]), clique([0, 2]), clique([3])] {
        Parity::of(columns).check(&domain).unwrap_err();
    }
}

#[test]
fn expected_values_are_rounded_down_to_the_lattice() {
    let domain = domain([2, 2]);
    let score = L1Error::against(clique([0]), &[-0.1, 2.0 + 1.0 / 1500.0]).unwrap();
    assert_eq!([[0, 2], [0, 3]].map(|counts| score.value(&domain, &counts)), [103, 103 + 1024]);
    let score = L1Error::against(clique([0]), &[0.1, 0.0]).unwrap();
    assert_eq!(score.value(&domain, &[0, 0]), 102);
    // 3 rows each, over fewer rows than one; then 2^90 rows, which are clamped.
    let product =
        |number: f64, rows| HalfL1::against_product((clique([0]), &[number; 2]), (clique([1]), &[number; 2]), rows);
    assert_eq!(product(3.0, -5.0).unwrap().value(&domain, &[9, 9, 9, 8]), 512);
    assert_eq!(product(2_f64.powi(45), 1.0).unwrap().value(&domain, &[0; 4]), 4 << 58);
}

#[test]
fn the_weight_of_a_candidate_applies_after_the_penalty() {
    let domain = domain([2]);
    let error = L1Error::against(clique([0]), &[1.0, 1.0]).unwrap();
    let candidate = Candidate::new(error.clone());
    assert_eq!(candidate.value(&domain, &[4, 1]), 3 * 1024);
    let candidate = candidate.with_weight(NonZeroU32::new(7).unwrap()).with_penalty(0.5).unwrap();
    assert_eq!(candidate.value(&domain, &[4, 1]), 7 * (3 * 1024 - 512));
    assert_eq!(candidate.value(&domain, &[1, 1]), 7 * -512);
    assert_eq!(Score::<AddRemove>::sensitivity(&candidate, &domain, ()), ScoreUnits::from_rows(7));
    assert_eq!(Score::<ReplaceOne>::sensitivity(&candidate, &domain, 5), ScoreUnits::from_rows(14));
    assert_eq!(candidate.clique(), error.clique());
    candidate.check(&domain).unwrap();
}

/// The vault charges by the candidates; a certificate is verified by the kind of their score alone.
#[test]
fn every_score_is_charged_a_sensitivity_that_certificates_may_state() {
    fn check<A: Adjacency, S: Score<A>>(score: &S, domain: &Domain, rows: A::Rows) {
        let (charged, stated) =
            (score.sensitivity(domain, rows), S::KIND.sensitivities(A::KIND, A::declared_rows(rows)));
        assert!(stated.contains(&charged), "{score:?}: {charged:?} is not among {stated:?}");
    }
    fn check_both<S: Score<AddRemove> + Score<ReplaceOne>>(score: &S, domain: &Domain) {
        check::<AddRemove, S>(score, domain, ());
        for rows in [0, 1, 2, 7, 1_000, MAX_ROWS, u64::MAX] {
            check::<ReplaceOne, S>(score, domain, rows);
        }
    }
    for sizes in [[2, 2], [2, 5], [4, 3]] {
        let (domain, [left, right]) = (domain(sizes), [clique([0]), clique([1])]);
        let [ones, others] = sizes.map(|size| vec![1.0; size as usize]);
        check_both(&TotalVariation::between(left.clone(), right.clone()).unwrap(), &domain);
        check_both(&L1Error::against(left.clone(), &ones).unwrap(), &domain);
        check_both(&HalfL1::against_product((left.clone(), &ones), (right.clone(), &others), 5.0).unwrap(), &domain);
        check_both(&Excess::above_product((left.clone(), &ones), (right.clone(), &others), 5.0, 0.5).unwrap(), &domain);
        if sizes == [2, 2] {
            check_both(&Parity::of(clique([0, 1])), &domain);
        }
        if sizes[0] == 2 {
            check_both(&MaximalJoint::of(AttributeId::new(0), right.clone(), &domain).unwrap(), &domain);
        }
        let information = MutualInformation::between(left, right).unwrap();
        for rows in [0, 1, 2, 7, 1_000, MAX_ROWS, u64::MAX] {
            check::<ReplaceOne, _>(&information, &domain, rows);
        }
    }
}

#[test]
fn attributes_that_do_not_fit_are_refused() {
    let domain = domain([2, 3, 2, 1]);
    let attribute = AttributeId::new;
    let refusals = [
        (MaximalJoint::of(attribute(1), clique([0]), &domain).map(drop), "not binary; use `total-variation`"),
        (MaximalJoint::of(attribute(3), clique([0]), &domain).map(drop), "not binary; use `total-variation`"),
        (MaximalJoint::of(attribute(0), clique([0]), &domain).map(drop), "disjoint and not empty"),
        (MaximalJoint::of(attribute(0), clique([9]), &domain).map(drop), "attribute 9, the domain has 4"),
        (TotalVariation::between(clique([0]), clique([4])).unwrap().check(&domain), "attribute 4, the domain has 4"),
        (MutualInformation::between(clique([5]), clique([0])).unwrap().check(&domain), "attribute 5, the domain has 4"),
        (L1Error::against(clique([6]), &[1.0]).unwrap().check(&domain), "attribute 6, the domain has 4"),
        (L1Error::against(clique([0, 1]), &[1.0; 5]).unwrap().check(&domain), "one number per cell"),
    ];
    for (refusal, words) in refusals {
        let error = refusal.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    for (left, right) in [(2, 2), (1, 3)] {
        let (left, right) = (vec![1.0; left], vec![1.0; right]);
        let score = HalfL1::against_product((clique([0]), &left), (clique([1]), &right), 3.0).unwrap();
        assert!(score.check(&domain).unwrap_err().to_string().contains("one number per cell"));
    }
    L1Error::against(Clique::empty(), &[1.0]).unwrap().check(&domain).unwrap();
    HalfL1::against_product((clique([0]), &[1.0; 2]), (clique([1]), &[1.0; 3]), 3.0).unwrap().check(&domain).unwrap();
}

#[test]
fn numbers_that_are_too_large_are_refused() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2_f64.powi(48), -2_f64.powi(48)] {
        assert!(L1Error::against(clique([0]), &[0.0, number]).is_err());
        let product = |a, b, rows| HalfL1::against_product((clique([0]), &[a]), (clique([1]), &[b]), rows);
        assert!(product(number, 1.0, 1.0).is_err());
        assert!(product(1.0, number, 1.0).is_err());
        let error = product(1.0, 1.0, number).unwrap_err();
        assert!(error.to_string().contains("not a number, or not below 2^48"), "{error}");
        let score = TotalVariation::between(clique([0]), clique([1])).unwrap();
        assert!(Candidate::new(score).with_penalty(number).is_err());
    }
}

#[test]
fn a_score_of_one_parent_cell_is_zero() {
    let domain = domain([2, 1]);
    let score = MaximalJoint::of(AttributeId::new(0), clique([1]), &domain).unwrap();
    assert_eq!([[0, 0], [5, 0], [2, 7]].map(|counts| score.value(&domain, &counts)), [0; 3]);
}

#[test]
fn names_in_files_are_the_names_in_messages() {
    use ScoreKind::{Excess, HalfL1, L1Error, MaximalJoint, MutualInformation, Parity, TotalVariation};
    for kind in [TotalVariation, MaximalJoint, MutualInformation, L1Error, HalfL1, Excess, Parity] {
        assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
    }
}

fn fingerprint(score: &impl Statistic) -> String {
    let mut digest = Sha256::new();
    score.question(&mut digest);
    format!("{:?}", digest.finalize())
}

/// Two questions that differ in any public fact have different fingerprints.
#[test]
fn different_questions_have_different_fingerprints() {
    let domain = domain([2, 2, 2]);
    let variation = |left, right| fingerprint(&TotalVariation::between(left, right).unwrap());
    let joint = |x, parents| fingerprint(&MaximalJoint::of(AttributeId::new(x), parents, &domain).unwrap());
    let error = |attribute, values: [f64; 2]| L1Error::against(clique([attribute]), &values).unwrap();
    let product = |left: [f64; 2], right: [f64; 2], rows| {
        fingerprint(&HalfL1::against_product((clique([0]), &left), (clique([1]), &right), rows).unwrap())
    };
    let candidate = || Candidate::new(error(0, [1.0, 2.0]));
    let groups = [
        vec![
            variation(clique([0]), clique([1, 2])),
            variation(clique([0, 1]), clique([2])),
            variation(clique([0]), clique([1])),
            fingerprint(&MutualInformation::between(clique([0]), clique([2])).unwrap()),
        ],
        vec![joint(0, clique([1])), joint(1, clique([0])), joint(0, clique([1, 2]))],
        vec![
            fingerprint(&error(0, [1.0, 2.0])),
            fingerprint(&error(1, [1.0, 2.0])),
            fingerprint(&error(0, [2.0, 1.0])),
            fingerprint(&candidate()),
            fingerprint(&candidate().with_weight(NonZeroU32::new(2).unwrap())),
            fingerprint(&candidate().with_penalty(1.0).unwrap()),
        ],
        vec![
            product([1.0, 2.0], [3.0, 4.0], 5.0),
            product([1.5, 2.0], [3.0, 4.0], 5.0),
            product([1.0, 2.0], [3.5, 4.0], 5.0),
            product([1.0, 2.0], [3.0, 4.0], 5.5),
        ],
    ];
    for group in groups {
        for (index, one) in group.iter().enumerate() {
            assert!(!group[..index].contains(one), "{group:?}");
        }
    }
    assert_eq!(fingerprint(&candidate()), fingerprint(&candidate()));
}

/// Generates three attributes of up to three codes, split into two sides, with few or many rows.
fn larger() -> impl Strategy<Value = (Domain, [Clique; 2], Vec<u64>)> {
    (prop::collection::vec(1..=3_u32, 3), 1..7_u32, prop_oneof![Just(4_u64), Just(1000), Just(1 << 40)]).prop_flat_map(
        |(sizes, sides, most)| {
            let side = |value| Clique::new((0..3).filter(|&index| sides >> index & 1 == value).map(AttributeId::new));
            let cliques = [side(0), side(1)];
            let domain = Domain::new(sizes).unwrap();
            let cells = domain.sizes().iter().product::<u32>() as usize;
            prop::collection::vec(0..most, cells).prop_map(move |counts| (domain.clone(), cliques.clone(), counts))
        },
    )
}

fn check_replaced<S: Score<ReplaceOne>>(score: &S, domain: &Domain, [one, other]: &[Vec<u64>; 2]) {
    let step = score.value(domain, one).abs_diff(score.value(domain, other));
    let due = score.sensitivity(domain, one.iter().sum()).get();
    assert!(step <= due, "{score:?}: {step} between {one:?} and {other:?}");
}

fn check_both<S: Score<AddRemove> + Score<ReplaceOne>>(
    score: &S,
    domain: &Domain,
    before: &[u64],
    after: &[Vec<u64>; 2],
) {
    check_replaced(score, domain, after);
    for counts in after {
        let step = score.value(domain, before).abs_diff(score.value(domain, counts));
        assert!(step <= Score::<AddRemove>::sensitivity(score, domain, ()).get(), "{score:?}: {step} to {counts:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_neighbours_of_larger_tables_are_further_apart_than_the_sensitivity(
        (domain, [left, right], before) in larger(),
        rows in prop::array::uniform2(any::<prop::sample::Index>()),
        released in prop::collection::vec(-5.0..2000.0_f64, 27),
    ) {
        let after = rows.map(|row| {
            let mut counts = before.clone();
            counts[row.index(before.len())] += 1;
            counts
        });
        let [left_cells, right_cells] = [&left, &right].map(|side| domain.table_len(side).unwrap());
        let joint = Clique::new(domain.attributes());
        let product = [(left.clone(), &released[..left_cells]), (right.clone(), &released[..right_cells])];

        check_both(&TotalVariation::between(left.clone(), right.clone()).unwrap(), &domain, &before, &after);
        check_both(&L1Error::against(joint, &released[..before.len()]).unwrap(), &domain, &before, &after);
        let [first, second] = product.clone();
        check_both(&Excess::above_product(first, second, released[26], released[25]).unwrap(), &domain, &before, &after);
        let [first, second] = product;
        check_both(&HalfL1::against_product(first, second, released[26]).unwrap(), &domain, &before, &after);
        let information = MutualInformation::between(left.clone(), right.clone()).unwrap();
        check_replaced(&Candidate::new(information).with_weight(NonZeroU32::new(3).unwrap()), &domain, &after);
        if left.len() == 1 && left_cells == 2 {
            let score = MaximalJoint::of(left.attributes()[0], right, &domain).unwrap();
            check_both(&score, &domain, &before, &after);
        }
    }

    #[test]
    fn the_dynamic_programme_finds_the_best_assignment(
        columns in prop::collection::vec(prop_oneof![0..3_u64, 0..50_u64, 0..(1_u64 << 40)], 2..=8),
        others in prop::collection::vec(prop_oneof![0..3_u64, 0..50_u64, 0..(1_u64 << 40)], 8),
    ) {
        let width = u32::try_from(columns.len()).unwrap();
        let domain = domain([2, width]);
        let counts = [&columns[..], &others[..columns.len()]].concat();
        let score = MaximalJoint::of(AttributeId::new(0), clique([1]), &domain).unwrap();
        prop_assert_eq!(score.value(&domain, &counts), maximal_joint(&lines(&counts, width)).on_lattice());
        // The transposed table, with the parent first.
        let turned: Vec<u64> = (0..columns.len()).flat_map(|j| [columns[j], others[j]]).collect();
        let turned_domain = super::tests::domain([width, 2]);
        let score = MaximalJoint::of(AttributeId::new(1), clique([0]), &turned_domain).unwrap();
        prop_assert_eq!(score.value(&turned_domain, &turned), maximal_joint(&lines(&counts, width)).on_lattice());
    }
}
