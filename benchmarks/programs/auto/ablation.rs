//! What each choice of `auto` is worth.

use scumble::mechanisms::Method;

use scumble_benchmarks::Result;
use scumble_benchmarks::marginal_errors::ablation::{Ablation, Variant};
use scumble_benchmarks::request::Request;

/// The first is what the others are compared with.
const VARIANTS: [Variant; 16] = [
    ("as it is", &[]),
    ("least loss instead of shrinkage", &["spread=null"]),
    ("stronger shrinkage", &["spread=0.35"]),
    ("weaker shrinkage", &["spread=1.4"]),
    ("noise does not count", &["noise_penalty=0"]),
    ("noise counts in full", &["noise_penalty=1"]),
    ("equal rounds", &["last_round=1"]),
    ("more for choices", &["choice_share=0.2"]),
    ("more for single columns", &["one_way_share=0.2"]),
    ("half as many rounds", &["rounds_per_column=0.75"]),
    ("twice as many rounds", &["rounds_per_column=3"]),
    ("at most three columns a table", &["most_columns=3"]),
    ("a fifth of the candidates", &["candidates=200"]),
    ("a smaller model", &["model_cells=100000"]),
    ("a larger model", &["model_cells=1000000"]),
    ("columns of more than eight codes in groups", &["large_column=8", "groups=8"]),
];
/// Where noise and structure both matter.
const POINTS: [(&str, f64); 4] = [("nltcs", 0.4), ("acs", 0.8), ("adult", 0.4), ("br2000", 0.4)];
const RUNS: usize = 3;

pub(crate) fn run(request: &Request) -> Result<()> {
    let ablation = Ablation {
        file: "auto-ablation.csv",
        kind: "method",
        subject: "auto",
        method: |options| Ok(Method::named("auto")?.with_options(options.iter().copied())?),
        variants: &VARIANTS,
    };
    let mut points = Vec::new();
    for (table, usual) in POINTS {
        for table in request.tables(&[table]) {
            points.extend(request.epsilons(&[usual]).into_iter().map(|epsilon| (table, epsilon)));
        }
    }
    ablation.run(&points, request.runs(RUNS), request)
}
