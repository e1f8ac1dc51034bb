//! `registry-entry.yaml`: a draft entry for the Differential Privacy Deployments Registry, for the
//! publisher to complete.
//!
//! The format is that of `schemas/deployments-schema.yaml` in the repository
//! `opendp/deployments-registry-data` on 15 July 2026 (commit 3e9c812), at its third tier. All
//! texts are ours; facts that only the publisher knows are marked as open.

#![expect(clippy::struct_field_names, reason = "the names are those of the form")]

use scumble_mechanisms::marginals::Loss;
use scumble_mechanisms::{Model, Origin};
use scumble_report::{guarantee, releases, shown_epsilon};
use scumble_schema::{AdjacencyKind, Schema, Unit};
use scumble_vault::account::Mechanism;
use scumble_vault::{AccountingKind, ApproxDp, Certificate, Delta};
use serde::Serialize;

use super::contents::{CERTIFICATE, Contents, DATA_PACKAGE, DECLARED, PROGRAM};
use super::release::placeholder;

#[derive(Serialize)]
struct Entry {
    url_slug: String,
    status: &'static str,
    tier: u8,
    deployment: Deployment,
}

#[derive(Serialize)]
struct Deployment {
    basic: Basic,
    dp_variant: Variant,
    privacy_loss: PrivacyLoss,
    deployment_model: DeploymentModel,
    accounting: Accounting,
    implementation: Implementation,
    administrative: Administrative,
}

#[derive(Serialize)]
struct Basic {
    name: String,
    data_curators: [String; 1],
    intended_use: String,
    data_product_type: &'static str,
    data_product_region: String,
    description: String,
    publication_date: String,
}

#[derive(Serialize)]
struct Variant {
    variant_name: &'static str,
    data_domain: String,
    unprotected_quantities: String,
}

#[derive(Serialize)]
struct PrivacyLoss {
    privacy_unit: String,
    privacy_unit_details: String,
    privacy_parameters: Parameters,
    privacy_parameters_details: String,
}

#[derive(Serialize)]
struct Parameters {
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<f64>,
}

#[derive(Serialize)]
struct DeploymentModel {
    model_name: &'static str,
    actors: String,
    release_type: &'static str,
    release_type_details: String,
    data_source_type: &'static str,
    access_type: &'static str,
}

#[derive(Serialize)]
struct Accounting {
    post_processing: String,
    composition: String,
}

#[derive(Serialize)]
struct Implementation {
    preprocessing_and_hyperparameter_tuning: String,
    mechanisms: String,
    justification: String,
}

#[derive(Serialize)]
struct Administrative {
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<String>,
    notes: String,
    registry_authors: [String; 1],
}

/// Returns the text of the entry.
pub(super) fn entry(contents: &Contents<'_>) -> String {
    let options = serde_saphyr::ser_options! {
        // The registry's validator refuses folded text, and reads numbers and words as YAML 1.1
        // does.
        prefer_block_scalars: false,
        quote_all: true,
    };
    serde_saphyr::to_string_with_options(&Entry::new(contents), options)
        .expect("an entry holds nothing that YAML cannot write")
}

impl Entry {
    fn new(contents: &Contents<'_>) -> Self {
        let publisher = &contents.release.publisher;
        let (name, curator) = (contents.title(), publisher.curator());
        Self {
            url_slug: address(&[&name, &curator, &contents.release.date.year().to_string()]),
            status: "Draft",
            tier: 3,
            deployment: Deployment {
                basic: Basic {
                    name,
                    data_curators: [curator.clone()],
                    intended_use: or_open(publisher.intended_use.as_ref(), "what the rows are meant for"),
                    data_product_type: "Synthetic data",
                    data_product_region: or_open(publisher.region.as_ref(), "which region the table is about"),
                    description: contents.description(),
                    publication_date: contents.release.date.to_string(),
                },
                dp_variant: variant(contents.model),
                privacy_loss: privacy_loss(contents.model),
                deployment_model: deployment_model(contents.model),
                accounting: accounting(contents),
                implementation: implementation(contents.model),
                administrative: Administrative {
                    sources: publisher.url.clone(),
                    notes: format!("Drafted by {PROGRAM} from the model that the rows were drawn from."),
                    registry_authors: [publisher.contact.clone().unwrap_or(curator)],
                },
            },
        }
    }
}

fn or_open(said: Option<&String>, what: &str) -> String {
    said.cloned().unwrap_or_else(|| placeholder(what))
}

