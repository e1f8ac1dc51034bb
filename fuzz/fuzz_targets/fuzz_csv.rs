//! Fuzzes with `scumble_fuzz::csv`.

#![no_main]

libfuzzer_sys::fuzz_target!(init: scumble_fuzz::abort_on_our_panics(), |bytes: &[u8]| scumble_fuzz::csv(bytes));
