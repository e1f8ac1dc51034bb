//! Processor time and memory of this process, as Linux reports them.

use std::fmt::Display;
use std::fs;
use std::hint::black_box;

/// Processor time of this process so far, user and system, over all its threads, in seconds.
pub fn cpu_seconds() -> f64 {
    // The kernel reports ticks of 1/100 s, on every Linux.
    let stat = fs::read_to_string("/proc/self/stat").expect("this program runs on Linux");
    let behind_name = &stat[stat.rfind(')').expect("the name is in brackets") + 2..];
    let mut fields = behind_name.split(' ').skip(11).map(|field| field.parse::<f64>().expect("a number of ticks"));
    let mut next = || fields.next().expect("user and system time are there");
    (next() + next()) / 100.0
}

/// Peak memory of this process, in MiB.
pub fn peak_mib() -> f64 {
    peak_kib("self").expect("Linux reports the peak") as f64 / 1024.0
}

/// Peak memory of a process, which is a number or `self`, in KiB; `None` if there is no such
/// process.
pub fn peak_kib(process: impl Display) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Processor seconds of `work`, over enough runs to measure them with a clock of 1/100 s, and its
/// last result.
pub fn cpu_seconds_of<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    const LONG_ENOUGH: f64 = 1.0;
    let start = cpu_seconds();
    let mut runs = 0.0;
    loop {
        let result = black_box(work());
        runs += 1.0;
        let spent = cpu_seconds() - start;
        if spent >= LONG_ENOUGH {
            return (spent / runs, result);
        }
    }
}

/// Processor time of `work`: the least of several runs, because what disturbs a run only adds to
/// it.
pub fn cheapest<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut best: Option<(f64, T)> = None;
    for _ in 0..runs.max(1) {
        let start = cpu_seconds();
        let result = work();
        let seconds = cpu_seconds() - start;
        if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
            best = Some((seconds, result));
        }
    }
    best.expect("at least one run")
}
