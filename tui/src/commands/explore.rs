//! `pallas-tui run --explore K`: the file under other schedules of its threads, to find one under which it does something else.

use crate::environment;
use crate::exit::Exit;
use crate::output;
use pallas_engine::{Cancel, Console, Disk, Environment, Run, RunOptions, Schedule, difference};
use std::path::Path;
use std::sync::Arc;

/// Runs the file under so many schedules, and compares with a run whose threads took turns in order.
pub(super) fn explore(
    file: &Path,
    text: &str,
    first: &Run,
    arguments: &[String],
    place: &Environment,
    count: u64,
) -> Exit {
    let path = file.display().to_string();
    if !first.launches.iter().any(|launch| launch.has_agents()) {
        output::stderr("\nno launch here has threads that act on each other: every schedule is the same\n");
        return Exit::Program(first.exit);
    }
    // First with everything as late as may be, which shows most of what waits are missing.
    let late = Schedule { late: true, ..Schedule::default() };
    let drawn = (1..count).map(|seed| Schedule { seed: Some(seed), ..Schedule::default() });
    for schedule in std::iter::once(late).chain(drawn).take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let named = schedule.seed.map_or_else(|| "late".to_string(), |seed| format!("seed={seed}"));
        let options = RunOptions {
            files: Arc::new(Disk),
            arguments: arguments.to_vec(),
            import_paths: environment::python_path(),
            environment: place.clone(),
            schedule: schedule.keeping(true),
            acceleration: None,
            console: Box::new(Silent),
            cancel: Cancel::new(),
        };
        let run = Run::new(&path, text, options);
        if let Some(difference) = difference(first, &run) {
            output::stderr(&format!(
                "\nthe result depends on the order in which threads take turns, or on when engines are done: schedule {named} \
                 {difference}\n  replay it with: pallas-tui run --schedule {named} {path}\n"
            ));
            return Exit::Findings;
        }
    }
    output::stderr(&format!("\n{count} schedules gave the same results\n"));
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
