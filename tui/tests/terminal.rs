//! The terminal program in a pseudo-terminal: first paint, keys, saves, signals, and the terminal given back each time.
//! Waits for text instead of sleeping.

#![cfg(unix)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const FILE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


x = jnp.arange(32)
spec = pl.BlockSpec((8,), lambda i: (i,))
pl.pallas_call(add_kernel, grid=(4,), in_specs=[spec], out_specs=spec, out_shape=x)(x)
";

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(30);

struct Session {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    file: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

impl Session {
    fn start(environment: &[(&str, &str)]) -> Session {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("kernel.py");
        std::fs::write(&file, FILE).expect("written");
        Session { _folder: Some(folder), ..Session::open(file, environment.to_vec()) }
    }

    /// The terminal program on a file.
    fn open(file: PathBuf, environment: Vec<(&str, &str)>) -> Session {
        let size = PtySize { rows: 36, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pallas-tui"));
        command.arg(file.file_name().expect("a name"));
        command.cwd(file.parent().expect("a folder"));
        for name in ["NO_COLOR", "SSH_CONNECTION", "TMUX", "LC_ALL", "LC_CTYPE", "VISUAL"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the binary starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        let screen = Arc::new(Mutex::new(vt100::Parser::new(36, 120, 0)));
        let parsed = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                parsed.lock().expect("no test panics while it reads").process(&bytes[..count]);
            }
        });
        Session { child, master: pair.master, keys, screen, file, _folder: None }
    }

    fn look<T>(&self, at: impl FnOnce(&vt100::Screen) -> T) -> T {
        at(self.screen.lock().expect("the reader does not panic").screen())
    }

