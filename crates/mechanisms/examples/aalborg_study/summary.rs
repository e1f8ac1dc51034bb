//! What the study comes to, as figures.

use std::error::Error;
use std::fs;

use crate::figures::Figure;
use crate::panels::{EPSILONS, LISTING, TEXT, all_betas};
use crate::pearson::PAIRS;
use crate::published::{self, Scale};
use crate::spearman::{self, Power};
use crate::study::{Method, Study, mean};

/// The most processor seconds that the program may take.
const SECONDS: f64 = 120.0;
/// Rows that are drawn anew from a table of as many rows, without any noise, deviate from independence with twice the variance of
/// rows: `P(|N(0, 2)| > 1.96)`.
const SIZE_OF_ROWS_DRAWN_ANEW: f64 = 0.1658;

/// Numbers of the study beside what is asked of them.
pub(crate) fn figures(study: &mut Study) -> Result<Vec<Figure>, Box<dyn Error>> {
    let mut figures = Vec::new();
    let [power, size] = study.on_real_rows();
    figures.push(Figure::within("size on real rows", mean(&size), "share", study.around(0.05)));
    figures.push(Figure::within("least power on real rows", least(&power), "share", (0.99, 1.0)));
    figures.extend(of_privbayes(study)?);
    figures.extend(of_the_ends(study)?);
    figures.extend(of_the_smoothed_histogram(study)?);
    for (scale, name) in [(Scale::Text, "text"), (Scale::Listing, "listing")] {
        let name = format!("epsilon lost over epsilon claimed, a table of three parents, the {name}'s noise");
        figures.push(Figure::shown(name, published::loss_over_claim(scale), "times"));
    }
    let lost = published::smoothing_loss(1.0);
    figures.push(Figure::shown("epsilon lost, the text's smoothing at epsilon 1", lost, "epsilon"));
    figures.push(Figure::within("largest epsilon certified over its goal", study.spent, "times", (0.0, 1.0)));
    figures.push(Figure::shown("largest standard error of a rate", study.standard_error(0.5), "share"));
    figures.push(Figure::within("processor time of the study", cpu_seconds()?, "s", (0.0, SECONDS)));
    Ok(figures)
}

/// Power and size at each epsilon, and the beta that did best.
fn of_privbayes(study: &mut Study) -> Result<Vec<Figure>, Box<dyn Error>> {
    let mut figures = Vec::new();
    for (method, name) in [(Method::PrivBayes, "private"), (TEXT, "the text's noise"), (LISTING, "the listing's noise")]
    {
        for epsilon in EPSILONS {
            let point = study.point(method, epsilon, Some(50))?;
            let setting = format!("epsilon {epsilon}, beta 0.5, {name}");
            figures.push(Figure::shown(format!("mean power as reported, {setting}"), mean(&point.power), "share"));
            figures.push(Figure::shown(format!("mean size, {setting}"), mean(&point.size), "share"));
            let at_level = mean(&point.power_at_level);
            figures.push(Figure::shown(format!("mean power at a true level of 0.05, {setting}"), at_level, "share"));
        }
    }
    for epsilon in EPSILONS {
        let mut best = (0.0, 0);
        for beta in all_betas() {
            let power = mean(&study.point(Method::PrivBayes, epsilon, Some(beta))?.power_at_level);
            best = if power > best.0 { (power, beta) } else { best };
        }
        figures.push(Figure::shown(
            format!("best beta, epsilon {epsilon}, private"),
            f64::from(best.1) / 100.0,
            "share",
        ));
    }
    Ok(figures)
}

/// What has to come out where the budget is next to nothing and where it is ample, and that power grows from one to the other.
fn of_the_ends(study: &mut Study) -> Result<Vec<Figure>, Box<dyn Error>> {
    let lost = study.point(Method::PrivBayes, 0.01, Some(50))?;
    let kept = study.point(Method::PrivBayes, 100.0, Some(50))?;
    let mut steps = Vec::new();
    for pair in EPSILONS.windows(2) {
        let [less, more] = [pair[0], pair[1]].map(|epsilon| study.point(Method::PrivBayes, epsilon, Some(50)));
        steps.push(mean(&more?.power_at_level) - mean(&less?.power_at_level));
    }
    let step = steps.into_iter().fold(1.0, f64::min);
    let level = "at a true level of 0.05";
    Ok(vec![
        Figure::shown("mean power as reported, epsilon 0.01, beta 0.5, private", mean(&lost.power), "share"),
        Figure::shown("an attribute is constant, epsilon 0.01, beta 0.5, private", mean(&lost.constant), "share"),
        Figure::within(
            format!("mean power {level}, epsilon 0.01, beta 0.5, private"),
            mean(&lost.power_at_level),
            "share",
            study.around(0.05),
        ),
        Figure::within(
            format!("least power {level}, epsilon 100, beta 0.5, private"),
            least(&kept.power_at_level),
            "share",
            (0.95, 1.0),
        ),
        Figure::within(
            "size for X1 and X2, epsilon 100, beta 0.5, private, beside 0.166",
            kept.size[0],
            "share",
            study.around(SIZE_OF_ROWS_DRAWN_ANEW),
        ),
        Figure::within(
            format!("least gain of mean power {level} from epsilon 0.1 to 1, 10 and 100, beta 0.5, private"),
            step,
            "share",
            (0.0, 1.0),
        ),
    ])
}

fn of_the_smoothed_histogram(study: &mut Study) -> Result<Vec<Figure>, Box<dyn Error>> {
    let mut figures = Vec::new();
    for (method, name) in [
        (Method::Smoothed, "private, rows by default"),
        (Method::SmoothedAll, "private, 1000 rows"),
        (Method::PublishedSmoothed, "the text's smoothing"),
    ] {
        for epsilon in [1.0, 10.0] {
            let point = study.point(method, epsilon, None)?;
            let name = format!("mean power at a true level of 0.05, smoothed histogram, epsilon {epsilon}, {name}");
            figures.push(Figure::shown(name, mean(&point.power_at_level), "share"));
        }
    }
    for (exponent, epsilon) in [(0.5, "the root of 10"), (-0.5, "one over the root of 10")] {
        let Power { private, published } = spearman::power(10_f64.powf(exponent))?;
        let name = format!("power of Spearman's test, smoothed histogram, epsilon {epsilon}");
        figures.push(Figure::shown(format!("{name}, private"), private, "share"));
        figures.push(Figure::shown(format!("{name}, the text's smoothing"), published, "share"));
    }
    Ok(figures)
}

fn least(rates: &[f64; PAIRS]) -> f64 {
    rates.iter().copied().fold(1.0, f64::min)
}

/// Processor time of this process so far, in seconds: the kernel tells ticks of 1/100 s.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, behind_name) = stat.rsplit_once(") ").ok_or("the name is in brackets")?;
    let ticks = behind_name.split(' ').skip(11).take(2).map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}
