//! What the study comes to, as figures.

use super::panels::{EPSILONS, LISTING, TEXT, all_betas};
use super::pearson::PAIRS;
use super::published::{self, Scale};
use super::spearman::{self, Power};
use super::study::{Method, Study, mean};
use scumble_benchmarks::Result;
use scumble_benchmarks::clock::cpu_seconds;
use scumble_benchmarks::figure::{Bar, Figure};

/// The most processor seconds that the program may take.
const SECONDS: f64 = 120.0;
/// Rows that are drawn anew from a table of as many rows, without any noise, deviate from
/// independence with twice the variance of rows: `P(|N(0, 2)| > 1.96)`.
const SIZE_OF_ROWS_DRAWN_ANEW: f64 = 0.1658;

/// Numbers of the study beside what is asked of them.
pub(crate) fn figures(study: &mut Study) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let [power, size] = study.on_real_rows();
    figures.push(Figure::new("size on real rows", mean(&size), "share", between(study.around(0.05))));
    figures.push(Figure::new("least power on real rows", least(&power), "share", Bar::Between(0.99, 1.0)));
    figures.extend(of_privbayes(study)?);
    figures.extend(of_the_ends(study)?);
    figures.extend(of_the_smoothed_histogram(study)?);
    for (scale, name) in [(Scale::Text, "text"), (Scale::Listing, "listing")] {
        let name = format!("epsilon lost over epsilon claimed, a table of three parents, the {name}'s noise");
        figures.push(Figure::new(name, published::loss_over_claim(scale), "times", Bar::None));
    }
    let lost = published::smoothing_loss(1.0);
    figures.push(Figure::new("epsilon lost, the text's smoothing at epsilon 1", lost, "epsilon", Bar::None));
    figures.push(Figure::new("largest epsilon certified over its goal", study.spent, "times", Bar::Between(0.0, 1.0)));
    figures.push(Figure::new("largest standard error of a rate", study.standard_error(0.5), "share", Bar::None));
    figures.push(Figure::new("processor time of the study", cpu_seconds(), "s", Bar::Between(0.0, SECONDS)));
    Ok(figures)
}

/// Power and size at each epsilon, and the beta that did best.
fn of_privbayes(study: &mut Study) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (method, name) in [(Method::PrivBayes, "private"), (TEXT, "the text's noise"), (LISTING, "the listing's noise")]
    {
        for epsilon in EPSILONS {
            let point = study.point(method, epsilon, Some(50))?;
            let setting = format!("epsilon {epsilon}, beta 0.5, {name}");
            figures.push(Figure::new(
                format!("mean power as reported, {setting}"),
                mean(&point.power),
                "share",
                Bar::None,
            ));
            figures.push(Figure::new(format!("mean size, {setting}"), mean(&point.size), "share", Bar::None));
            let at_level = mean(&point.power_at_level);
            figures.push(Figure::new(
                format!("mean power at a true level of 0.05, {setting}"),
                at_level,
                "share",
                Bar::None,
            ));
        }
    }
    for epsilon in EPSILONS {
        let mut best = (0.0, 0);
        for beta in all_betas() {
            let power = mean(&study.point(Method::PrivBayes, epsilon, Some(beta))?.power_at_level);
            best = if power > best.0 { (power, beta) } else { best };
        }
        figures.push(Figure::new(
            format!("best beta, epsilon {epsilon}, private"),
            f64::from(best.1) / 100.0,
            "share",
            Bar::None,
        ));
    }
    Ok(figures)
}

/// What has to come out where the budget is next to nothing and where it is ample, and that power
/// grows from one to the other.
fn of_the_ends(study: &mut Study) -> Result<Vec<Figure>> {
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
        Figure::new("mean power as reported, epsilon 0.01, beta 0.5, private", mean(&lost.power), "share", Bar::None),
        Figure::new(
            "an attribute is constant, epsilon 0.01, beta 0.5, private",
            mean(&lost.constant),
            "share",
            Bar::None,
        ),
        Figure::new(
            format!("mean power {level}, epsilon 0.01, beta 0.5, private"),
            mean(&lost.power_at_level),
            "share",
            between(study.around(0.05)),
        ),
        Figure::new(
            format!("least power {level}, epsilon 100, beta 0.5, private"),
            least(&kept.power_at_level),
            "share",
            Bar::Between(0.95, 1.0),
        ),
        Figure::new(
            "size for X1 and X2, epsilon 100, beta 0.5, private, beside 0.166",
            kept.size[0],
            "share",
            between(study.around(SIZE_OF_ROWS_DRAWN_ANEW)),
        ),
        Figure::new(
            format!("least gain of mean power {level} from epsilon 0.1 to 1, 10 and 100, beta 0.5, private"),
            step,
            "share",
            Bar::Between(0.0, 1.0),
        ),
    ])
}

fn of_the_smoothed_histogram(study: &mut Study) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (method, name) in [
        (Method::Smoothed, "private, rows by default"),
        (Method::SmoothedAll, "private, 1000 rows"),
        (Method::PublishedSmoothed, "the text's smoothing"),
    ] {
        for epsilon in [1.0, 10.0] {
            let point = study.point(method, epsilon, None)?;
            let name = format!("mean power at a true level of 0.05, smoothed histogram, epsilon {epsilon}, {name}");
            figures.push(Figure::new(name, mean(&point.power_at_level), "share", Bar::None));
        }
    }
    for (exponent, epsilon) in [(0.5, "the root of 10"), (-0.5, "one over the root of 10")] {
        let Power { private, published } = spearman::power(10_f64.powf(exponent))?;
        let name = format!("power of Spearman's test, smoothed histogram, epsilon {epsilon}");
        figures.push(Figure::new(format!("{name}, private"), private, "share", Bar::None));
        figures.push(Figure::new(format!("{name}, the text's smoothing"), published, "share", Bar::None));
    }
    Ok(figures)
}

/// The bar of a range.
fn between((least, most): (f64, f64)) -> Bar {
    Bar::Between(least, most)
}

fn least(rates: &[f64; PAIRS]) -> f64 {
    rates.iter().copied().fold(1.0, f64::min)
}
