//! The guarantee in plain words, and every release that it adds up.

use maud::{Markup, html};
use scumble_mechanisms::marginals::Marginals;
use scumble_mechanisms::{Model, Origin};
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::{AccountingKind, Certificate, Cost, Event};

use super::measured::{MAX_LISTED, names};
use crate::explained::Explanation;
use crate::guarantee::{cap_in_words, certified_claim, neighbours};
use crate::page::{Column, Table, details, facts, prose, text};
use crate::words::grouped;

pub(super) fn section(model: &Model) -> Markup {
    let explanation = Explanation::new(model);
    html! {
        @for paragraph in &explanation.paragraphs { h3 { (paragraph.heading) } p { (prose(&paragraph.text)) } }
        @match model.origin() {
            Origin::Measured { certificate, .. } => (certified(model, certificate)),
            Origin::External(marginals) => (declared(marginals)),
        }
    }
}

fn certified(model: &Model, certificate: &Certificate) -> Markup {
    let protects = neighbours(&model.schema().privacy().unit, certificate.max_contributions(), certificate.adjacency());
    let total = certificate.total().to_f64();
    let accounting = match certificate.accounting() {
        AccountingKind::Pure => format!("pure differential privacy, sum of epsilon {total:.6}"),
        AccountingKind::Gdp => format!("Gaussian differential privacy, mu {:.6}", total.sqrt()),
        AccountingKind::Zcdp => format!("zero-concentrated differential privacy, rho {total:.6}"),
    };
    let mut listed = vec![
        ("Guarantee", format!("{}-differential privacy", certified_claim(certificate))),
        ("Neighbouring tables", protects),
        ("Adding up", accounting),
        ("Releases", grouped(certificate.events().len() as u64)),
    ];
    if let Some(entry) = certificate.ledger() {
        listed.push(("Ledger", format!("dataset {}, job {}, record {}", entry.dataset, entry.job, entry.head)));
        let of_all = |cap| format!("{}-differential privacy of all fits on it together", cap_in_words(cap));
        listed.extend(entry.cap.map(|cap| ("Cap of the ledger", of_all(cap))));
    }
    listed.extend(certificate.assumptions().iter().map(|assumption| ("Assumption", assumption.to_string())));
    html! {
        h3 { "The certificate" }
        (facts(listed))
        (details("Every release that the certificate adds up", events(model, certificate)))
    }
}

fn declared(marginals: &Marginals) -> Markup {
    let statement = marginals.statement();
    let mut listed = vec![("Maker of the tables", statement.maker().to_owned())];
    listed.extend(statement.note().map(|note| ("Note of the maker", note.to_owned())));
    let listed = listed.into_iter().map(|(name, value)| (name, prose(&value)));
    html! {
        h3 { "The statement of the maker" }
        p { "There is no certificate: this program measured nothing, and does not know what the tables cost." }
        (facts(listed))
    }
}

fn events(model: &Model, certificate: &Certificate) -> Markup {
    let total = certificate.total().to_f64();
    let mut listed = Table::new(
        "Releases, in their order",
        [
            Column::number("no."),
            Column::sentences("what was asked"),
            Column::sentences("made random by"),
            Column::number("numbers"),
            Column::number("of the total"),
        ],
    );
    for event in certificate.events().iter().take(MAX_LISTED) {
        let cost = event.cost(certificate.accounting()).map_or(0.0, Cost::to_f64);
        listed.row([
            text(event.id().get() + 1),
            text(question(model, event)),
            text(mechanism(event.mechanism())),
            text(grouped(event.length())),
            text(format!("{:.2} %", 100.0 * cost / total.max(f64::MIN_POSITIVE))),
        ]);
    }
    let left_out = certificate.events().len().saturating_sub(MAX_LISTED);
    html! {
        (listed)
        @if left_out > 0 { p { (grouped(left_out as u64)) " more are left out here; " code { "scumble inspect --json" } " lists all." } }
    }
}

fn question(model: &Model, event: &Event) -> String {
    match event.question() {
        Question::Table(clique) if clique.is_empty() => "number of rows".into(),
        Question::Table(clique) => format!("table: {}", names(model, clique)),
        Question::Rows(clique) => format!("rows: {}", names(model, clique)),
        Question::Scores { candidates, .. } => {
            let candidates = grouped(candidates.get());
            match event.mechanism() {
                Mechanism::Exponential { .. } => format!("choice among {candidates} candidates"),
                _ if event.question().is_comparison() => {
                    format!("{candidates} figures that compare synthetic rows with the real ones")
                }
                _ if event.question().is_of_parities() => format!("parities of {candidates} sets of columns"),
                _ => format!("scores of {candidates} candidates"),
            }
        }
        Question::Grid { column, grid } => format!("{column} over a public grid: {grid}"),
        Question::Values { column } => format!("values of {column} that enough rows share"),
        _ => "another question".into(),
    }
}

fn mechanism(mechanism: Mechanism) -> String {
    match mechanism {
        Mechanism::RoundedGaussian { sigma, .. } => format!("Gaussian noise, sigma {:.4}", sigma.to_f64()),
        Mechanism::DiscreteLaplace { scale, .. } => format!("Laplace noise, scale {:.4}", scale.to_f64()),
        Mechanism::Exponential { epsilon, .. } => format!("exponential mechanism, epsilon {:.6}", epsilon.to_f64()),
        Mechanism::SmoothedHistogram(smoothing) => {
            format!("drawing {} rows from a smoothed table", grouped(smoothing.drawn.get()))
        }
        Mechanism::ThresholdedGaussian { sigma, threshold, .. } => {
            format!("Gaussian noise, sigma {:.4}, threshold {}", sigma.to_f64(), grouped(threshold.rows))
        }
        _ => "another mechanism".into(),
    }
}
