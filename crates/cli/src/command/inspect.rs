//! `scumble inspect`

use std::path::PathBuf;

use scumble::Model;
use scumble::report::{Explanation, Paragraph, Summary, picture};
use scumble::schema::WholeFile;
use serde::Serialize;

use crate::arguments::Inspect;
use crate::failure::{Failure, cannot_write};
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
    let model = Model::read(&arguments.model)?;
    let svg = arguments.svg.as_ref();
    if let Some(path) = svg {
        WholeFile::write_all_to(path, picture(&model).as_bytes()).map_err(|error| cannot_write(path, &error))?;
        terminal.note(&format!("wrote a picture of the model to {}", path.display()));
    }
    terminal.result(
        || Told { summary: Summary::new(&model), explanation: Explanation::new(&model).paragraphs, svg },
        || if arguments.explain { Explanation::new(&model).to_string() } else { Summary::new(&model).to_string() },
    );
    Ok(())
}
