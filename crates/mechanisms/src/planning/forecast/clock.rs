//! Processor time, which does not depend on other programs that run at the same time.

use std::time::Duration;

/// Returns the processor time that all threads of this process have used so far.
///
/// On systems without such a clock, returns the wall time since the first call.
pub fn processor_time() -> Duration {
    read(Clock::Process)
}

/// Returns the processor time that this thread has used so far.
pub(super) fn thread_time() -> Duration {
    read(Clock::Thread)
}

#[derive(Clone, Copy)]
enum Clock {
    Process,
    Thread,
}

#[cfg(unix)]
fn read(clock: Clock) -> Duration {
    use nix::time::{ClockId, clock_gettime};
    let clock = match clock {
        Clock::Process => ClockId::CLOCK_PROCESS_CPUTIME_ID,
        Clock::Thread => ClockId::CLOCK_THREAD_CPUTIME_ID,
    };
    clock_gettime(clock).expect("every process and every thread has its clock").into()
}

#[cfg(not(unix))]
fn read(_: Clock) -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

#[cfg(all(test, unix))]
mod tests {
    use std::hint::black_box;
    use std::thread;

    use super::*;

    fn work() -> u64 {
        (0..50_000_000_u64).fold(0, |sum, number| black_box(sum ^ number))
    }

    #[test]
    fn waiting_takes_no_processor_time_and_threads_have_clocks_of_their_own() {
        let start = thread_time();
        thread::sleep(Duration::from_millis(100));
        let waited = thread_time().saturating_sub(start);
        let (before, start) = (processor_time(), thread_time());
        let other = thread::spawn(|| {
            let start = thread_time();
            black_box(work());
            thread_time().saturating_sub(start)
        });
        let other = other.join().unwrap();
        assert!(other > waited && other > thread_time().saturating_sub(start));
        assert!(processor_time().saturating_sub(before) >= other);
    }
}
