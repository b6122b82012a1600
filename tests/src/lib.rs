//! End-to-end tests, and what they share.

pub mod corpus;
pub mod cuda;
pub mod device;
pub mod gpu;
pub mod jax;
pub mod machine_code;
pub mod mutation;
pub mod products;
pub mod ptx;
pub mod simt;
pub mod tileir;

use pallas_engine::{Cancel, Console, Disk, Environment, RunOptions, Schedule};
use std::sync::{Arc, Mutex, PoisonError};

/// How tests run a program, where nothing else is said: with files, without arguments, an environment of Python or a device.
pub fn run_options(console: impl Console + 'static) -> RunOptions {
    RunOptions {
        files: Arc::new(Disk),
        arguments: Vec::new(),
        import_paths: Vec::new(),
        environment: Environment::default(),
        schedule: Schedule::default(),
        strict: false,
        target: None,
        acceleration: None,
        console: Box::new(console),
        cancel: Cancel::new(),
    }
}

/// A console that keeps what is written. Nothing can be read from it, and its clock stands still.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<(String, String)>>);

impl Recorder {
    /// Standard output and standard error so far.
    pub fn written(&self) -> (String, String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Console for Recorder {
    fn write_stdout(&mut self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.push_str(text);
    }

    fn write_stderr(&mut self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.push_str(text);
    }

    fn read_line(&mut self) -> Option<String> {
        None
    }

    fn environment(&self, _name: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}
