//! Numbers of `docs/how-to/read-the-certificate.md`, `docs/reference/inspect.md`, and the output of
//! `inspect --explain`.

use crate::checker::Entry::{self, Computed, NoFact};
use crate::numbers::{beyond, epsilon, mu, near, noticed, one_of, phi, suspicion, trimmed, up};

/// Returns the sentences with numbers on a page about a fit with Gaussian accounting.
pub(crate) fn explained_gdp(goal: f64, delta: f64, together: &str) -> Vec<Entry> {
    let one = mu(goal, delta);
    let factor = up(goal.exp(), 2);
    let short = |epsilon: f64| format!("({}, {delta:e})-differential privacy", trimmed(&up(epsilon, 2)));
    let cases = |share: f64, many: f64| trimmed(&up(share * many, 1)).to_owned();
    let alarm = |many: f64| suspicion(many, (noticed(one) / 5.0).ln());
    vec![
        Computed(format!("({goal}, {delta:e})-differential privacy of everything that left the run.")),
        Computed(format!("at most {factor} times as probable")),
        Computed(format!("plus a probability of 1 in {};", one_of(delta))),
        Computed(format!(
            "multiplies the odds by at most {factor} (e to the power of epsilon), except in at most 1 of {} runs: a suspicion of 1 in 2 \
             becomes at most {} in 100, and a suspicion of 1 in 1,000 becomes at most {} in 1,000.",
            one_of(beyond(one, goal)),
            cases(suspicion(2.0, goal), 100.0),
            cases(suspicion(1_000.0, goal), 1_000.0)
        )),
        Computed(format!("that lie {} standard deviations from each other.", near(one, 5))),
        Computed("A test that raises a false alarm in 5 of 100 cases".into()),
        Computed(format!(
            "in at most {} of 100; one that looked at nothing would in 5.",
            cases(noticed(one) / 100.0, 100.0)
        )),
        Computed(format!(
            "Its alarm raises a suspicion of 1 in 2 to at most {} in 100, and one of 1 in 1,000 to at most {} in 1,000. From even \
             odds, the best guess is right in at most {} of 100 cases, instead of 50.",
            cases(alarm(2.0), 100.0),
            cases(alarm(1_000.0), 1_000.0),
            cases(phi(one / 2.0), 100.0)
        )),
        Computed(format!(
            "Groups are promised less than one alone: {together} together {}, 4 of them {} and 10 of them {}.",
            short(epsilon(2.0 * one, delta)),
            short(epsilon(4.0 * one, delta)),
            short(epsilon(10.0 * one, delta))
        )),
    ]
}

/// Returns the line on odds that `inspect` prints without `--explain`.
pub(crate) fn odds_line(goal: f64, delta: f64) -> Entry {
    let one = mu(goal, delta);
    Computed(format!(
        "a suspicion of 1 in 2 becomes at most {} in 100, of 1 in 1,000 becomes at most {} in 1,000, except in at most 1 of {} runs",
        trimmed(&up(100.0 * suspicion(2.0, goal), 1)),
        trimmed(&up(1_000.0 * suspicion(1_000.0, goal), 1)),
        one_of(beyond(one, goal))
    ))
}

pub(crate) fn inspect() -> Vec<Entry> {
    let one = mu(1.0, 1e-9);
    vec![
        odds_line(1.0, 1e-9),
        Computed(format!("mu = {}.", near(one, 5))),
        Computed(format!("a test with 5 false alarms in 100 notices at most {} in 100", up(noticed(one), 1))),
        Computed(format!(
            "**A suspicion of 1 in 2 becomes at most {} in 100, except in at most 1 of {} runs.**",
            up(100.0 * suspicion(2.0, 1.0), 1),
            one_of(beyond(one, 1.0))
        )),
        Computed(format!("**A test with 5 false alarms in 100 notices at most {} in 100.**", up(noticed(one), 1))),
    ]
}

