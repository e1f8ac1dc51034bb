//! `scumble inspect`

use std::path::PathBuf;

use scumble::Model;
use scumble::report::{Explanation, Paragraph, Summary, picture};
use serde::Serialize;

use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

/// JSON output of the command.
#[derive(Serialize)]
struct Inspected<'a> {
    #[serde(flatten)]
    summary: Summary,
    /// Explanation of the guarantee in plain words.
    explanation: Vec<Paragraph>,
    /// Path of the picture, if requested.
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
        || Inspected { summary: Summary::new(&model), explanation: Explanation::new(&model).paragraphs, svg },
        || if arguments.explain { Explanation::new(&model).to_string() } else { Summary::new(&model).to_string() },
    );
    Ok(())
}
