//! `pallas-tui run --explore K`: the file under other schedules of what runs at the same time, to find one under which it
//! does something else. Stops at the first, and when its time is over.

use crate::environment;
use crate::exit::Exit;
use crate::output;
use crate::progress::Bar;
use pallas_engine::{Cancel, Console, Disk, Environment, Run, RunOptions, Schedule, difference, path_text};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Runs the file under so many schedules, and compares with a run in which everybody took turns in order.
pub(super) fn explore(
    file: &Path,
    text: &str,
    first: &Run,
    arguments: &[String],
    place: &Environment,
    (count, seconds): (u64, u64),
) -> Exit {
    let path = path_text(file);
    if !first.launches.iter().any(|launch| launch.has_schedules()) {
        output::stderr(
            "\nno launch here has threads, cores or devices that act on each other, or copies that it waits for: every \
             schedule is the same\n",
        );
        return Exit::Program(first.exit);
    }
    let cancel = Cancel::new();
    if seconds == 0 {
        cancel.cancel();
    }
    let (done, waits) = channel::<()>();
    let over = cancel.clone();
    let watch = move || {
        if waits.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
            over.cancel();
        }
    };
    // Without the thread there is no bound but the number of schedules.
    let _ = std::thread::Builder::new().name("watch".to_string()).spawn(watch);
    let bar = Bar::forgetful("explore", "schedules");
    let teller = bar.teller();
    // First with everything as late as may be, which shows most of what waits are missing.
    let late = Schedule { late: true, ..Schedule::default() };
    let drawn = (1..count).map(|seed| Schedule { seed: Some(seed), ..Schedule::default() });
    let mut tried = 0;
    for schedule in std::iter::once(late).chain(drawn).take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let named = schedule.seed.map_or_else(|| "late".to_string(), |seed| format!("seed={seed}"));
        teller.tell("explore", tried, usize::try_from(count).unwrap_or(usize::MAX));
        let options = RunOptions {
            files: Arc::new(Disk),
            arguments: arguments.to_vec(),
            import_paths: environment::python_path(),
            environment: place.clone(),
            schedule: schedule.keeping(true),
            strict: false,
            target: None,
            acceleration: None,
            console: Box::new(Silent),
            cancel: cancel.clone(),
        };
        let run = Run::new(&path, text, options);
        if cancel.is_cancelled() {
            break;
        }
        tried += 1;
        if let Some(difference) = difference(first, &run) {
            drop(bar);
            let arguments: String = arguments.iter().map(|argument| format!(" {argument}")).collect();
            output::stderr(&format!(
                "\nthe result depends on the order in which threads take turns, or on when engines are done: schedule {named} \
                 {difference}\n  replay it with: pallas-tui run --schedule {named} {path}{arguments}\n"
            ));
            return Exit::Findings;
        }
    }
    drop((bar, done));
    let same = if first.exit == 0 { "gave the same results" } else { "ended in the same way" };
    let result = match tried {
        0 => "no schedule came to its end".to_string(),
        1 => format!("1 schedule {same}"),
        _ => format!("{tried} schedules {same}"),
    };
    let rest = match (tried as u64) < count {
        true => format!(", of {count}: the {seconds} seconds are over that `--explore-seconds` gives them"),
        false => String::new(),
    };
    output::stderr(&format!("\n{result}{rest}\n"));
    Exit::Program(first.exit)
}

/// The console of a run that nobody watches.
struct Silent;

impl Console for Silent {
    fn write_stdout(&mut self, _text: &str) {}

    fn write_stderr(&mut self, _text: &str) {}

    fn read_line(&mut self) -> Option<String> {
        None
    }

    fn environment(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}