/// Returns the address that the registry derives from name, curators and year: every run of
/// characters that are not in words becomes one hyphen, and so does every underscore.
fn address(parts: &[&str]) -> String {
    let clean = |part: &&str| {
        let mut cleaned = String::new();
        let mut between = false;
        for letter in part.to_lowercase().chars() {
            let in_word = letter.is_alphanumeric() || letter == '_';
            match (in_word, between) {
                (true, _) if letter != '_' => cleaned.push(letter),
                (true, _) | (false, false) => cleaned.push('-'),
                (false, true) => {}
            }
            between = !in_word;
        }
        cleaned
    };
    parts.iter().map(clean).collect::<Vec<_>>().join("-")
}

fn variant(model: &Model) -> Variant {
    let schema = model.schema();
    let pure = |delta: Delta| if delta == Delta::ZERO { "Pure DP" } else { "Approximate DP" };
    let variant_name = match model.origin() {
        Origin::Measured { certificate, .. } => pure(certificate.delta()),
        Origin::External(marginals) => match marginals.statement().loss() {
            Loss::Approximate(goal) => pure(goal.delta),
            Loss::Concentrated { .. } => "Zero-concentrated DP",
        },
    };
    let rows = match schema.privacy().adjacency {
        AdjacencyKind::AddRemove => "the number of rows is protected as well",
        AdjacencyKind::ReplaceOne => "the number of rows is public",
    };
    let assumed: Vec<&str> = schema.assumed().map(scumble_schema::Attribute::name).collect();
    let assumed = if assumed.is_empty() {
        String::new()
    } else {
        format!(
            " Nobody has confirmed that the bounds and categories of these columns were declared without looking at the data: {}.",
            assumed.join(", ")
        )
    };
    let stated = schema.assumptions().into_iter().map(|assumption| assumption.to_string());
    let unprotected = format!(
        "The schema, that is names, types, bounds, bins and categories of columns, is public, and {rows}.{assumed}"
    );
    let unprotected_quantities = std::iter::once(unprotected).chain(stated).collect::<Vec<_>>().join(" ");
    let made_up = if schema.generated().is_empty() { "" } else { " and that are not made up or computed" };
    Variant {
        variant_name,
        data_domain: format!(
            "All tables over the {} columns that {DATA_PACKAGE} describes{made_up}. Every value has a declared code: one that is missing or \
             not declared has a code for such values, or that of a declared one.",
            schema.attributes().len()
        ),
        unprotected_quantities,
    }
}

fn privacy_loss(model: &Model) -> PrivacyLoss {
    let privacy_parameters = match model.origin() {
        Origin::Measured { certificate, .. } => approximate(shown_epsilon(certificate), certificate.delta()),
        Origin::External(marginals) => match marginals.statement().loss() {
            Loss::Approximate(goal) => approximate(goal.epsilon.get(), goal.delta),
            Loss::Concentrated { rho } => Parameters { epsilon: None, delta: None, rho: Some(rho) },
        },
    };
    let (privacy_unit, privacy_unit_details) = unit(model.schema());
    PrivacyLoss { privacy_unit, privacy_unit_details, privacy_parameters, privacy_parameters_details: guarantee(model) }
}

fn approximate(epsilon: f64, delta: Delta) -> Parameters {
    let delta = (delta != Delta::ZERO).then(|| delta.get());
    Parameters { epsilon: Some(epsilon), delta, rho: None }
}

/// Returns the unit of privacy, in short and in full.
fn unit(schema: &Schema) -> (String, String) {
    let privacy = schema.privacy();
    let most = privacy.max_contributions.get();
    let (short, whose) = match &privacy.unit {
        Unit::Row if most == 1 => ("One row".to_owned(), "one row".to_owned()),
        Unit::Row => (format!("Up to {most} rows"), format!("up to {most} rows")),
        Unit::Column(column) => {
            (format!("All rows of one {column}"), format!("all rows that have the same value in the column {column}"))
        }
    };
    let kept = match &privacy.unit {
        Unit::Row => String::new(),
        Unit::Column(_) => format!(" Of each such group at most {most} were kept before anything was counted."),
    };
    let full = match privacy.adjacency {
        AdjacencyKind::AddRemove => format!("Two tables are adjacent if one is the other without {whose}.{kept}"),
        AdjacencyKind::ReplaceOne => {
            format!("Two tables are adjacent if one is the other with {whose} replaced by as many others.{kept}")
        }
    };
    (short, full)
}

