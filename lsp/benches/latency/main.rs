//! How long an editor waits: drives the built server over stdio, as an editor does, and other servers beside it where they are
//! installed, on the same files with the same edits.
//!
//! `cargo bench -p pallas-lsp --bench latency -- [--edits N] [--lines N,N] [--server "COMMAND ARG..."]...`
//!
//! Every edit is one character, typed into an index map of one kernel after the other: it makes a name wrong, the next edit
//! makes it right again, so that every answer differs from the one before and a stale one is noticed. The next edit is sent
//! when the answer to the last has come. Times are wall-clock: on a busy machine they say little.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    reason = "a program for people at a terminal: a table out, a word of how to call it, a status"
)]

mod file;
mod server;
mod table;

use server::Server;
use table::Row;

/// Servers that have something to say of such an edit, if they are installed.
const OTHERS: [&str; 3] = ["ruff server", "ty server", "pyright-langserver --stdio"];

struct Options {
    edits: usize,
    lines: Vec<usize>,
    servers: Vec<String>,
}

fn main() {
    let options = options();
    for (lines, is_called) in options.lines.iter().flat_map(|lines| [(lines, false), (lines, true)]) {
        let file = file::of(*lines, is_called);
        let who = if is_called { "launched by the module" } else { "whose launchers nobody calls" };
        let (lines, kernels) = (file.text.lines().count(), file.marks.len());
        println!("{lines} lines, {kernels} kernels {who}, {} edits\n", options.edits);
        let ours = [env!("CARGO_BIN_EXE_pallas-lsp").to_string() + " --stdio"];
        let rows: Vec<Row> =
            ours.iter().chain(&options.servers).filter_map(|command| measure(command, &file, options.edits)).collect();
        println!("{}", table::table(&rows));
    }
}

fn options() -> Options {
    let mut options = Options { edits: 400, lines: vec![1000, 5000], servers: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_else(|| usage(&format!("{word} needs a value")));
        match word.as_str() {
            // What cargo itself hands over.
            "--bench" => {}
            "--edits" => options.edits = number(&value()),
            "--lines" => options.lines = value().split(',').map(number).collect(),
            "--server" => options.servers.push(value()),
            _ => usage(&format!("{word} is no option")),
        }
    }
    if options.servers.is_empty() {
        options.servers = OTHERS.map(str::to_string).to_vec();
    }
    options
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| usage(&format!("{text} is no number")))
}

fn usage(problem: &str) -> ! {
    eprintln!("{problem}\nusage: latency [--edits N] [--lines N,N] [--server \"COMMAND ARG...\"]...");
    std::process::exit(2);
}

/// What one server takes. `None`, with a word why, where it cannot be had.
fn measure(command: &str, file: &file::File, edits: usize) -> Option<Row> {
    let mut server = match Server::start(command) {
        Ok(server) => server,
        Err(error) => {
            println!("{command}: not measured: {error}");
            return None;
        }
    };
    let mut run = || -> Result<Row, String> {
        let initialize = server.initialize()?;
        let (open, found) = server.open(&file.text)?;
        let mut row = Row { name: server.name.clone(), initialize, open, ..Row::default() };
        let early = server.memory();
        for edit in 0..edits {
            let mark = file.marks[edit / 2 % file.marks.len()];
            let (time, now) = server.type_at(mark, edit % 2 == 0)?;
            row.edit.push(time);
            // A wrong name is one finding more, at least.
            row.stale += usize::from((edit % 2 == 0) != (now > found));
            if edit % 8 == 7 {
                row.hover.push(server.ask("textDocument/hover", mark)?);
                row.hints.push(server.ask("textDocument/inlayHint", mark)?);
            }
        }
        row.memory = server.memory();
        row.growth = row.memory.zip(early).map(|(late, early)| late - early);
        Ok(row)
    };
    run().map_err(|error| println!("{command}: not measured: {error}")).ok()
}
