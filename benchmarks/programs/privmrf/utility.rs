//! Errors of marginals against those of the authors' code: the paper's figure 4.

use super::RUNS;
use super::profile::Profile;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::marginal_errors::ratios::{Ratios, rounded};
use scumble_benchmarks::marginal_errors::summary::{ORDERS, Runs};
use scumble_benchmarks::marginal_errors::{ErrorFile, Grid};
use scumble_benchmarks::reference::{EPSILONS, PACKAGED_MST, TABLES};
use scumble_benchmarks::request::Request;

const MEASURED: [usize; 5] = [1, 2, 3, 4, 5];
/// `--profile best` must be better than the authors' code by this much on average.
const BEST_ON_AVERAGE: f64 = 0.9;
/// `--profile paper` may be worse by this much, since one run is compared with the mean of several.
const PAPER_AT_MOST: f64 = 1.15;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let file = ErrorFile::open(request.output.join("privmrf-utility.csv"), &["table", "profile"], &MEASURED, true)?;
    let (profiles, tables) = (Profile::asked(request), request.tables(&TABLES));
    let contenders = profiles.iter().map(|profile| Ok((profile.name(), profile.method(&[])?)));
    let contenders = contenders.collect::<Result<Vec<_>>>()?;
    let grid = Grid { contenders, epsilons: request.epsilons(&EPSILONS), runs: request.runs(RUNS) };
    for table in &tables {
        file.measure(table, &grid.tasks(table), request)?;
    }
    let runs = Runs(file.rows()?);
    for table in &tables {
        print!("{}", runs.markdown(table, &Profile::NAMES, &[])?);
    }
    for &profile in &profiles {
        let ratios = Ratios::to_authors_code(&runs, profile.name(), &tables, &grid.epsilons)?;
        report(profile, &ratios, figures);
        against_packaged(&runs, profile, &tables, &grid.epsilons, figures)?;
    }
    let names: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
    let missing = runs.missing(&tables, &names, &grid.epsilons, grid.runs);
    figures.exactly("points of the grid without all runs", missing, "points", 0.0);
    runs.compare_with_judge(figures);
    let description = "Mean total variation distance of 3- to 5-way marginals of four public tables against epsilon, for both \
                       profiles of privmrf and for the authors' code; the two lines that do not depend on epsilon are \
                       independent columns and real rows drawn again.";
    let chart = runs.chart(&Profile::NAMES, &[], description)?;
    Ok(std::fs::write(request.output.join("privmrf-utility.svg"), chart.to_svg())?)
}

fn report(profile: Profile, ratios: &Ratios, figures: &mut Figures) {
    let Some((worst, at)) = ratios.worst() else { return };
    let name = profile.name();
    ratios.print(&format!("ratio of TVD to the authors' code, {name}; worst at {at}"), ORDERS.len());
    let (worst_bar, mean_bar) = match profile {
        Profile::Best => (1.0, BEST_ON_AVERAGE),
        Profile::Paper => (PAPER_AT_MOST, PAPER_AT_MOST),
    };
    if profile == Profile::Best {
        let behind = ratios.above(1.0);
        figures.exactly("best: TVD above that of the authors' code", behind, &ratios.of_points(), 0.0);
    }
    figures.at_most(&format!("{name}: worst ratio to the authors' code"), worst, "ratio of TVD", worst_bar);
    figures.at_most(&format!("{name}: mean ratio to the authors' code"), ratios.mean(), "ratio of TVD", mean_bar);
}

fn against_packaged(
    runs: &Runs,
    profile: Profile,
    tables: &[&str],
    epsilons: &[f64],
    figures: &mut Figures,
) -> Result<()> {
    for mst in PACKAGED_MST.iter().filter(|mst| tables.contains(&mst.table) && epsilons.contains(&mst.epsilon)) {
        if let Some((ours, _)) = runs.mean(mst.table, profile.name(), mst.epsilon, 3)? {
            let point = format!("{}, epsilon {}", mst.table, mst.epsilon);
            let name = format!("{}: {point}, 3-way, against the best packaged MST", profile.name());
            figures.at_most(&name, rounded(ours / mst.least()), "ratio of TVD", 1.0);
        }
    }
    Ok(())
}