    fn wait(&self, what: &str, done: impl Fn(&vt100::Screen) -> bool) {
        let begun = Instant::now();
        while !self.look(&done) {
            assert!(begun.elapsed() < PATIENCE, "no {what} on\n{}", self.look(vt100::Screen::contents));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the terminal takes keys");
    }

    /// The exit code, once the program has ended and the terminal is as it was.
    fn end(&mut self) -> u32 {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        self.wait("terminal given back", |screen| !screen.alternate_screen() && !screen.hide_cursor());
        status.exit_code()
    }

    /// To the grid, once there is one.
    fn open_grid(&mut self) {
        self.wait_for("add_kernel");
        self.press("2");
        self.wait_for("Program (0,)");
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().expect("it runs").to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(sent.expect("kill runs").success());
    }
}

#[test]
fn first_paint_keys_and_quit() {
    let mut session = Session::start(&[]);
    session.open_grid();
    assert!(session.look(|screen| screen.alternate_screen() && screen.hide_cursor()));
    session.press("l");
    session.wait_for("Program (1,)");
    session.wait_for("elements 8..16");
    session.press("\x1b[C");
    session.wait_for("Program (2,)");
    session.press("?");
    session.wait_for("move one program");
    session.press("\x1b");
    session.wait("help closed", |screen| !screen.contents().contains("move one program"));
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn the_mouse_marks_a_span_and_code_is_a_key_away() {
    let mut session = Session::start(&[]);
    session.wait_for("measured in interpret mode");
    session.press("3");
    session.wait_for("step 0 of 4: program (0,)");
    // Pressed, moved with the button down, let go.
    session.press("\x1b[<0;50;8M\x1b[<32;110;8M\x1b[<0;110;8m");
    session.wait_for("A to B: steps");
    session.press("8m");
    session.wait_for("CUDA C++");
    session.wait_for("__global__");
    session.press("mm");
    session.wait_for("Triton IR");
    session.wait_for("tt.func");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_save_is_shown_with_the_cursor_kept() {
    let mut session = Session::start(&[]);
    session.open_grid();
    session.press("ll");
    session.wait_for("Program (2,)");
    std::fs::write(&session.file, FILE.replace("(8,)", "(4,)").replace("grid=(4,)", "grid=(8,)")).expect("written");
    session.wait_for("8 programs");
    session.wait_for("Program (2,)");
    session.wait_for("elements 8..12");
    // A file with a mistake in it says so, and the program goes on.
    std::fs::write(&session.file, "import jax\nx = = 1\n").expect("written");
    session.wait_for("error");
    std::fs::write(&session.file, FILE).expect("written");
    session.wait_for("4 programs");
    session.press("\x03");
    assert_eq!(session.end(), 0);
}

#[test]
fn every_view_is_a_key_away_and_follows_a_save() {
    let mut session = Session::start(&[]);
    session.wait_for("measured in interpret mode");
    let views = [
        ("2", "by order"),
        ("3", "step 0 of 4: program (0,)"),
        ("4", "Roofline, modelled"),
        ("5", "visited until now"),
        ("7", "def add_kernel"),
        ("8", "kernel @add_kernel"),
        ("9", "1 launch checked"),
        ("6", "not finite"),
    ];
    for (key, text) in views {
        session.press(key);
        session.wait_for(text);
    }
    // The Refs of another program, and of another text.
    session.press("o");
    session.wait_for("o_ref[0], element (0,) of the array");
    session.wait_for("after 1");
    session.press(">");
    session.wait_for("Values of program (1,)");
    session.wait_for("after 9");
    std::fs::write(&session.file, FILE.replace("x_ref[...] + 1", "x_ref[...] + 3")).expect("written");
    session.wait_for("after 11");
    session.wait_for("Values of program (1,)");
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    session.screen.lock().expect("no panic").screen_mut().set_size(24, 80);
    session.master.resize(size).expect("resized");
    session.wait_for("1Overview");
    session.press("x");
    session.wait_for("saved pallas-values.svg");
    assert!(session.file.with_file_name("pallas-values.svg").is_file());
    // One store, step by step, and everything that was seen in a file.
    session.press(".");
    session.wait_for("store 1 of 1, to o_ref");
    session.press("X");
    session.wait_for("saved pallas-report.json");
    let report = session.file.with_file_name("pallas-report.json");
    session.press(":quit\r");
    assert_eq!(session.end(), 0);
    let mut saved = Session::open(report, Vec::new());
    saved.wait_for("add_kernel");
    saved.wait_for("measured in interpret mode");
    saved.press("6>.");
    saved.wait_for("store 1 of 1, to o_ref");
    saved.wait_for("after 11");
    saved.press("M");
    saved.wait_for("a saved report keeps the machine");
    saved.press("q");
    assert_eq!(saved.end(), 0);
}

#[test]
fn keys_are_answered_while_the_file_runs_and_the_run_can_be_stopped() {
    let mut session = Session::start(&[]);
    session.wait_for("measured in interpret mode");
    std::fs::write(&session.file, format!("{FILE}\nwhile True: pass\n")).expect("written");
    session.wait_for("running");
    session.press("3");
    session.wait_for("step 0 of 4");
    session.press("l");
    session.wait_for("step 1 of 4");
    session.press("c");
    session.wait_for("stopped after");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn the_mouse_selects_tabs_and_can_be_left_to_the_terminal() {
    let mut session = Session::start(&[]);
    session.wait_for("measured in interpret mode");
    let column = session.look(|screen| {
        let tabs = screen.rows(0, 120).nth(1).expect("a line of tabs");
        tabs.chars().collect::<Vec<_>>().windows(9).position(|text| text.iter().collect::<String>() == "4 Timings")
    });
    let column = column.expect("a tab") + 2;
    session.press(&format!("\x1b[<0;{column};2M\x1b[<0;{column};2m"));
    session.wait_for("Roofline, modelled");
    assert!(session.look(|screen| screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None));
    session.press("q");
    assert_eq!(session.end(), 0);
    assert!(session.look(|screen| screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None));
}

#[test]
fn resizing_draws_another_layout() {
    let mut session = Session::start(&[]);
    session.wait_for("Source");
    let resize = |session: &Session, rows: u16, cols: u16| {
        session.screen.lock().expect("no panic").screen_mut().set_size(rows, cols);
        session.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).expect("resized");
    };
    // One pane alone, then none.
    resize(&session, 14, 50);
    session.wait("the list alone", |screen| {
        screen.contents().contains("Launches") && !screen.contents().contains("Source")
    });
    resize(&session, 9, 38);
    session.wait_for("too small: 38×9");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn signals_give_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let mut session = Session::start(&[]);
        session.open_grid();
        session.signal(signal);
        assert_eq!(session.end(), 0, "{signal}");
    }
}

#[test]
fn suspending_gives_the_terminal_back_and_resuming_takes_it_again() {
    let mut session = Session::start(&[]);
    session.open_grid();
    session.press("\x1a");
    session.wait("terminal given back", |screen| !screen.alternate_screen() && !screen.hide_cursor());
    // The program stops itself a moment later; a signal that comes before is kept.
    std::thread::sleep(Duration::from_millis(200));
    session.signal("CONT");
    session.wait("screen taken again", vt100::Screen::alternate_screen);
    session.wait_for("Program (0,)");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn an_editor_gets_the_terminal() {
    // An editor that says what it was given, and waits for a line.
    let folder = tempfile::tempdir().expect("a folder");
    let editor = folder.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\necho \"editing $2 at $1\"\nread answer\n").expect("written");
    let mode = std::process::Command::new("chmod").arg("+x").arg(&editor).status();
    assert!(mode.expect("chmod runs").success());
    let mut session = Session::start(&[("EDITOR", &editor.display().to_string())]);
    session.open_grid();
    session.press("e");
    session.wait_for("editing kernel.py at +6");
    assert!(session.look(|screen| !screen.alternate_screen()));
    session.press("\r");
    session.wait("screen taken again", vt100::Screen::alternate_screen);
    session.wait_for("Program (0,)");
    session.press("lq");
    assert_eq!(session.end(), 0);
}

#[test]
fn without_colours_the_cursor_is_still_seen() {
    let mut session = Session::start(&[("NO_COLOR", "1")]);
    session.open_grid();
    let reversed = session.look(|screen| {
        let cells = (0..36).flat_map(|row| (0..120).map(move |column| (row, column)));
        let cells = cells.filter_map(|(row, column)| screen.cell(row, column));
        assert!(cells.clone().all(|cell| cell.fgcolor() == vt100::Color::Default));
        cells.filter(|cell| cell.inverse()).count()
    });
    assert!(reversed > 0, "nothing is reversed");
    session.press("q");
    assert_eq!(session.end(), 0);
}
