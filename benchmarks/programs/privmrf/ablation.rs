//! What each choice of the profile `paper` is worth. `best` is the method `auto`, whose figures
//! have its choices.

use super::RUNS;
use super::profile::Profile;
use scumble_benchmarks::Result;
use scumble_benchmarks::marginal_errors::ablation::{Ablation, Variant};
use scumble_benchmarks::reference::TABLES;
use scumble_benchmarks::request::Request;

/// The first has the paper's parameters and does as the authors' code does where that measured
/// better; most others follow the text in a point, and one the code in another.
const VARIANTS: [Variant; 8] = [
    ("as it is", &[]),
    ("begins with the best of all tables", &["initial=best-of-all"]),
    ("redundancy in rows", &["redundancy=rows"]),
    ("one table a round", &["rounds=one-table"]),
    ("any number of columns a table", &["most_columns=null"]),
    ("fits until it gets no better", &["fit=converged"]),
    (
        "all of these: the text",
        &["initial=best-of-all", "redundancy=rows", "rounds=one-table", "most_columns=null", "fit=converged"],
    ),
    ("edges by what triangulation adds, too", &["edges=related-with-fill"]),
];

const EPSILONS: [f64; 3] = [0.1, 0.8, 3.2];

pub(crate) fn run(request: &Request) -> Result<()> {
    let ablation = Ablation {
        file: "privmrf-ablation.csv",
        kind: "profile",
        subject: Profile::Paper.name(),
        method: |options| Profile::Paper.method(options),
        variants: &VARIANTS,
    };
    let epsilons = request.epsilons(&EPSILONS);
    let at_every_epsilon = |table| epsilons.iter().map(move |&epsilon| (table, epsilon));
    let points: Vec<_> = request.tables(&TABLES).into_iter().flat_map(at_every_epsilon).collect();
    ablation.run(&points, request.runs(RUNS), request)
}
