//! How small an error of scale the tests of release laws notice, for every kind of release.
//!
//! Draws real releases through the vault, holds them against the law of their event, and then
//! against the same law with a scale that is a little off, until it is rejected on both sides.

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;
use scumble_vault::{AddRemove, Gdp, Pure, ReplaceOne, Zcdp};

use crate::release_law::{self, Lawful};

/// Errors of scale that are tried, in percent, from the smallest.
const ERRORS: [f64; 6] = [0.25, 0.5, 1.0, 1.5, 2.0, 5.0];
/// The error that every law has to notice, in percent.
const BAR: f64 = 2.0;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    Arguments::parse(arguments, &Usage::default())?;
    let mut figures = Figures::default();
    println!("{:12} {:12} {:10} {:>3}  {:>8}  smallest error caught", "release", "adjacency", "accounting", "m", "law");
    macro_rules! kinds {
        ($release:ident) => {
            kinds!($release, AddRemove, "add-remove", [Pure, Gdp, Zcdp]);
            kinds!($release, ReplaceOne, "replace-one", [Pure, Gdp, Zcdp]);
        };
        ($release:ident, $adjacency:ident, $name:literal, [$($accounting:ident),+]) => {
            $(for m in [1, 3] {
                let drawn = release_law::$release::<$adjacency, $accounting>(m);
                report(stringify!($release), $name, stringify!($accounting), m, &drawn, &mut figures);
            })+
        };
    }
    kinds!(tables);
    kinds!(scores);
    kinds!(selections);
    for m in [1, 3] {
        report("rows", "replace-one", "Pure", m, &release_law::rows::<Pure>(m), &mut figures);
        report("rows", "replace-one", "Zcdp", m, &release_law::rows::<Zcdp>(m), &mut figures);
    }
    figures.print();
    Ok(())
}

fn report(release: &str, adjacency: &str, accounting: &str, m: u32, drawn: &impl Lawful, figures: &mut Figures) {
    let follows = drawn.agrees(1.0);
    let caught = ERRORS
        .into_iter()
        .find(|error| [1.0 - error / 100.0, 1.0 + error / 100.0].map(|factor| !drawn.agrees(factor)) == [true, true]);
    let accounting = accounting.to_lowercase();
    let (law, shown) =
        (if follows { "follows" } else { "DIFFERS" }, caught.map_or("none".into(), |error| format!("{error} %")));
    println!("{release:12} {adjacency:12} {accounting:10} {m:>3}  {law:>8}  {shown}");
    let name = |what: &str| format!("{release}, {adjacency}, {accounting}, m = {m}: {what}");
    figures.exactly(&name("follows the law of its event"), f64::from(u8::from(follows)), "laws", 1.0);
    let caught = caught.unwrap_or(f64::NAN);
    figures.at_most(&name("smallest error of scale caught"), caught, "percent", BAR);
}
