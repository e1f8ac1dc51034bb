//! Method and versions of the model, and how to cite and check it.

use maud::{Markup, html};
use scumble_mechanisms::{Method, Model};
use serde_json::Value;

use crate::guarantee::claim;
use crate::page::{details, facts, prose, text};
use crate::words::counted;

/// Version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn section(model: &Model) -> Markup {
    html! {
        @if let Some(method) = model.method() {
            p { (method.description()) }
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

/// Lists the options of a method by name.
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
