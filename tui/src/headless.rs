//! `watch --headless`: a line for each run, for people who keep it beside their editor and for scripts. A save while a run
//! is under way cancels it: its result would be out of date. What a cancelled run still has to say is dropped.

use crate::args::WatchArgs;
use crate::exec::Exec;
use crate::exit::Exit;
use crate::output;
use crate::profiler::{Profiled, Task};
use crate::progress::Bar;
use crate::report::rerun::{self, Rerun};
use crate::signals::{Signal, listen};
use crate::watch::{FileWatcher, Notice};
use pallas_engine::Cancel;
use pallas_engine::report::Report;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// What reaches the loop.
enum Input {
    Notice(Notice),
    Ended(Box<Ended>),
    Signal,
}

/// A run that has ended.
struct Ended {
    number: usize,
    took: Duration,
    result: Result<Profiled, String>,
}

struct Session<'a> {
    task: Task,
    args: &'a WatchArgs,
    sender: Sender<Input>,
    watcher: Option<FileWatcher>,
    /// Runs that were started.
    started: usize,
    /// The one that is under way.
    current: Option<Cancel>,
    /// Files whose saves the current run is for.
    changed: Vec<PathBuf>,
    previous: Option<Report>,
    exec: Option<Exec>,
}

/// Runs the file, and again with every save, until a signal or until nobody reads the lines.
pub(crate) fn watch(task: Task, args: &WatchArgs) -> Exit {
    let (sender, inbox) = channel();
    let to_loop = sender.clone();
    let notice = move |notice| {
        let _ = to_loop.send(Input::Notice(notice));
    };
    let watcher = match FileWatcher::start_as(vec![task.file.clone()], args.poll, notice) {
        Ok(watcher) => Some(watcher),
        Err(problem) => {
            output::error(&problem);
            return Exit::Usage;
        }
    };
    let to_loop = sender.clone();
    let pass_on = move |_| to_loop.send(Input::Signal).is_ok();
    let _signals = match listen(&[Signal::Interrupt, Signal::Terminate, Signal::HangUp], pass_on) {
        Ok(listener) => listener,
        Err(error) => {
            output::error(&format!("signals cannot be listened to: {error}"));
            return Exit::Usage;
        }
    };
    let (started, changed) = (0, Vec::new());
    let mut session =
        Session { task, args, sender, watcher, started, current: None, changed, previous: None, exec: None };
    session.start();
    session.run(&inbox);
    Exit::Success
}

impl Session<'_> {
    fn run(&mut self, inbox: &Receiver<Input>) {
        while let Ok(input) = inbox.recv() {
            match input {
                Input::Notice(Notice::Changed(files)) => {
                    // Saves that a cancelled run was for are still to be accounted for.
                    self.changed.extend(files);
                    self.changed.sort();
                    self.changed.dedup();
                    self.start();
                }
                Input::Notice(Notice::Problem(problem)) => output::error(&problem),
                Input::Ended(ended) if ended.number != self.started => {}
                Input::Ended(ended) => {
                    if self.ended(*ended).is_err() {
                        return;
                    }
                }
                Input::Signal => {
                    self.cancel();
                    return;
                }
            }
        }
    }

    fn cancel(&mut self) {
        if let Some(cancel) = self.current.take() {
            cancel.cancel();
        }
    }

    /// Starts a run, and ends what the last one has left.
    fn start(&mut self) {
        self.cancel();
        self.started += 1;
        let cancel = Cancel::new();
        self.current = Some(cancel.clone());
        let (task, number, sender) = (self.task.clone(), self.started, self.sender.clone());
        let work = move || {
            let begun = Instant::now();
            let bar = Bar::start(&task.file.display().to_string(), "programs");
            let result = task.profile(&bar.teller(), &cancel);
            drop(bar);
            let _ = sender.send(Input::Ended(Box::new(Ended { number, took: begun.elapsed(), result })));
        };
        if let Err(error) = std::thread::Builder::new().name("run".to_string()).spawn(work) {
            output::error(&format!("nothing can be run: {error}"));
        }
        self.exec = None;
    }

    /// Prints the line of a run. Fails if nobody reads it.
    fn ended(&mut self, ended: Ended) -> io::Result<()> {
        self.current = None;
        let profiled = match ended.result {
            Ok(profiled) => profiled,
            Err(why) => {
                // The file may be there again in a moment: editors remove before they write.
                output::error(&format!("{why}; waiting for a save"));
                return Ok(());
            }
        };
        if let Some(watcher) = &self.watcher {
            let mut files: Vec<(PathBuf, Option<&str>)> =
                profiled.sources.iter().map(|source| (PathBuf::from(&*source.path), Some(&*source.text))).collect();
            let own = &self.task.file;
            if !files.iter().any(|(file, _)| file == own) {
                files.push((own.clone(), None));
            }
            watcher.set_read(files, missing(own, &profiled.stderr));
        }
        output::stderr(&profiled.stderr);
        let changed = std::mem::take(&mut self.changed);
        let rerun = Rerun {
            number: ended.number,
            took: ended.took,
            changed: &changed,
            report: &profiled.report,
            previous: self.previous.as_ref(),
            stderr: &profiled.stderr,
        };
        let (line, json) = (rerun::line(&rerun), rerun::json(&rerun).to_string());
        let mut out = io::stdout().lock();
        writeln!(out, "{}", if self.args.json { &json } else { &line }).and_then(|()| out.flush())?;
        drop(out);
        if let Some(command) = &self.args.exec {
            let variables = [
                ("PALLAS_FILE", self.task.file.display().to_string()),
                ("PALLAS_RUN", ended.number.to_string()),
                ("PALLAS_EXIT", profiled.report.program.exit.map_or(String::new(), |exit| exit.to_string())),
                ("PALLAS_LINE", line),
            ];
            match Exec::start(command, &variables, json + "\n") {
                Ok(exec) => self.exec = Some(exec),
                Err(error) => output::error(&format!("--exec: {error}")),
            }
        }
        self.previous = Some(profiled.report);
        Ok(())
    }
}

/// Where a module that could not be imported would be found if it was written beside the file.
fn missing(file: &Path, stderr: &str) -> Vec<PathBuf> {
    let named = || {
        let last = stderr.lines().rfind(|line| line.starts_with("ModuleNotFoundError: "))?;
        let (_, rest) = last.split_once('\'')?;
        rest.split('\'').next()
    };
    let Some(name) = named().filter(|name| name.split('.').all(|part| !part.is_empty())) else { return Vec::new() };
    let module = name.split('.').fold(file.with_file_name(""), |folder, part| folder.join(part));
    vec![module.with_extension("py"), module.join("__init__.py")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_is_missing_is_looked_for_beside_the_file() {
        let paths = |stderr: &str| -> Vec<String> {
            missing(Path::new("k/kernel.py"), stderr).iter().map(|path| path.display().to_string()).collect()
        };
        let error = "Traceback (most recent call last):\n  ...\nModuleNotFoundError: No module named 'sizes.tiles'\n";
        assert_eq!(paths(error), ["k/sizes/tiles.py", "k/sizes/tiles/__init__.py"]);
        assert_eq!(paths("ValueError: No module named 'sizes'\n"), Vec::<String>::new());
        assert_eq!(paths("ModuleNotFoundError: No module named ''\n"), Vec::<String>::new());
        assert_eq!(paths(""), Vec::<String>::new());
    }
}
