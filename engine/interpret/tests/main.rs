//! Interpret mode: launches, what they note, and what stops them.

mod agents;
mod batch;
mod boxes;
mod cases;
mod copies;
mod damaged;
mod damaged_agents;
mod devices;
mod going_on;
mod hooks;
mod large;
mod numbers;
mod parts;
mod races;
mod smoke;
mod strict;
mod support;
mod threads;
mod unmade;
