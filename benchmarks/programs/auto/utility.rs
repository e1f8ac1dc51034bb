//! Errors of marginals on the tables of the PrivMRF paper: `mst` against its packaged versions,
//! `aim` against `mst`, and `auto` against everything.

use super::other_methods::OtherMethods;
use super::{AUTO_AT_MOST, FIRST_FORM, METHODS, floor, grid_of};
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::marginal_errors::ErrorFile;
use scumble_benchmarks::marginal_errors::ratios::{Ratios, rounded};
use scumble_benchmarks::marginal_errors::summary::{ORDERS, Runs};
use scumble_benchmarks::reference::{self, EPSILONS, PACKAGED_MST, TABLES};
use scumble_benchmarks::request::Request;

const MEASURED: [usize; 5] = [1, 2, 3, 4, 5];
const RUNS: usize = 5;
/// What `mst` may be worse by than a packaged version, of which there is one run.
const MST_AT_MOST: f64 = 1.05;
/// From here on `aim` must be better than `mst`.
const ENOUGH_FOR_AIM: f64 = 0.4;
/// What `auto` must be better by than the authors' code, at every point and on average.
const AUTO_BELOW_AUTHORS: f64 = 0.97;
const AUTO_ON_AVERAGE: f64 = 0.68;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let file = ErrorFile::open(request.output.join("auto-utility.csv"), &["table", "method"], &MEASURED, true)?;
    let (methods, tables) = (request.contenders(&METHODS), request.tables(&TABLES));
    let grid = grid_of(&methods, request.epsilons(&EPSILONS), request.runs(RUNS))?;
    for table in &tables {
        file.measure(table, &grid.tasks(table), request)?;
    }
    let (runs, levels) = (Runs(file.rows()?), floor::levels(request)?);
    for table in &tables {
        print!("{}", runs.markdown(table, &methods, &levels)?);
    }
    let points = Points { runs: &runs, tables: &tables, epsilons: &grid.epsilons };
    points.mst_against_packaged(figures)?;
    points.aim_against_mst(figures)?;
    points.auto_against_all(figures)?;
    points.auto_against_authors_code(figures)?;
    let missing = runs.missing(&tables, &methods, &grid.epsilons, grid.runs);
    figures.exactly("points of the grid without all runs", missing, "points", 0.0);
    runs.compare_with_judge(figures);
    let description = "Mean total variation distance of 3- to 5-way marginals of four public tables against epsilon, for auto, \
                       mst, aim and the authors' code of PrivMRF; the lines that do not depend on epsilon are independent \
                       columns, real rows drawn again, and the best tree without noise.";
    let chart = runs.chart(&METHODS, &levels, description)?;
    Ok(std::fs::write(request.output.join("auto-utility.svg"), chart.to_svg())?)
}

/// The points that were asked for.
struct Points<'a> {
    runs: &'a Runs,
    tables: &'a [&'static str],
    epsilons: &'a [f64],
}

impl Points<'_> {
    fn all(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.tables.iter().flat_map(|&table| self.epsilons.iter().map(move |&epsilon| (table, epsilon)))
    }

    /// The mean error of an order.
    fn error(&self, table: &str, method: &str, epsilon: f64, order: usize) -> Result<Option<f64>> {
        Ok(self.runs.mean(table, method, epsilon, order)?.map(|(mean, _)| mean))
    }

    fn mst_against_packaged(&self, figures: &mut Figures) -> Result<()> {
        for mst in PACKAGED_MST.iter().filter(|mst| self.all().any(|point| point == (mst.table, mst.epsilon))) {
            let Some(ours) = self.error(mst.table, "mst", mst.epsilon, 3)? else { continue };
            for (package, theirs) in [("mbi", Some(mst.mbi)), ("dpsynth", mst.dpsynth)] {
                let Some(theirs) = theirs else { continue };
                let name = format!("mst: {}, epsilon {}, 3-way, against that of {package}", mst.table, mst.epsilon);
                figures.at_most(&name, rounded(ours / theirs), "ratio of TVD", MST_AT_MOST);
            }
        }
        Ok(())
    }

    fn aim_against_mst(&self, figures: &mut Figures) -> Result<()> {
        let mut ratios = Ratios::default();
        for (table, epsilon) in self.all().filter(|(_, epsilon)| *epsilon >= ENOUGH_FOR_AIM) {
            let both = self.error(table, "aim", epsilon, 3)?.zip(self.error(table, "mst", epsilon, 3)?);
            if let Some((aim, mst)) = both {
                ratios.push(aim / mst, format!("{table} {epsilon}"));
            }
        }
        let Some((worst, at)) = ratios.worst() else { return Ok(()) };
        ratios.print(&format!("ratio of the 3-way TVD of aim to that of mst; worst at {at}"), self.epsilons.len());
        let behind = ratios.above(1.0);
        figures.exactly("aim: 3-way TVD above that of mst, epsilon 0.4 and more", behind, &ratios.of_points(), 0.0);
        figures.at_most("aim: worst 3-way ratio to mst, epsilon 0.4 and more", worst, "ratio of TVD", 1.0);
        Ok(())
    }

    /// Against the least error of the authors' code, all other methods and the first form of `auto`
    /// at every point, wherever their runs are.
    fn auto_against_all(&self, figures: &mut Figures) -> Result<()> {
        let others = OtherMethods::read()?;
        for (order, bar) in AUTO_AT_MOST {
            let (mut ratios, mut with_first) = (Ratios::default(), Ratios::default());
            for (table, epsilon) in self.all() {
                let error = |method: &str| self.error(table, method, epsilon, order);
                let Some(auto) = error("auto")? else { continue };
                let mut errors = others.errors(table, epsilon, order)?;
                for method in METHODS.into_iter().filter(|method| *method != "auto") {
                    errors.extend(error(method)?.map(|error| (method.into(), error)));
                }
                if let (Some(place), Some(authors)) =
                    (ORDERS.iter().position(|&known| known == order), reference::authors_code(table, epsilon))
                {
                    errors.push(("authors' code".into(), authors.distances[place]));
                }
                let point = format!("{table} {epsilon}");
                ratios.push_to_least(auto, &errors, &point);
                errors.extend(error(FIRST_FORM)?.map(|error| ("its first form".into(), error)));
                with_first.push_to_least(auto, &errors, &point);
            }
            let what = "the best of other methods and the authors' code";
            for (what, ratios) in [(what.to_string(), ratios), (format!("{what} and its first form"), with_first)] {
                let Some((worst, at)) = ratios.worst() else { continue };
                ratios.print(&format!("ratio of the {order}-way TVD of auto to {what}; worst at {at}"), 1);
                figures.at_most(&format!("auto: worst {order}-way ratio to {what}"), worst, "ratio of TVD", bar);
            }
        }
        Ok(())
    }

    fn auto_against_authors_code(&self, figures: &mut Figures) -> Result<()> {
        let ratios = Ratios::to_authors_code(self.runs, "auto", self.tables, self.epsilons)?;
        let Some((_, at)) = ratios.worst() else { return Ok(()) };
        ratios.print(&format!("ratio of TVD to the authors' code, auto; worst at {at}"), ORDERS.len());
        let behind = ratios.above(AUTO_BELOW_AUTHORS);
        let name = format!("auto: TVD above {AUTO_BELOW_AUTHORS} of that of the authors' code");
        figures.exactly(&name, behind, &ratios.of_points(), 0.0);
        figures.at_most("auto: mean ratio to the authors' code", ratios.mean(), "ratio of TVD", AUTO_ON_AVERAGE);
        Ok(())
    }
}