fn deployment_model(model: &Model) -> DeploymentModel {
    let ledger = model.certificate().and_then(Certificate::ledger).map_or_else(
        || placeholder("whether the same table was or will be used for other releases, and what they cost together"),
        |entry| {
            let (cap, open) = match entry.cap {
                Some(ApproxDp { epsilon, delta }) => (
                    format!(
                        " of epsilon {}{} for all of them together",
                        epsilon.get(),
                        if delta == Delta::ZERO { String::new() } else { format!(" and delta {:e}", delta.get()) }
                    ),
                    "whether other releases are planned",
                ),
                None => (String::new(), "the cap, and whether other releases are planned"),
            };
            format!(
                "The budget of the table is kept in a ledger (dataset {}, job {}), which refuses releases above its cap{cap}. {}",
                entry.dataset,
                entry.job,
                placeholder(open)
            )
        },
    );
    DeploymentModel {
        model_name: "Central",
        actors: "The publisher holds the real table, may see every row, and runs the program on a machine that it trusts. Everybody \
                 else is taken for an attacker, who sees all of this release; no assumption is made about what they know or how \
                 much they compute. How long the run took and how much memory it needed are not part of the guarantee."
            .into(),
        release_type: "One release",
        release_type_details: ledger,
        data_source_type: "Static",
        access_type: "Non-interactive",
    }
}

fn accounting(contents: &Contents<'_>) -> Accounting {
    let release = contents.release;
    let composition = match contents.model.origin() {
        Origin::Measured { certificate, .. } => {
            let rule = match certificate.accounting() {
                AccountingKind::Pure => "the epsilons are added",
                AccountingKind::Gdp => "Gaussian differential privacy: the squares of mu are added",
                AccountingKind::Zcdp => "zero-concentrated differential privacy: the rhos are added",
            };
            let releases = releases(certificate.events().len());
            format!(
                "{releases}, composed adaptively by {rule}. {CERTIFICATE} lists each with its sensitivity and scale."
            )
        }
        Origin::External(_) => format!("As the maker of the noisy tables declares: see {DECLARED}."),
    };
    Accounting {
        post_processing: format!(
            "A distribution is fitted to the noisy tables, and {} rows are drawn from it ({}, seed {}). Neither step reads the \
             real table.",
            release.rows, release.sampling, release.seed
        ),
        composition,
    }
}

fn implementation(model: &Model) -> Implementation {
    let learns = model
        .certificate()
        .is_some_and(|certificate| certificate.events().iter().any(|event| event.question().is_of_columns()));
    let tuning = if learns {
        "Values are mapped to codes, one row at a time. Bounds, bins and categories that nobody declared were learned from the rows \
         within the budget, by releases that the certificate lists. Nothing was learned or tuned outside it."
    } else {
        "Values are mapped to the declared codes, one row at a time. The program learns no bound, bin or category from the rows \
         and tunes nothing on them outside the budget."
    };
    let chosen = placeholder("whether epsilon, the method or the schema were chosen with a look at the real table");
    let mechanisms = match (model.method(), model.certificate()) {
        (Some(method), Some(certificate)) => {
            format!(
                "{PROGRAM}, method {method}: {}. All counts and scores are integers, and noise is drawn exactly, without floating \
                 point, from the randomness of the operating system.",
                mechanisms(certificate)
            )
        }
        _ => format!(
            "Noisy tables were made elsewhere, and {DECLARED} has what their maker says. {PROGRAM} fitted a model to them and drew \
             rows."
        ),
    };
    Implementation {
        preprocessing_and_hyperparameter_tuning: format!("{tuning} {chosen}"),
        mechanisms,
        justification: placeholder("why this unit, these parameters and this method were chosen"),
    }
}

/// Returns the number of releases by mechanism.
fn mechanisms(certificate: &Certificate) -> String {
    let count = |is: fn(&Mechanism) -> bool| certificate.events().iter().filter(|event| is(&event.mechanism())).count();
    let kinds = [
        (count(|kind| matches!(kind, Mechanism::RoundedGaussian { .. })), "with Gaussian noise, exactly rounded"),
        (count(|kind| matches!(kind, Mechanism::DiscreteLaplace { .. })), "with discrete Laplace noise"),
        (count(|kind| matches!(kind, Mechanism::Exponential { .. })), "by the exponential mechanism"),
        (count(|kind| matches!(kind, Mechanism::SmoothedHistogram(_))), "of rows drawn from a smoothed histogram"),
    ];
    let stated =
        kinds.iter().filter(|(events, _)| *events > 0).map(|(events, how)| format!("{} {how}", releases(*events)));
    stated.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_derived_as_the_registry_derives_them() {
        assert_eq!(address(&["CTDC Global Dataset", "Some Office", "2023"]), "ctdc-global-dataset-some-office-2023");
        assert_eq!(address(&["People (2026)", "A & B", "2026"]), "people-2026--a-b-2026");
    }
}
