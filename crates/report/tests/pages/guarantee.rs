//! Numbers of `docs/explanation/guarantee.md` and `docs/explanation/known-weaknesses.md`.

use crate::checker::Entry::{self, Computed, NoFact};
use crate::numbers::{beyond, epsilon, epsilon_of_rho, mu, near, noticed, one_of, phi, up};

pub(crate) fn guarantee() -> Vec<Entry> {
    let one = mu(1.0, 1e-9);
    let factor = near(1_f64.exp(), 2);
    let mut entries = vec![
        Computed(format!("At epsilon 1 and delta 1e-9 the factor is {factor}.")),
        Computed(format!(
            "no set of outputs is more than {factor} times as probable with your row as without, plus 1e-9."
        )),
        Computed(format!(
            "An output that multiplies the odds by more than {factor} comes up in at most {} of 100 million runs, whatever the \
             observer looks at.",
            up(beyond(one, 1.0) * 1e8, 1)
        )),
        Computed(format!("it is about {} of 100 million.", near(phi(one / 2.0 - 1.0 / one) * 1e8, 2))),
        Computed(format!(
            "by more than a factor of {}, which is epsilon 2, the odds grow in at most 1 of {} runs.",
            near(2_f64.exp(), 2),
            one_of(beyond(one, 2.0))
        )),
        Computed(format!(
            "that raises a false alarm in 5 of 100 cases notices you, if you are there, in at most {} of 100.",
            up(noticed(one), 1)
        )),
        Computed(format!(
            "the run with epsilon 1 at delta 1e-9 has epsilon {} at delta 1e-6, and {} at delta 1e-12.",
            up(epsilon(one, 1e-6), 2),
            up(epsilon(one, 1e-12), 2)
        )),
        Computed(format!(
            "gets a larger epsilon by it: {} where the exact formula says 1, at delta 1e-9.",
            up(epsilon_of_rho(one * one / 2.0, 1e-9), 3)
        )),
        Computed(format!(
            "Two runs with epsilon 1 at delta 1e-9 are together epsilon {} at delta 1e-9.",
            up(epsilon(2_f64.sqrt() * one, 1e-9), 2)
        )),
        Computed("For a run with epsilon 1, all at delta 1e-9:".into()),
    ];
    entries.extend([1.0, 2.0, 4.0, 10.0].map(|units| {
        Computed(format!("| {units} | {} | {} |", near(units * one, 4), up(epsilon(units * one, 1e-9), 2)))
    }));
    // The factors are those of the fits in `crates/scumble/tests/library/shared_identifier.rs`. A
    // third of the budget of `mst` goes to selections.
    for (method, factor) in
        [("independent", 2_f64.sqrt()), ("auto", 1.46), ("aim", 1.48), ("mst", (8.0_f64 / 3.0).sqrt())]
    {
        let follows = epsilon(factor * one, 1e-9);
        entries.push(Computed(format!("| `{method}` | {} times | {} |", up(factor, 2), up(follows, 2))));
    }
    entries.extend([
        Computed("a table `sqrt(2)` times as far in Euclidean distance, and 2 times as far in the sum over cells; a score moves at most 2 times as far.".into()),
        Computed("`mu` is at most `sqrt(2 + 2s)` times as large".into()),
        NoFact("| epsilon where 1 is certified, at delta 1e-9 |", "the heading of a table"),
        NoFact("`mu1²` and `mu2²`, both runs together have `mu² = mu1² + mu2²`", "a law"),
        NoFact("with a key of 256 bits", "the length of a key"),
        NoFact("with a delta above 0", "a condition"),
        NoFact("`--delta 0`", "an option"),
        NoFact("the certified delta is exactly 0.", "a law"),
        NoFact("`m · sqrt(2)` under `replace-one`", "a law"),
        NoFact("`m` under `add-remove`, `2 m` under `replace-one`", "a law"),
        NoFact("(pi/8) epsilon²", "a law"),
        NoFact("Phi(mu/2 - epsilon/mu) - e^epsilon · Phi(-mu/2 - epsilon/mu)", "a law"),
        NoFact("Δ²/(2 sigma²) for Gaussian noise, epsilon²/2 for Laplace noise, epsilon²/8 for a selection", "a law"),
        NoFact("k (ln r)²/2 for k rows", "a law"),
        NoFact("min over a > 1 of e^((a-1)(a·rho - epsilon)) · (1 - 1/a)^a / (a-1)", "a law"),
        NoFact("For every `a > 1` it gives", "a law"),
        NoFact("`mu²/2`, or the sum of `epsilon²/2` over", "a law"),
    ]);
    entries
}

pub(crate) fn known_weaknesses() -> Vec<Entry> {
    let one = mu(1.0, 1e-9);
    vec![
        Computed(format!(
            "at epsilon 1 and delta 1e-9 in up to {} of 100 million runs.",
            up(beyond(one, 1.0) * 1e8, 1)
        )),
        NoFact("version 0.1.0", "a version"),
        NoFact("(`07` and `7`,", "examples of identifiers"),
        NoFact("`1 / x` in a view of a database stops the query on a row where `x` is 0", "an example"),
        NoFact("with `--delta 0` nothing", "an option"),
        NoFact("Its key of 256 bits", "the length of a key"),
        NoFact("On adult (45,222 rows, 15 columns) at epsilon 0.1 the error", "a measurement of accuracy"),
        NoFact("incomes of exactly 50,000", "an example"),
    ]
}
