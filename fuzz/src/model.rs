//! The model file.

use scumble::pgm::Node;
use scumble::report::{Explanation, Summary, guarantee};
use scumble::{Model, Sampling};
use scumble_mechanisms::Distribution;
use scumble_mechanisms::marginals::Marginals;

use crate::message;
use crate::model_text::{MAGIC, file_of_text, with_hash};

/// Number of rows that are drawn.
const ROWS: u64 = 50;
/// Maximum number of cells of a distribution that rows are drawn from.
const MAX_CELLS: u128 = 100_000;

/// A model that is accepted has a certificate that verifies, is written and read back without a
/// change, and gives rows of declared codes.
///
/// The bytes are a file without its checksum, or a text that describes one.
pub fn model(bytes: &[u8]) {
    let file = if bytes.starts_with(MAGIC) { with_hash(bytes.to_vec()) } else { file_of_text(bytes) };
    match Model::from_bytes(&file) {
        Ok(model) => check(&model),
        Err(error) => message::check_error(error),
    }
}

fn check(model: &Model) {
    let written = model.to_bytes();
    let again = Model::from_bytes(&written).unwrap_or_else(|error| panic!("what was written is refused: {error}"));
    assert!(again.to_bytes() == written, "it is another model when it is written");
    if let Some(certificate) = model.certificate() {
        certificate.verify().expect("a model with a wrong certificate is refused");
    }
    if let Ok(exported) = model.marginals() {
        let json = exported.marginals.to_json(model.schema());
        let again = Marginals::parse(json.as_bytes(), model.schema());
        assert_eq!(again.expect("what was written is read"), exported.marginals);
    }
    if is_small(model) && model.schema().check_rows(ROWS).is_ok() {
        draw(model);
        drop((guarantee(model), Summary::new(model).to_string(), Explanation::new(model).to_string()));
    }
}

/// Returns whether the distribution has few cells. A few potentials can stand for many.
fn is_small(model: &Model) -> bool {
    let Distribution::Tree(tree) = model.distribution() else { return true };
    let cells = |node: &Node| model.recoding().domain().cells(&node.separator().union(node.residual()));
    tree.nodes().iter().map(cells).sum::<u128>() <= MAX_CELLS
}

fn draw(model: &Model) {
    let mut drawn = 0;
    for chunk in model.sample_codes(ROWS, 1, Sampling::LowVariance) {
        let sizes = model.schema().domain().sizes();
        assert_eq!(chunk.len(), sizes.len());
        drawn += chunk[0].len() as u64;
        let is_declared = chunk.iter().zip(sizes).all(|(column, &size)| column.iter().all(|code| code < size));
        assert!(is_declared, "a row has a code that its column does not have");
    }
    assert_eq!(drawn, ROWS);
    let decoded: usize = model.sample(ROWS, 1, Sampling::Independent).map(|batch| batch.num_rows()).sum();
    assert_eq!(decoded as u64, ROWS);
}
