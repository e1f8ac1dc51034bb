//! `scumble inspect`

use std::path::PathBuf;

use scumble::Model;
use scumble::report::{Explanation, Paragraph, Summary, picture};
use serde::Serialize;

use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

/// All that is told of a model.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    summary: Summary,
    /// The guarantee in plain words.
    explanation: Vec<Paragraph>,
    /// Where the picture is, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<&'a PathBuf>,
}

pub(crate) fn run(arguments: &Inspect, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.model], &arguments.svg, arguments.overwriting.force)?;
    let model = Model::read(&arguments.model)?;
    let svg = arguments.svg.as_ref();
    if let Some(path) = svg {
        output::write(path, picture(&model).as_bytes(), terminal)?;
        terminal.note(&format!("wrote a picture of the model to {}", output::shown(path)));
    }
    terminal.result(
        || Told { summary: Summary::new(&model), explanation: Explanation::new(&model).paragraphs, svg },
        || if arguments.explain { Explanation::new(&model).to_string() } else { Summary::new(&model).to_string() },
    );
    Ok(())
}
