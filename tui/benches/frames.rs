//! What the terminal program takes to answer, measured from outside: the real binary in a pseudo-terminal, from a key to the end
//! of the frame that answers it. `cargo bench -p pallas-tui --bench frames`; `EVENTS=1000000` chooses how many events the
//! report lists that is opened last.

#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "it prints a table")]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What ends a frame: the end of a synchronized update.
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(300);

const HUGE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def copy(x):
  return pl.pallas_call(
      copy_kernel,
      grid=(4096, 4096),
      in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, j))],
      out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)),
      out_shape=jax.ShapeDtypeStruct((32768, 524288), jnp.float32),
  )(x)


jax.eval_shape(copy, jax.ShapeDtypeStruct((32768, 524288), jnp.float32))
";

const SMALL: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


x = jnp.arange(1 << 16)
spec = pl.BlockSpec((8,), lambda i: (i,))
out = pl.pallas_call(add_kernel, grid=(1 << 13,), in_specs=[spec], out_specs=spec, out_shape=x)(x)
";

struct Session {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    pieces: Receiver<(Instant, Vec<u8>)>,
    screen: vt100::Parser,
    started: Instant,
    /// What came after the last end of a frame.
    rest: Vec<u8>,
    _master: Box<dyn MasterPty + Send>,
}

