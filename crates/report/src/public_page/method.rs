//! How the model was made, by which versions, and how to name and check it.

use maud::{Markup, html};
use scumble_mechanisms::{Method, Model};
use serde_json::Value;

use crate::guarantee::claim;
use crate::page::{details, facts, prose, text};
use crate::words::counted;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a method does, and whose it is.
fn described(method: &Method) -> &'static str {
    match method {
        Method::Independent => {
            "One noisy table per column. Columns of the synthetic rows are independent of each other."
        }
        Method::PrivBayes(_) => {
            "A Bayesian network is chosen at random in favour of strong relations, its tables are measured with Laplace noise, and \
             rows are drawn along it: Zhang, Cormode, Procopiuc, Srivastava and Xiao, 2014."
        }
        Method::PrivBayesNist(_) => {
            "All pairs of columns get noisy scores, a Bayesian network is built on them, and its tables are measured with Gaussian \
             noise: the entry of Bao, Xiao, Zhao, Zhang and Ding to the NIST challenge of 2018."
        }
        Method::PbPgm(_) => {
            "A Bayesian network is chosen as in PrivBayes and its tables are measured; then one graphical model is fitted to all \
             of them."
        }
        Method::Auto(_) => {
            "Every column is measured, then tables are chosen round by round where the model so far is worst for the noise that \
             they will have; a Markov random field is fitted to all that were measured."
        }
        Method::Aim(_) => {
            "Every column is measured, then tables are chosen round by round for a workload; a Markov random field is fitted to \
             all that were measured: McKenna, Mullins, Sheldon and Miklau, 2022."
        }
        Method::Mst(_) => {
            "Every column is measured, then the pairs of a spanning tree over the columns, chosen to be those that tell most about \
             each other: McKenna, Miklau and Sheldon, 2021."
        }
        Method::PrivMrf(_) => {
            "Tables are chosen where the model so far is worst, and a Markov random field is fitted to all that were measured: \
             Cai, Lei, Wei and Xiao, 2021."
        }
        Method::SmoothedHistogram(_) => {
            "Rows are drawn from the table of all columns, smoothed towards the one in which every cell is as likely as any other."
        }
        _ => "A method that this page has no words for.",
    }
}

pub(super) fn section(model: &Model) -> Markup {
    html! {
        @if let Some(method) = model.method() {
            p { (described(method)) }
            (options(method))
        } @else {
            p { "A Markov random field is fitted to noisy tables that were made elsewhere. No method of ours measured them." }
        }
        h3 { "Versions" }
        (facts(
            [
                ("Program that wrote this page", format!("Scumble {VERSION}")),
                ("Format of the model file", Model::FILE_VERSION.to_string()),
                ("SHA-256 of the model file", format!("`{}`", model.fingerprint())),
            ]
            .map(|(name, value)| (name, prose(&value))),
        ))
        h3 { "How to name it" }
        p { (citation(model)) }
        h3 { "How to check it" }
        p {
            "Whoever has the model file can make this page again: " code { "scumble report MODEL -o public.html" }
            " writes the same bytes from the same model with the same version. "
            @if model.certificate().is_some() {
                code { "scumble inspect MODEL" } " reads the file only if the certificate follows from its releases, event by event, "
                "so the sums need not be taken on trust. What has to be trusted is that the program ran on the table it was said to "
                "run on, and that nothing else was released."
            } @else {
                "It cannot check what the maker of the tables declares."
            }
        }
    }
}

/// The options of a method by name.
fn options(method: &Method) -> Markup {
    let value = serde_json::to_value(method).unwrap_or(Value::Null);
    let options = value.as_object().and_then(|method| method.values().next()).and_then(Value::as_object);
    let options: Vec<(&String, String)> =
        options.into_iter().flatten().map(|(name, value)| (name, written(value))).collect();
    html! {
        p { "Its name is " code { (method.name()) } @if options.is_empty() { ", and it has no options." } @else { "." } }
        @if !options.is_empty() {
            (details("Its options", facts(options.into_iter().map(|(name, value)| (html! { code { (name) } }, text(value))))))
        }
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        other => other.to_string(),
    }
}

fn citation(model: &Model) -> String {
    let title = model.schema().to_spec().title.unwrap_or_else(|| "[name of the table]".into());
    let how = match (model.method(), model.certificate()) {
        (Some(method), Some(certificate)) => format!(
            "method {}, {}-differential privacy, {}",
            method.name(),
            claim(certificate.epsilon().get(), certificate.delta()),
            counted(certificate.events().len(), "release", "releases")
        ),
        _ => "fitted to noisy tables that were made elsewhere".into(),
    };
    let fingerprint = model.fingerprint();
    format!("Synthetic data of {title}. Scumble {VERSION}, {how}. Model {}.", &fingerprint[..16])
}
