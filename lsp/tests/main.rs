//! The server as an editor speaks to it: a process, and messages.

mod cancelling;
mod client;
mod contents;
mod features;
mod fuzz;
mod hostile;
mod language;
mod notebooks;
mod renaming;
mod session;
mod testing;
