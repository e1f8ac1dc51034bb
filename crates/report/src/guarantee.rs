//! A certificate in a paragraph.

use scumble_schema::AdjacencyKind;
use scumble_vault::Certificate;
use scumble_vault::account::Noise;

/// What the certificate promises, for a reader who knows what differential privacy is.
pub fn guarantee(certificate: &Certificate) -> String {
    let rows = match certificate.max_contributions().get() {
        1 => "one row".to_owned(),
        most => format!("up to {most} rows of one unit"),
    };
    let neighbours = match certificate.adjacency() {
        AdjacencyKind::AddRemove => format!("adding or removing {rows}"),
        AdjacencyKind::ReplaceOne => format!("replacing {rows} by others; the number of rows is public"),
    };
    let noise = match certificate.noise() {
        Noise::Fresh => "",
        Noise::Forced => " This certificate comes from a test and is NOT PRIVATE.",
    };
    format!(
        "({}, {:e})-differentially private with respect to {neighbours}. {} releases, exact Gaussian accounting, mu = {:.5}.{noise}",
        rounded_up(certificate.epsilon().get()),
        certificate.delta().get(),
        certificate.events().len(),
        certificate.mu_squared().to_f64().sqrt(),
    )
}

/// Six places are enough to read, and never less than the truth.
fn rounded_up(epsilon: f64) -> f64 {
    (epsilon * 1e6).ceil() / 1e6
}