pub(crate) fn read_the_certificate() -> Vec<Entry> {
    let one = mu(1.0, 1e-9);
    let factor = up(1_f64.exp(), 2);
    let rare = near(1e-6 / beyond(one, 1.0) - 0.5, 0);
    let family = epsilon(4.0 * one, 1e-9);
    let mut entries = explained_gdp(1.0, 1e-9, "two rows");
    entries.extend([0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0].map(|epsilon: f64| {
        let factor = epsilon.exp();
        let times = up(factor, if factor < 10.0 { 2 } else { usize::from(factor < 100.0) });
        let thousands = 1_000.0 * suspicion(1_000.0, epsilon);
        let thousands = up(thousands, usize::from(thousands < 100.0));
        let even = suspicion(2.0, epsilon);
        let even = if even > 0.999 { "over 99.9".to_owned() } else { up(100.0 * even, 1) };
        let hundreds = up(100.0 * suspicion(100.0, epsilon), 1);
        Computed(format!("| {epsilon} | {times} times | {thousands} in 1,000 | {hundreds} in 100 | {even} in 100 |"))
    }));
    entries.extend([
        Computed(format!(
            "at epsilon 1, odds of 1 to 999 become odds of at most {factor} to 999, but for rare exceptions."
        )),
        Computed(format!("at delta 1e-9, in at most 1 of {rare} million runs.")),
        Computed(format!("at epsilon 1, no set of results is more than {factor} times as probable with a person as without, plus delta.")),
        Computed(format!("at epsilon 1 and delta 1e-9, in at most 1 of {rare} million runs, and then")),
        Computed(format!("at 1e-9 and ten million people, it is {} of them on average", near(1e7 * 1e-9, 2))),
        Computed(format!(
            "where one person has (1, 1e-9), they have ({}, 1e-9) together, and the odds may grow by a factor of {}.",
            up(family, 2),
            up(family.exp(), 1)
        )),
        Computed(format!(
            "a suspicion of 1 in 1,000 that becomes at most {} in 1,000 is still one",
            up(1_000.0 * suspicion(1_000.0, 1.0), 1)
        )),
        Computed(format!("70 releases, mu = {}, delta at epsilon 1 = 1.000e-09", near(one, 5))),
    ]);
    entries.extend(no_facts());
    entries
}

fn no_facts() -> Vec<Entry> {
    let mut entries = vec![
        NoFact("at epsilon 1 and delta 1e-9, on a ledger:", "the goal of the example"),
        NoFact("A statistical model of a table with 14 columns", "the example"),
        NoFact(
            "70 releases: 28 tables of counts over one column, 21 tables of counts over several columns and 21 choices",
            "one fit of the demo table",
        ),
        NoFact("with a standard deviation of 27.0 to 65.0 rows.", "one fit of the demo table"),
        NoFact("This fit is job aacbb6556ba48c4c735fe683b72815bb in the ledger", "one fit of the demo table"),
        NoFact("The cap is (3, 1e-9)-differential privacy of all of them.", "the cap of the example"),
        NoFact("| 1 in 1,000 becomes | 1 in 100 becomes | 1 in 2 becomes |", "a heading"),
        NoFact("It is 0 where the page says so", "a condition"),
        NoFact("(Article 29 Working Party, Opinion 05/2014)", "a document"),
        NoFact("`Phi(Phi^-1(a) + mu)`", "a law"),
        NoFact("recital 26", "a document"),
        NoFact("where its real share is with 95 %", "a figure of the report"),
    ];
    entries.extend(
        [
            "1. Who or what",
            "2. Which epsilon",
            "3. Is there",
            "4. What else",
            "5. Where do",
            "6. Was epsilon",
            "7. Who has",
            "8. Where did",
            "9. What will",
            "10. What will",
        ]
        .map(|question| NoFact(question, "the number of a question")),
    );
    entries
}
