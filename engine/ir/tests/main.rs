//! The kernel IR: its text, its rules, its intervals.

mod intervals;
mod rules;
mod text;
mod written;
