//! Ctrl-C: at once while nothing is being written, after the current batch while something is, so that no half-written
//! file stays behind.

use std::sync::atomic::{AtomicBool, Ordering};

static WRITING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// The shell's code for a program ended by Ctrl-C.
const EXIT_CODE: i32 = 130;

/// Starts to listen. Without a handler Ctrl-C still ends the program, only less tidily.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if !WRITING.load(Ordering::SeqCst) || ASKED.swap(true, Ordering::SeqCst) {
            // Exiting drops nothing, and private files must not outlive us.
            scumble::engine::remove_private_files();
            scumble::cluster::cancel_jobs();
            std::process::exit(EXIT_CODE);
        }
    });
}

/// While it lives, Ctrl-C is left to [`Writing::asked_to_stop`].
pub(crate) struct Writing;

impl Writing {
    pub(crate) fn begin() -> Self {
        WRITING.store(true, Ordering::SeqCst);
        Self
    }

    #[expect(clippy::unused_self, reason = "only one who writes is asked to stop; anyone else is stopped")]
    pub(crate) fn asked_to_stop(&self) -> bool {
        ASKED.load(Ordering::SeqCst)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.store(false, Ordering::SeqCst);
    }
}
