//! Models of earlier versions: every later version draws the same rows from them.

use std::fs;
use std::path::Path;

use scumble::Model;
use scumble::mechanisms::Method;

use crate::folder::Folder;

#[test]
fn every_method_draws_from_older_models_what_it_drew_then() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/older_models");
    let folder = Folder::new();
    for method in Method::NAMES {
        let model = models.join(format!("{method}.model"));
        let drawn = folder.output(&["sample", model.to_str().unwrap(), "-n", "40", "--seed", "7", "-o", "-"]);
        let expected = fs::read_to_string(models.join(format!("{method}.csv"))).unwrap();
        assert_eq!(String::from_utf8(drawn.stdout).unwrap(), expected, "{method}");
        // Reading verifies the certificate. Pages name a model by the digest of its bytes, so these
        // must not change either.
        assert_eq!(Model::read(&model).unwrap().to_bytes(), fs::read(&model).unwrap(), "{method}");
    }
}
