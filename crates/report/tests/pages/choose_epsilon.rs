//! Numbers of `docs/how-to/choose-epsilon.md` and `docs/how-to/many-rows-per-person.md`.

use std::f64::consts::SQRT_2;

use crate::checker::Entry::{self, Computed, NoFact};
use crate::numbers::{down, epsilon, laplace_deviation, mu, near, noticed, up};

const EPSILONS: [f64; 6] = [0.1, 0.5, 1.0, 2.0, 5.0, 10.0];

/// Formats noise in rows as on the page: two digits below ten.
fn rows(deviation: f64) -> String {
    near(deviation, usize::from(deviation < 9.95))
}

fn gaussian(epsilon: f64, tables: f64) -> f64 {
    tables.sqrt() / mu(epsilon, 1e-9)
}

/// Returns the smallest number of tables for which Laplace noise at epsilon 1 is larger, given the
/// sensitivities of a table.
fn laplace_is_larger_from(l1: f64, l2: f64) -> u32 {
    let larger = |tables: &u32| {
        let tables = f64::from(*tables);
        laplace_deviation(l1 * tables) > l2 * gaussian(1.0, tables)
    };
    (1..100).find(larger).unwrap()
}

pub(crate) fn choose_epsilon() -> Vec<Entry> {
    let one = mu(1.0, 1e-9);
    let cap = mu(3.0, 1e-9);
    let mut entries = vec![];
    entries.extend(EPSILONS.map(|epsilon| {
        let mus = [1e-6, 1e-9, 1e-12].map(|delta| near(mu(epsilon, delta), 4)).join(" | ");
        Computed(format!("| {epsilon} | {mus} | {} of 100 |", up(noticed(mu(epsilon, 1e-9)), 1)))
    }));
    entries.extend(EPSILONS.map(|epsilon| {
        let sigmas = [12.0, 50.0].map(|tables| format!("{} rows", rows(gaussian(epsilon, tables)))).join(" | ");
        Computed(format!("| {epsilon} | {sigmas} |"))
    }));
    entries.extend(EPSILONS.map(|epsilon| {
        let pairs = [12.0, 50.0].map(|tables| {
            format!("{} | {}", rows(laplace_deviation(tables / epsilon)), rows(gaussian(epsilon, tables)))
        });
        Computed(format!("| {epsilon} | {} |", pairs.join(" | ")))
    }));
    entries.extend([1.0, 2.0, 3.0, 5.0].map(|cap| {
        let each = |runs: f64| down(epsilon(mu(cap, 1e-9) / runs.sqrt(), 1e-9), 2);
        Computed(format!("| {cap} | {} |", [2.0, 4.0, 10.0, 20.0].map(each).join(" | ")))
    }));
    // The mean of |N| is sqrt(2/pi), and half of the difference of two tables is their distance.
    let share = (2.0 / std::f64::consts::PI).sqrt() / 2.0;
    entries.extend([
        Computed(format!("{} · k · sigma / n (total variation distance)", near(share, 1))),
        Computed(format!(
            "Example: 12 columns, epsilon 1, `k = 20`. With 100,000 rows the error is {}, with 10,000 rows {}.",
            near(share * 20.0 * gaussian(1.0, 12.0) / 1e5, 4),
            near(share * 20.0 * gaussian(1.0, 12.0) / 1e4, 3)
        )),
        Computed(format!("and {} times that (the root of 2) under `replace-one`", near(SQRT_2, 2))),
        Computed(format!("{} · Δ · t / epsilon", near(SQRT_2, 2))),
        Computed(format!(
            "At epsilon 1, Laplace noise is the larger from {} tables on under `add-remove`, and from {} on under `replace-one`.",
            laplace_is_larger_from(1.0, 1.0),
            laplace_is_larger_from(2.0, SQRT_2)
        )),
        Computed(format!(
            "four runs at epsilon 1 and delta 1e-9 are together {} at delta 1e-9, and ten are {}.",
            up(epsilon(2.0 * one, 1e-9), 2),
            up(epsilon(10_f64.sqrt() * one, 1e-9), 2)
        )),
        Computed(format!(
            "A cap of (3, 1e-9) has `mu = {}`, so four runs get {} each, which is epsilon {} at delta 1e-9.",
            near(cap, 4),
            near(cap / 2.0, 4),
            down(epsilon(cap / 2.0, 1e-9), 2)
        )),
        Computed(format!(
            "for ten years, under a cap of epsilon 3, has epsilon {} a year.",
            down(epsilon(cap / 10_f64.sqrt(), 1e-9), 2)
        )),
        Computed(format!(
            "under a cap of 3 there is room for three fits of epsilon 1, and for {} if cap and fits have delta 1e-9.",
            ["six", "seven", "eight"][down((cap / one).powi(2), 0).parse::<usize>().unwrap() - 6]
        )),
    ]);
    entries.extend(no_facts());
    entries
}

