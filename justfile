# Short names for what the scripts of `.ci` and cargo do. `just` lists them.

target := env("SCUMBLE_TARGET", home_directory() / ".cache/scumble-target")
export CARGO_TARGET_DIR := target

# List the recipes
default:
    @just --list --unsorted

# Run everything that must hold before a change lands
check:
    .ci/run

# Run all tests
test *arguments:
    cargo nextest run --locked --workspace {{ arguments }}

# Run the tests of the crates without DataFusion
test-fast:
    cargo test --locked -p scumble-cancel -p scumble-schema -p scumble-vault -p scumble-pgm -p scumble-mechanisms

# Check format, lints, deployment files, and workflows
lint:
    cargo fmt --all --check
    cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
    cluster/lint.sh
    .ci/workflows

# Check links, build the book, and run its commands and snippets
book *arguments:
    .ci/book {{ arguments }}

# Build and test the Python package
python:
    .ci/python

# Write a made-up table with its schema
demo folder="people":
    cargo run --locked --quiet -p scumble-cli -- demo -o {{ quote(folder) }}

# Run the slow gates
nightly:
    .ci/nightly

# Build the program as it is released, and pack it with completions and manual pages
package folder="dist":
    cargo build --locked --profile dist -p scumble-cli
    .ci/package "$(rustc -vV | sed -n 's/^host: //p')" "$CARGO_TARGET_DIR/dist" {{ quote(folder) }}

# Build an image of the program as it is released
container tag="scumble":
    cargo build --locked --profile dist -p scumble-cli
    mkdir -p target/dist
    [ "$CARGO_TARGET_DIR/dist/scumble" -ef target/dist/scumble ] || cp "$CARGO_TARGET_DIR/dist/scumble" target/dist/
    docker build --file Containerfile --tag {{ quote(tag) }} .

# Check that every crate that is published can be packaged
package-crates:
    cargo package --locked --workspace --no-verify --exclude scumble-testing --exclude scumble-examples --exclude scumble-python
