//! Fuzzes with `scumble_fuzz::postgres`.

#![no_main]

libfuzzer_sys::fuzz_target!(init: scumble_fuzz::abort_on_our_panics(), |bytes: &[u8]| scumble_fuzz::postgres(bytes));
