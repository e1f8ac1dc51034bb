//! Which panics are findings.

use std::panic::{PanicHookInfo, set_hook};
use std::path::Path;

/// Makes a panic in our own code end the process, whether or not it is caught.
///
/// A panic in a library is a finding only if nobody catches it: decoders of damaged files do panic,
/// and the engine turns that into an error. It is printed too, since it may be the last one.
pub fn abort_on_our_panics() {
    set_hook(Box::new(|panic| {
        report(panic);
        if is_ours(panic) {
            std::process::abort();
        }
    }));
}

/// Returns whether the panic is in a source file of this repository, whose name is relative.
fn is_ours(panic: &PanicHookInfo<'_>) -> bool {
    panic.location().is_some_and(|place| Path::new(place.file()).is_relative())
}

#[expect(clippy::print_stderr, reason = "libFuzzer prints there too")]
fn report(panic: &PanicHookInfo<'_>) {
    eprintln!("{panic}");
}
