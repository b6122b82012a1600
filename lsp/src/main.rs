//! The Pallas language server, over standard input and output.
//!
//! Messages travel: reader thread, transport, main loop, workers, main loop, transport, writer thread. What each does is
//! said in its module. Nothing but messages is ever written to standard output.

mod analysis_worker;
mod cache;
mod capabilities;
mod commands;
mod contents;
mod events;
mod frames;
mod from_proto;
mod main_loop;
mod newer;
mod notebooks;
mod outgoing;
mod positions;
mod presenting;
mod renaming;
mod requests;
mod rule_pages;
mod runner;
mod running;
mod settings;
mod state;
mod stdio;
mod surroundings;
mod testing;
mod to_proto;
mod transport;
mod uris;
mod workspace;

use events::Event;
use pallas_engine::tensor::ops::fused::Compilation;
use running::Running;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use stdio::Ending;
use surroundings::Known;
use transport::Shared;

/// musl's own makes an edit of a long file three times as slow: all threads share one lock. Elsewhere the system's is the smaller one.
#[cfg(target_env = "musl")]
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
pallas-lsp: a language server for JAX Pallas kernels

Editors start it; it speaks the Language Server Protocol on standard input and output.

Options:
  --stdio      the only way it speaks, accepted because editors say it
  --version    print the version
  --help       print this";

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "no client is served when these are printed")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--stdio");
    match arguments.next().as_deref() {
        None => match serve() {
            Ok(code) => code,
            Err(error) => {
                eprintln!("pallas-lsp: cannot start: {error}");
                ExitCode::FAILURE
            }
        },
        Some("--version" | "-V") => {
            println!("pallas-lsp {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some("--help" | "-h") => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprintln!("pallas-lsp: unknown argument {other}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// What ends a session.
enum Ended {
    Input(Ending),
    Transport,
    Output,
}

/// How long the last messages may take once the client has said that it goes.
const GRACE: Duration = Duration::from_secs(2);

/// Serves one client to the end of the session, and gives the exit status that the protocol asks for.
fn serve() -> std::io::Result<ExitCode> {
    let (ended, endings) = channel();
    let (input_ended, output_ended) = (ended.clone(), ended.clone());
    // The receiver lives as long as the process.
    let output = stdio::write_to(std::io::stdout(), move || drop(output_ended.send(Ended::Output)))?;
    let input = stdio::read_from(std::io::stdin(), output.clone(), move |end| {
        drop(input_ended.send(Ended::Input(end)));
    })?;
    // Nothing is computed here that machine code would pay for.
    Compilation::Never.set();
    let known = Known::default();
    let (outgoing, to_client) = tokio::sync::mpsc::unbounded_channel();
    let events = main_loop::start(outgoing, known.clone())?;
    let shut_down = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let running = Running::default();
    let shared = Shared { events: events.clone(), shut_down: shut_down.clone(), running: running.clone(), known };
    let service = transport::serve(input, output.clone(), to_client, shared);
    thread::Builder::new().name("transport".to_string()).spawn(move || {
        runtime.block_on(service);
        drop(ended.send(Ended::Transport));
    })?;

    let said_exit = match endings.recv() {
        Ok(Ended::Input(Ending::Exit)) => true,
        // The client has gone, or can no longer hear: as good as an exit, and nobody's mistake.
        Ok(Ended::Input(Ending::Closed) | Ended::Output | Ended::Transport) | Err(_) => false,
    };
    // Whoever still waits for an analysis is refused, and what runs is stopped, so that the transport can end and nothing is left.
    drop(events.send(Event::Stop));
    running.stop(GRACE);
    wait_for(&endings, |end| matches!(end, Ended::Transport | Ended::Output));
    output.finish();
    wait_for(&endings, |end| matches!(end, Ended::Output));
    let orderly = !said_exit || shut_down.load(Ordering::SeqCst);
    Ok(if orderly { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn wait_for(endings: &Receiver<Ended>, wanted: impl Fn(&Ended) -> bool) {
    let deadline = Instant::now() + GRACE;
    while let Ok(end) = endings.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        if wanted(&end) {
            return;
        }
    }
}
