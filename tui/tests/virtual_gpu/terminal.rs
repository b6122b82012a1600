//! The terminal program on a machine with a GPU, in a pseudo-terminal.

use super::Machine;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longer than any machine needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Session {
    child: Box<dyn Child + Send + Sync>,
    /// Lives as long as the terminal is there.
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Session {
    /// The terminal program on a machine whose driver has these faults.
    pub(crate) fn open(machine: &Machine, arguments: &[&str], faults: &str) -> Session {
        let _ = std::fs::remove_file(machine.path().join("calls"));
        let size = PtySize { rows: 40, cols: 250, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pallas-tui"));
        command.args(arguments);
        command.cwd(machine.path());
        for (name, value) in machine.environment() {
            command.env(name, value);
        }
        command.env("PALLAS_DRIVER_FAULTS", faults);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        let child = pair.slave.spawn_command(command).expect("the binary starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        let screen = Arc::new(Mutex::new(vt100::Parser::new(40, 250, 0)));
        let parsed = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                parsed.lock().expect("no test panics while it reads").process(&bytes[..count]);
            }
        });
        Session { child, _master: pair.master, keys, screen }
    }

    pub(crate) fn shown(&self) -> String {
        self.screen.lock().expect("the reader does not panic").screen().contents()
    }

    pub(crate) fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.shown().contains(text) {
            assert!(begun.elapsed() < PATIENCE, "no {text} on\n{}", self.shown());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the terminal takes keys");
    }

    /// The exit code, once the program has ended.
    pub(crate) fn end(&mut self) -> u32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status.exit_code();
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
