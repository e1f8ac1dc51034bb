//! `scumble report`

use scumble::Model;
use scumble::report::public_page;
use serde_json::json;

use crate::arguments::Report;
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &Report, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.model], [&arguments.output], arguments.overwriting.force)?;
    let model = Model::read(&arguments.model)?;
    let page = public_page(&model, arguments.title.as_deref());
    let path = &arguments.output;
    output::write(path, page.as_bytes(), terminal)?;
    terminal.result(
        || json!({ "output": path, "bytes": page.len(), "model": model.fingerprint() }),
        || {
            format!(
                "wrote a report of {} KB to {}; it may be published",
                page.len().div_ceil(1_000),
                output::shown(path)
            )
        },
    );
    Ok(())
}
