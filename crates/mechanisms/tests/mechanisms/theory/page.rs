//! The figures of `docs/explanation/theory.md` are those of the functions.

use std::num::NonZeroU32;

use scumble_mechanisms::theory::{Conditional, FailureProbability, Network, Noise, Paper};
use scumble_schema::{AdjacencyKind, Domain};
use scumble_vault::account::Amount;
use scumble_vault::{Accounting, AddRemove, ApproxDp, Delta, Gdp, Pure, ReplaceOne};

use super::{count, goal, lower};

/// The noise of the tables if they get this many tenths of the budget, the rest having paid for the
/// structure.
fn noise_of_tables(goal: ApproxDp, tenths: u128, tables: usize) -> Noise {
    fn noise<M: Accounting>(goal: ApproxDp, tenths: u128, tables: usize) -> Noise {
        let part = Amount::<M>::from_quanta(M::KIND.largest(goal).unwrap().quanta / 10 * tenths);
        let tables = NonZeroU32::new(u32::try_from(tables).unwrap()).unwrap();
        Noise::for_tables::<AddRemove, M>(part, tables, NonZeroU32::MIN).unwrap()
    }
    let pure = goal.delta == Delta::ZERO;
    if pure { noise::<Pure>(goal, tenths, tables) } else { noise::<Gdp>(goal, tenths, tables) }
}

/// Columns in order, each with the `degree` columns before it as parents; the first ones come from
/// one table.
fn chain(sizes: &[u32], degree: usize) -> Vec<Conditional> {
    let cells = |sizes: &[u32]| count(sizes.iter().map(|&size| u64::from(size)).product());
    let head = Conditional { child: cells(&sizes[..=degree]), parents: count(1) };
    let rest = (degree + 1..sizes.len()).map(|column| Conditional {
        child: cells(&sizes[column..=column]),
        parents: cells(&sizes[column - degree..column]),
    });
    std::iter::once(head).chain(rest).collect()
}

fn lines() -> Vec<String> {
    let nltcs = [2; 16];
    let adult = [16, 7, 16, 16, 16, 7, 14, 6, 5, 2, 16, 16, 16, 41, 2];
    let settings: [(&str, &[u32], u64, usize); 4] = [
        ("16 binary columns, 21,574 rows", &nltcs, 21_574, 1),
        ("16 binary columns, 21,574 rows", &nltcs, 21_574, 2),
        ("15 columns of 2 to 41 values, 45,222 rows", &adult, 45_222, 0),
        ("15 columns of 2 to 41 values, 45,222 rows", &adult, 45_222, 1),
    ];
    let goals = [goal(0.1, 0.0), goal(1.0, 0.0), goal(1.0, 1e-5)];
    let line = |(name, sizes, rows, degree): (&str, &[u32], u64, usize), goal: ApproxDp| {
        let conditionals = chain(sizes, degree);
        let tenths = if degree == 0 { 10 } else { 7 };
        let noise = noise_of_tables(goal, tenths, conditionals.len());
        let network = Network { conditionals: &conditionals, rows: count(rows), noise };
        let expected = network.expected();
        let within = network.within(FailureProbability::new(0.05).unwrap());
        let domain = Domain::new(sizes.to_vec()).unwrap();
        let below = lower(AdjacencyKind::AddRemove, goal, rows).network(&domain, &conditionals);
        let delta = if goal.delta == Delta::ZERO { "0".to_owned() } else { goal.delta.to_string() };
        format!(
            "| {name} | {degree} | {}, {delta} | {:.4} | {:.4} | {:.4} | {below:.5} |",
            goal.epsilon, expected.total_variation, within.total_variation, expected.l2
        )
    };
    settings.into_iter().flat_map(|setting| goals.map(|goal| line(setting, goal))).collect()
}

#[test]
fn the_figures_of_the_page_are_those_of_the_functions() {
    let page = include_str!("../../../../../docs/explanation/theory.md");
    let due = lines();
    let missing: Vec<&String> = due.iter().filter(|line| !page.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "the page should have\n{}", due.join("\n"));
    let domain = Domain::new(vec![2; 16]).unwrap();
    let adult = Domain::new(vec![16, 7, 16, 16, 16, 7, 14, 6, 5, 2, 16, 16, 16, 41, 2]).unwrap();
    let any = |domain, rows| lower(AdjacencyKind::AddRemove, goal(1.0, 0.0), rows).any_structure(domain);
    let facts = [
        format!("{:.3}", any(&domain, 21_574)),
        format!("{:.10}", any(&adult, 45_222)),
        paper(21_574, 2),
        paper(2_157_400, 2),
    ];
    let missing: Vec<&String> = facts.iter().filter(|fact| !page.contains(fact.as_str())).collect();
    assert!(missing.is_empty(), "the page should have {missing:?} of {facts:?}");
}

/// The paper's bound and ours in its own setting: one table per binary column, rows replaced.
fn paper(rows: u64, degree: u32) -> String {
    let goal = goal(1.0, 0.0);
    let failure = FailureProbability::new(0.05).unwrap();
    let columns = NonZeroU32::new(16).unwrap();
    let theirs = Paper { columns, degree, rows: count(rows), epsilon: goal.epsilon, failure }.within::<ReplaceOne>();
    let conditionals = vec![Conditional { child: count(2), parents: count(1 << degree) }; 16];
    let ours = super::upper::<ReplaceOne>(goal, &conditionals, rows).within(failure);
    format!("{:.2} against {:.4}", theirs.total_variation, ours.total_variation)
}
