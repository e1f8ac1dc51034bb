//! Explanation of a certificate.

use scumble_mechanisms::{Method, Model};
use scumble_vault::account::{Mechanism, Noise, Question};
use scumble_vault::{ApproxDp, Certificate, Event};

use crate::group::SharedIdentifier;
use crate::guarantee::{cap_in_words, certified_claim, short_claim};
use crate::odds::Odds;
use crate::words::{counted, grouped, listed, once_in, times};

use super::subject::Subject;
use super::{Paragraph, about, attacker, covered, group_promises, not_covered, on_trust};

/// Explains a model that was measured by a vault.
pub(super) fn paragraphs(
    model: &Model,
    certificate: &Certificate,
    subject: &Subject,
    odds: Option<&Odds>,
) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    if certificate.noise() == Noise::Forced {
        paragraphs.push(Paragraph::new(
            "NOT PRIVATE",
            "This model comes from a test in which noise was left out or handed to the program. It protects nobody. What \
             follows is what a real run would have claimed.",
        ));
    }
    let method = model.method().map_or("unknown", Method::name);
    paragraphs.push(about(model, &format!("fitted by the method `{method}`")));
    paragraphs.push(Paragraph::new("What is protected", subject.protected.clone()));
    paragraphs.push(promised(certificate, subject));
    paragraphs.extend(odds.into_iter().flat_map(|odds| attacker::paragraphs(odds, subject)));
    paragraphs.push(Paragraph::new("What was released", released(certificate)));
    paragraphs.push(covered());
    paragraphs.push(not_covered(&groups(certificate, subject, odds)));
    let others = format!(
        "{}That the list of releases is complete is the word of whoever ran the program: anybody can add it up again, and \
         reading the model does. Only the signature of a release shows whose word it is.",
        subject.promise.as_ref().map_or_else(String::new, |promise| format!("{promise} "))
    );
    paragraphs.push(on_trust(model, &others));
    paragraphs.push(Paragraph::new("How repeated releases are counted", repeated(certificate)));
    paragraphs
}

/// States the promises to groups, and to people who share an identifier.
fn groups(certificate: &Certificate, subject: &Subject, odds: Option<&Odds>) -> String {
    let together = odds.map(|odds| group_promises(odds, subject));
    let shared = subject.column.as_ref().and_then(|column| {
        let promise = SharedIdentifier::new(certificate)?.promise;
        let promised = promise.map_or_else(
            || "nothing".to_owned(),
            |ApproxDp { epsilon, delta }| format!("{}-differential privacy", short_claim(epsilon.get(), delta)),
        );
        Some(format!(
            "Where several people share one `{column}`, rows of one may take the places of another's: each of them alone is \
             promised {promised}."
        ))
    });
    together.into_iter().chain(shared).collect::<Vec<_>>().join(" ")
}

fn promised(certificate: &Certificate, subject: &Subject) -> Paragraph {
    let delta = certificate.delta().get();
    let margin = if delta > 0.0 { format!(", plus a probability of 1 in {}", once_in(delta)) } else { String::new() };
    let epsilon = certificate.epsilon().get();
    Paragraph::new(
        "What is promised",
        format!(
            "{}-differential privacy of everything that left the run. Whichever results one picks out, they are at most {} \
             times as probable with {} as {}{margin}; and the other way round.",
            certified_claim(certificate),
            times(epsilon.exp()),
            subject.these,
            subject.otherwise
        ),
    )
}

/// States the releases by kind, and their noise.
fn released(certificate: &Certificate) -> String {
    let events = certificate.events();
    let of = |kind: fn(&Event) -> bool| events.iter().filter(|event| kind(event)).count();
    let one_way = of(|event| matches!(event.question(), Question::Table(clique) if clique.len() <= 1));
    let larger = of(|event| matches!(event.question(), Question::Table(clique) if clique.len() > 1));
    let rows = of(|event| matches!(event.question(), Question::Rows(_)));
    let chosen = of(|event| matches!(event.mechanism(), Mechanism::Exponential { .. }));
    let parities = of(|event| event.question().is_of_parities());
    let grids = of(|event| matches!(event.question(), Question::Grid { .. }));
    let values = of(|event| matches!(event.question(), Question::Values { .. }));
    let compared = of(|event| event.question().is_comparison());
    let scores = events.len() - one_way - larger - rows - chosen - parities - grids - values - compared;
    let kinds = [
        (one_way, "table of counts over one column", "tables of counts over one column"),
        (larger, "table of counts over several columns", "tables of counts over several columns"),
        (chosen, "choice of what to count next", "choices of what to count next"),
        (scores, "list of noisy scores", "lists of noisy scores"),
        (grids, "column counted over a public grid", "columns counted over public grids"),
        (values, "list of values that enough rows share", "lists of values that enough rows share"),
        (parities, "list of parities of sets of columns", "lists of parities of sets of columns"),
        (rows, "draw of rows from a smoothed table", "draws of rows from a smoothed table"),
        (
            compared,
            "comparison of synthetic rows with the real ones",
            "comparisons of synthetic rows with the real ones",
        ),
    ];
    let kinds: Vec<String> = kinds
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, singular, plural)| counted(number, singular, plural))
        .collect();
    let total = match events.len() {
        1 => "One release".to_owned(),
        releases => format!("{} releases", grouped(releases as u64)),
    };
    let kinds = if kinds.is_empty() { "Nothing".to_owned() } else { format!("{total}: {}", listed(&kinds)) };
    let noise = noise(events);
    format!("{kinds}.{noise} All randomness was drawn for this run from the operating system, and is not kept.")
}

/// States the range of the noise on tables.
fn noise(events: &[Event]) -> String {
    let tables = || events.iter().filter(|event| matches!(event.question(), Question::Table(_)));
    let deviations = || tables().filter_map(|event| event.mechanism().standard_deviation());
    let (least, most) = (deviations().fold(f64::INFINITY, f64::min), deviations().fold(0.0, f64::max));
    if most == 0.0 {
        return String::new();
    }
    let laplace = tables().any(|event| matches!(event.mechanism(), Mechanism::DiscreteLaplace { .. }));
    let kind = if laplace { "Laplace" } else { "Gaussian" };
    let [least, most] = [least, most].map(|deviation| format!("{deviation:.1}"));
    let range = if least == most { most } else { format!("{least} to {most}") };
    format!(
        " Every count of every table, zero or not, got {kind} noise of its own, with a standard deviation of {range} rows."
    )
}

fn repeated(certificate: &Certificate) -> String {
    certificate.ledger().map_or_else(
        || {
            "This fit was not on a ledger, so nothing kept count. The promise is for this fit alone. Each further fit to the \
             same people adds to what is lost, also one whose result was thrown away."
                .to_owned()
        },
        |entry| {
            let cap = entry.cap.map_or_else(String::new, |cap| {
                format!(" The cap is {}-differential privacy of all of them.", cap_in_words(cap))
            });
            format!(
                "This fit is job {} in the ledger of `{}`. The ledger caps what all fits on it lose together: each is counted \
                 before it looks at the table, and one that would pass the cap is refused.{cap} Releases that were not on the \
                 ledger are not counted.",
                entry.job, entry.dataset
            )
        },
    )
}
