//! The guarantee of a model, in a paragraph.

use std::num::NonZeroU32;

use scumble_mechanisms::marginals::{Loss, Statement};
use scumble_mechanisms::{Model, Origin};
use scumble_schema::{AdjacencyKind, Unit};
use scumble_vault::account::{Mechanism, Noise, ThresholdDelta};
use scumble_vault::{AccountingKind, ApproxDp, Certificate, Delta, Event};

use crate::weak_terms::weak_terms;
use crate::words::releases;

/// Prefix of a guarantee that was declared and not computed here.
const DECLARED: &str = "Declared by the maker of the tables, not accounted for by this program";

/// A fit that spent at least this share of its goal shows the epsilon of the goal.
const NEARLY_THE_GOAL: f64 = 0.999;

/// Returns the guarantee of a model, for readers who know differential privacy: as its certificate
/// proves, or as the party that released the tables declares.
pub fn guarantee(model: &Model) -> String {
    let unit = &model.schema().privacy().unit;
    let guarantee = match model.origin() {
        Origin::Measured { certificate, .. } => certified(unit, certificate),
        Origin::External(marginals) => declared(unit, marginals.statement()),
    };
    let assumptions = model.schema().assumptions();
    let weaknesses = weak_terms(model).into_iter().map(|weakness| format!("WEAK TERMS: {weakness}."));
    let others = assumptions.iter().map(ToString::to_string).chain(weaknesses);
    std::iter::once(guarantee).chain(others).collect::<Vec<_>>().join(" ")
}

fn declared(unit: &Unit, statement: &Statement) -> String {
    let claim = match statement.loss() {
        Loss::Approximate(goal) => format!("{}-differentially private", pair(goal.epsilon.get(), goal.delta)),
        Loss::Concentrated { rho } => format!("zero-concentrated differentially private with rho = {rho}"),
    };
    let neighbours = neighbours(unit, statement.max_contributions(), statement.adjacency());
    let note = statement.note().map_or_else(String::new, |note| format!(" Note of the maker: \"{note}\""));
    format!("{DECLARED}: {claim} with respect to {neighbours}. Made by \"{}\".{note}", statement.maker())
}

/// Returns the guarantee of what was released under a certificate, such as a learned schema.
pub fn certified(unit: &Unit, certificate: &Certificate) -> String {
    let neighbours = neighbours(unit, certificate.max_contributions(), certificate.adjacency());
    let noise = match certificate.noise() {
        Noise::Fresh => "",
        Noise::Forced => " This certificate comes from a test and is NOT PRIVATE.",
    };
    let claim = certified_claim(certificate);
    let total = certificate.total().to_f64();
    let accounting = match certificate.accounting() {
        AccountingKind::Pure => "pure accounting".to_owned(),
        AccountingKind::Gdp => {
            // A selection may lose less than it is charged for. For noise alone the cost is exact.
            let chose = |event: &Event| matches!(event.mechanism(), Mechanism::Exponential { .. });
            let exact = if certificate.events().iter().any(chose) { "" } else { "exact " };
            format!("{exact}Gaussian accounting, mu = {:.5}", total.sqrt())
        }
        AccountingKind::Zcdp => format!("zero-concentrated accounting, rho = {total:.5}"),
    };
    let ledger = certificate.ledger().map_or_else(String::new, |entry| {
        let cap = entry.cap.map_or_else(String::new, |cap| format!(", which has a cap of {}", cap_in_words(cap)));
        format!(" Recorded in the ledger of `{}`, job {}{cap}.", entry.dataset, entry.job)
    });
    let releases = releases(certificate.events().len());
    let thresholds = certificate.threshold_delta();
    let thresholds = if thresholds == ThresholdDelta::ZERO {
        String::new()
    } else {
        format!(", of delta {:.1e} for values above thresholds", thresholds.to_f64())
    };
    format!(
        "{claim}-differentially private with respect to {neighbours}. {releases}, {accounting}{thresholds}.{ledger}{noise}"
    )
}

