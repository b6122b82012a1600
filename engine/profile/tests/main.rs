//! Reports, traces and timelines.

mod common;
mod lanes;
mod open;
mod report;
mod schema;
mod timeline;
mod trace;