fn no_facts() -> Vec<Entry> {
    vec![
        NoFact("1. **Whom do you protect?**", "the number of a step"),
        NoFact("2. **How much may this table ever tell?**", "the number of a step"),
        NoFact("3. **How much for this fit?**", "the number of a step"),
        NoFact("4. **If none is good enough**", "the number of a step"),
        NoFact("5. **Write the reason down**", "the number of a step"),
        NoFact("Epsilon 1 for a row and epsilon 1 for a person", "an example"),
        NoFact("Take epsilon 3 and delta 1e-9 if nobody", "advice"),
        NoFact("epsilon 1 if you have no other reason", "advice"),
        NoFact("`1e-9` is a good choice", "advice"),
        NoFact("Delta may be 0:", "what is allowed"),
        NoFact("values from `1e-300` to below 1. Epsilon may be above 0 up to 1,000,000.", "what is allowed"),
        NoFact("accepts a false alarm in 5 of 100 cases", "the question of the table"),
        NoFact("Without any data at all it would be 5 of 100.", "the question of the table"),
        NoFact(
            "| epsilon | mu at delta 1e-6 | mu at delta 1e-9 | mu at delta 1e-12 | best test notices, at delta 1e-9 |",
            "a heading",
        ),
        NoFact("up to 1 the promise is strong, by itself and to anybody. From 1 to 3 it is one", "advice"),
        NoFact("Above 5 it no longer convinces", "advice"),
        NoFact("At 10 a determined attacker may be nearly sure.", "advice"),
        NoFact("start with epsilon 1 and delta 1e-9", "advice"),
        NoFact("error 1 error 2 error 3 memory time", "what `plan` prints"),
        NoFact("auto 0.5 ~70 61 41 206 0.036 0.12 0.17 182 MB 5.0 s", "what `plan` prints"),
        NoFact("auto 1 ~70 31 80 401 0.021 0.081 0.13 182 MB 5.0 s", "what `plan` prints"),
        NoFact("auto 2 ~70 16 155 775 0.013 0.068 0.12 182 MB 5.0 s", "what `plan` prints"),
        NoFact("with 10,000 rows and epsilon 1, a count is typically off by 31 rows.", "a forecast of accuracy"),
        NoFact("some 8 % of the rows", "a forecast of accuracy"),
        NoFact(
            "Tables of up to 80 cells are reliable, such as sex by household size; above 401 cells",
            "a forecast of accuracy",
        ),
        NoFact("going from epsilon 1 to 2 helps", "a forecast of accuracy"),
        NoFact("For delta 1e-9, `add-remove` and one row", "what a table is for"),
        NoFact("| epsilon | sigma, 12 tables | sigma, 50 tables |", "a heading"),
        NoFact("With `--delta 0` the promise", "an option"),
        NoFact(
            "| 12 tables, delta 0 | 12 tables, delta 1e-9 | 50 tables, delta 0 | 50 tables, delta 1e-9 |",
            "a heading",
        ),
        NoFact("So here a delta of 0 costs nothing", "a remark on the table"),
        NoFact("all at delta 1e-9, rounded down", "what a table is for"),
        NoFact("| cap | 2 runs | 4 runs | 10 runs | 20 runs |", "a heading"),
    ]
}

pub(crate) fn many_rows_per_person() -> Vec<Entry> {
    vec![
        Computed(format!(
            "For a person with six rows, `mu` is twice what the certificate says: where it says epsilon 1 at delta 1e-9, this person \
             has {}.",
            up(epsilon(2.0 * mu(1.0, 1e-9), 1e-9), 2)
        )),
        NoFact("(1, 1e-9)-differentially private with respect", "the goal of the example"),
        NoFact("at most 3 rows of each were kept", "the schema of the example"),
        NoFact("With 1, each person counts once", "advice"),
    ]
}