/// Describes neighbouring tables.
pub(crate) fn neighbours(unit: &Unit, most: NonZeroU32, adjacency: AdjacencyKind) -> String {
    let rows = match (unit, most.get()) {
        (Unit::Row, 1) => "one row".to_owned(),
        (Unit::Row, most) => format!("up to {most} rows of one unit"),
        (Unit::Column(column), _) => format!("all rows of one `{column}`"),
    };
    let kept = match (unit, most.get()) {
        (Unit::Row, _) => String::new(),
        (Unit::Column(_), 1) => "; at most 1 row of each was kept".to_owned(),
        (Unit::Column(_), most) => format!("; at most {most} rows of each were kept"),
    };
    match (adjacency, unit) {
        (AdjacencyKind::AddRemove, _) => format!("adding or removing {rows}{kept}"),
        (AdjacencyKind::ReplaceOne, Unit::Row) => format!("replacing {rows} by others; the number of rows is public"),
        (AdjacencyKind::ReplaceOne, Unit::Column(_)) => {
            format!("replacing {rows} by as many of another{kept}, and their number is public")
        }
    }
}

/// Formats the claim of a certificate as [`pair`], with the [shown epsilon](shown_epsilon).
pub(crate) fn certified_claim(certificate: &Certificate) -> String {
    pair(shown_epsilon(certificate), certificate.delta())
}

/// Returns the epsilon that is shown: never below the certified one, with at most six decimals.
///
/// A fit with a goal of epsilon 1 that spent all but a millionth of it shows 1, not
/// 0.9999999999968168. The certificate has every digit.
pub fn shown_epsilon(certificate: &Certificate) -> f64 {
    let (claimed, goal) = (certificate.epsilon().get(), certificate.goal().epsilon.get());
    // The certified epsilon is never above the goal, so this rounds up too.
    if claimed >= goal * NEARLY_THE_GOAL { goal } else { rounded_up(claimed) }
}

/// Formats the cap of a ledger.
pub(crate) fn cap_in_words(cap: ApproxDp) -> String {
    claim(cap.epsilon.get(), cap.delta)
}

/// Formats a claim as [`pair`], rounded up.
pub(crate) fn claim(epsilon: f64, delta: Delta) -> String {
    pair(rounded_up(epsilon), delta)
}

/// Formats a claim with two decimals of `epsilon`, rounded up.
pub(crate) fn short_claim(epsilon: f64, delta: Delta) -> String {
    // A rounding error above a hundredth must not round up to the next one.
    pair((epsilon * 100.0 - 1e-9).ceil() / 100.0, delta)
}

/// Formats `(epsilon, delta)`, or `epsilon` alone if delta is zero.
pub(crate) fn pair(epsilon: f64, delta: Delta) -> String {
    if delta == Delta::ZERO { epsilon.to_string() } else { format!("({epsilon}, {:e})", delta.get()) }
}

/// Rounds up to six decimals, so that the shown epsilon is never below the real one.
fn rounded_up(epsilon: f64) -> f64 {
    (epsilon * 1e6).ceil() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_tables_are_described() {
        let people = Unit::Column("person_id".into());
        let said = |unit: &Unit, most, adjacency| neighbours(unit, NonZeroU32::new(most).unwrap(), adjacency);
        assert_eq!(said(&Unit::Row, 1, AdjacencyKind::AddRemove), "adding or removing one row");
        assert_eq!(said(&Unit::Row, 3, AdjacencyKind::AddRemove), "adding or removing up to 3 rows of one unit");
        assert_eq!(
            said(&Unit::Row, 1, AdjacencyKind::ReplaceOne),
            "replacing one row by others; the number of rows is public"
        );
        assert_eq!(
            said(&people, 1, AdjacencyKind::AddRemove),
            "adding or removing all rows of one `person_id`; at most 1 row of each was kept"
        );
        assert_eq!(
            said(&people, 3, AdjacencyKind::AddRemove),
            "adding or removing all rows of one `person_id`; at most 3 rows of each were kept"
        );
        assert_eq!(
            said(&people, 3, AdjacencyKind::ReplaceOne),
            "replacing all rows of one `person_id` by as many of another; at most 3 rows of each were kept, and their \
             number is public"
        );
    }
}
