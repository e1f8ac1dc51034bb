//! T8 and T9: whole methods, by the likelihood ratio of all their releases.

use std::time::Instant;

use scumble_audit::white_box::{Pair, Settings, audit};
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::{Bar, Figure, Figures};
use scumble_mechanisms::Method;
use scumble_schema::AdjacencyKind;
use scumble_vault::{ApproxDp, Delta, Epsilon};

use super::{goal, share};

/// Least proved share of the claim of a whole method.
const TIGHT: f64 = 0.75;
/// The claim of the audits without delta.
const PURE_EPSILON: f64 = 2.0;

/// Methods with Gaussian noise, each with options.
const GAUSSIAN: [(&str, &[&str]); 7] = [
    ("independent", &[]),
    ("mst", &[]),
    ("aim", &[]),
    ("auto", &[]),
    ("privmrf", &["profile=best"]),
    ("privmrf", &["profile=paper"]),
    ("privbayes-nist", &[]),
];
/// Methods without delta, each with options, and whether nearly all of the claim can be proved.
///
/// Few rows have networks without parents by default, which need no selection: a degree asks for
/// them. Pure costs of many selections or rows add up to more than any test can find, so there the
/// proved share is measured and has no bar.
const PURE: [(&str, &[&str], AdjacencyKind, Option<f64>); 7] = [
    ("independent", &[], AdjacencyKind::AddRemove, Some(TIGHT)),
    ("privbayes", &[], AdjacencyKind::AddRemove, Some(TIGHT)),
    ("privbayes", &["degree=1"], AdjacencyKind::AddRemove, None),
    ("pb-pgm", &[], AdjacencyKind::AddRemove, Some(TIGHT)),
    ("pb-pgm", &["degree=1"], AdjacencyKind::AddRemove, None),
    ("smoothed-histogram", &["rows=1"], AdjacencyKind::ReplaceOne, Some(TIGHT)),
    ("smoothed-histogram", &[], AdjacencyKind::ReplaceOne, None),
];

/// T8: at least three quarters of the claimed `mu` are proved, and not more than all of it.
pub(super) fn gaussian(runs: u64, only: Option<&str>, figures: &mut Figures) -> Result<()> {
    for (name, options) in GAUSSIAN.into_iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        let (method, name) = with_options(name, options)?;
        one(&format!("T8, {name}"), method, goal(), AdjacencyKind::AddRemove, runs, Some(TIGHT), figures)?;
    }
    Ok(())
}

/// Returns a method with its options, and its name with them.
fn with_options(name: &str, options: &[&str]) -> Result<(Method, String)> {
    let method = Method::named(name)?.with_options(options.iter().copied())?;
    Ok((method, options.iter().fold(name.to_owned(), |name, option| format!("{name} {option}"))))
}

/// T9: not more than the claimed epsilon is proved, and where costs are tight not much less.
pub(super) fn pure(runs: u64, only: Option<&str>, figures: &mut Figures) -> Result<()> {
    let goal = ApproxDp { epsilon: Epsilon::new(PURE_EPSILON)?, delta: Delta::ZERO };
    for (name, options, adjacency, tight) in PURE.into_iter().filter(|(name, ..)| only.is_none_or(|only| only == *name))
    {
        let (method, name) = with_options(name, options)?;
        one(&format!("T9, {name}"), method, goal, adjacency, runs, tight, figures)?;
    }
    Ok(())
}

fn one(
    name: &str,
    method: Method,
    goal: ApproxDp,
    adjacency: AdjacencyKind,
    runs: u64,
    tight: Option<f64>,
    figures: &mut Figures,
) -> Result<()> {
    let started = Instant::now();
    let settings = Settings { method, goal, runs, journal: None };
    let audit = audit(&settings, &Pair::made_up(adjacency), &|_, _| ())?;
    println!("{audit}\n{:.0} s", started.elapsed().as_secs_f64());
    let all = audit.pairs.iter().flat_map(|pair| std::iter::once(&pair.whole).chain(&pair.phases));
    let most = all.map(share).fold(0.0, f64::max);
    figures.at_most(&format!("{name}: largest proved share of a claim"), most, "of the claim", 1.0);
    let whole = audit.pairs.iter().map(|pair| share(&pair.whole)).fold(0.0, f64::max);
    let bar = tight.map_or(Bar::None, Bar::AtLeast);
    figures.push(Figure::new(format!("{name}: proved share of the claim end to end"), whole, "of the claim", bar));
    Ok(())
}
