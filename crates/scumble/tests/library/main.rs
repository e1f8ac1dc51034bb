//! The library from outside: fits, bundles, and what crates may know of each other.

mod bundle;
mod bundle_peers;
mod bundle_replay;
mod columns;
mod demo_rules;
mod end_to_end;
mod rooms;
mod shared_identifier;
mod signed;
mod support;
mod unit_replay;