impl Session {
    fn start(folder: &Path, arguments: &[&str]) -> Session {
        let size = PtySize { rows: 50, cols: 160, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pallas-tui"));
        command.args(arguments);
        command.cwd(folder);
        for name in ["NO_COLOR", "SSH_CONNECTION", "TMUX", "LC_ALL", "LC_CTYPE"] {
            command.env_remove(name);
        }
        for (name, value) in [("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "C.UTF-8")] {
            command.env(name, value);
        }
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the binary starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let (sender, pieces) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 1 << 16];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send((Instant::now(), bytes[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().expect("a writer");
        let screen = vt100::Parser::new(50, 160, 0);
        Session { child, keys, pieces, screen, started, rest: Vec::new(), _master: pair.master }
    }

    /// When the next frame is done.
    fn frame(&mut self, patience: Duration) -> Option<Instant> {
        let until = Instant::now() + patience;
        loop {
            let wait = until.saturating_duration_since(Instant::now());
            let (at, bytes) = self.pieces.recv_timeout(wait).ok()?;
            self.screen.process(&bytes);
            self.rest.extend_from_slice(&bytes);
            let end = self.rest.windows(FRAME_END.len()).rposition(|window| window == FRAME_END);
            if let Some(end) = end {
                self.rest.drain(..end + FRAME_END.len());
                return Some(at);
            }
        }
    }

    /// How long after the start a text is on the screen.
    fn wait_for(&mut self, text: &str) -> Duration {
        let begun = Instant::now();
        loop {
            if self.screen.screen().contents().contains(text) {
                return self.started.elapsed();
            }
            assert!(begun.elapsed() < PATIENCE, "no {text} on\n{}", self.screen.screen().contents());
            self.frame(Duration::from_millis(200));
        }
    }

    /// Frames that come by themselves are over.
    fn settle(&mut self) {
        while self.frame(Duration::from_millis(60)).is_some() {}
    }

    /// Presses a key so many times, one after the other, and gives the time until the frame that answers each.
    fn press(&mut self, key: &str, times: usize) -> Vec<Duration> {
        let mut taken = Vec::with_capacity(times);
        for _ in 0..times {
            // Faster than this nobody types, and no two frames are closer.
            std::thread::sleep(Duration::from_millis(20));
            while let Ok((_, bytes)) = self.pieces.try_recv() {
                self.screen.process(&bytes);
            }
            self.rest.clear();
            let begun = Instant::now();
            self.keys.write_all(key.as_bytes()).and_then(|()| self.keys.flush()).expect("the terminal takes keys");
            let done = self.frame(PATIENCE).expect("a frame");
            taken.push(done.saturating_duration_since(begun));
        }
        taken
    }

    /// The most memory that the program has had, in MB.
    fn peak(&self) -> f64 {
        let id = self.child.process_id().expect("it runs");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok()).map_or(f64::NAN, |kib| kib / 1024.0)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(what: &str, mut taken: Vec<Duration>) {
    taken.sort();
    let ms = |at: usize| taken[at].as_secs_f64() * 1e3;
    let last = taken.len() - 1;
    println!(
        "{what:<58} median {:>6.1} ms   95 % {:>6.1} ms   worst {:>6.1} ms",
        ms(last / 2),
        ms(last * 95 / 100),
        ms(last)
    );
}

fn tell(what: &str, value: f64, unit: &str) {
    println!("{what:<58} {value:>13.1} {unit}");
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("huge.py"), HUGE).expect("written");
    std::fs::write(at("small.py"), SMALL).expect("written");
    std::fs::write(at("busy.py"), format!("{SMALL}\nwhile True: pass\n")).expect("written");

    let starts: Vec<Duration> = (0..10)
        .map(|_| {
            let mut session = Session::start(folder.path(), &["small.py"]);
            let first = session.frame(PATIENCE).expect("a frame");
            first.saturating_duration_since(session.started)
        })
        .collect();
    say("first frame after the start", starts);

    let mut session = Session::start(folder.path(), &["busy.py"]);
    session.wait_for("add_kernel");
    session.wait_for("running");
    session.press("2", 1);
    say("a key in the grid while the file runs", session.press("l", 60));
    session.press("3", 1);
    say("a key in the pipeline while the file runs", session.press("l", 60));
    drop(session);

    let mut session = Session::start(folder.path(), &["huge.py", "--no-run"]);
    let opened = session.wait_for("copy_kernel");
    tell("4096 x 4096 programs: open", opened.as_secs_f64() * 1e3, "ms");
    session.press("2", 1);
    session.settle();
    say("4096 x 4096: grid, one program right", session.press("l", 60));
    say("4096 x 4096: grid, one cell down", session.press("J", 60));
    session.press("m", 3);
    say("4096 x 4096: grid of modelled bytes, one cell right", session.press("L", 40));
    session.press("m", 3);
    say("4096 x 4096: grid of modelled time, one cell up", session.press("K", 40));
    session.press("+", 4);
    say("4096 x 4096: the same zoomed in, panning right", session.press("L", 60));
    session.press("3", 1);
    say("4096 x 4096: pipeline, one step", session.press("l", 60));
    session.press("0", 1);
    say("4096 x 4096: pipeline, all steps, half a screen", session.press("L", 10));
    session.press("+", 4);
    say("4096 x 4096: pipeline, a sixteenth, panning", session.press("]", 40));
    session.press("5", 1);
    say("4096 x 4096: blocks, next program", session.press(">", 40));
    tell("4096 x 4096: peak memory", session.peak(), "MB");
    drop(session);

    let events: usize = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000_000);
    let bytes = list_events(&at("small.py"), folder.path(), events);
    let mut session = Session::start(folder.path(), &["listed.json"]);
    let first = session.frame(PATIENCE).expect("a frame").saturating_duration_since(session.started);
    tell("report of listed events: its size", bytes as f64 / 1e6, "MB");
    tell("report of listed events: events", events as f64, "");
    tell("report of listed events: first frame", first.as_secs_f64() * 1e3, "ms");
    let opened = session.wait_for("add_kernel");
    tell("report of listed events: open", opened.as_secs_f64(), "s");
    session.press("3", 1);
    session.press("0", 1);
    say("report of listed events: pipeline, panning", session.press("L", 40));
    session.press("2", 1);
    session.press("m", 7);
    say("report of listed events: grid of measured time, moving", session.press("l", 40));
    tell("report of listed events: peak memory", session.peak(), "MB");
}

/// A report of a run in which so many events are listed, one by one. Gives its size.
fn list_events(file: &Path, folder: &Path, events: usize) -> u64 {
    let text = std::fs::read_to_string(file).expect("read");
    let programs = events.div_ceil(2).next_power_of_two();
    let larger = text.replace("1 << 16", &format!("{}", programs * 8)).replace("1 << 13", &format!("{programs}"));
    std::fs::write(folder.join("larger.py"), larger).expect("written");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(["profile", "larger.py", "--no-run", "--json", "report.json"])
        .current_dir(folder)
        .status();
    assert!(status.expect("it runs").success());
    let report = std::fs::read_to_string(folder.join("report.json")).expect("a report");
    let (front, back) = report.split_once("\"measured\":null").expect("nothing was measured");
    let path = folder.join("listed.json");
    let mut out = BufWriter::new(std::fs::File::create(&path).expect("a file"));
    let mut write = |text: &str| out.write_all(text.as_bytes()).expect("written");
    write(front);
    write(&format!(
        "\"measured\":{{\"device\":\"a device\",\"runs\":1,\"programs\":{},\"time\":{},\"copy_in\":{},\"compute\":{},\
         \"copy_out\":0,\"operands\":[],\"lines\":[],\"line_programs\":0,\"bins\":{{\"programs\":1,\"start\":[],\
         \"copy_in\":[],\"compute\":[],\"copy_out\":[],\"longest\":[]}},\"blocks\":[],\"events\":[",
        events / 2,
        events * 50,
        events * 20,
        events * 30,
    ));
    for number in 0..events {
        let (program, start) = (number / 2, number * 50);
        let (stage, operand, end) =
            if number % 2 == 0 { ("copy_in", "0", start + 40) } else { ("compute", "null", start + 30 + number % 20) };
        let comma = if number == 0 { "" } else { "," };
        write(&format!(
            "{comma}{{\"program\":{program},\"stage\":\"{stage}\",\"operand\":{operand},\"slot\":0,\"lane\":0,\
             \"start\":{start},\"end\":{end},\"bytes\":32,\"flops\":8,\"place\":null}}"
        ));
    }
    write("]}");
    write(back);
    out.flush().expect("written");
    drop(out);
    std::fs::metadata(&path).expect("a file").len()
}
