//! `pallas-tui watch FILE`: runs a file, and again with every save of it or of a module that it imported. On the screen that
//! is what `pallas-tui FILE` does; headless it prints a line for each run.

use crate::args::{Backend, DeviceArg, Timing, ViewArgs, WatchArgs};
use crate::exit::Exit;
use crate::profiler::{self, Task};
use crate::{environment, headless, output, sources};

pub(super) fn watch(args: WatchArgs, mut view: ViewArgs) -> Exit {
    if !args.headless {
        view.file = Some(args.file);
        view.arguments = args.arguments;
        view.machine = args.machine;
        view.no_run = args.no_run;
        return super::view::view(view);
    }
    let task = match task(&args, &view) {
        Ok(task) => task,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    headless::watch(task, &args)
}

/// A file that cannot be read at the start is a mistake in the command, not something to wait for.
fn task(args: &WatchArgs, view: &ViewArgs) -> Result<Task, String> {
    let file = Task::resolve(&args.file);
    environment::find(view.python.as_deref(), &file)?;
    sources::read(&file)?;
    Ok(Task {
        file,
        arguments: args.arguments.clone(),
        python: view.python.clone(),
        machines: profiler::machines(&args.machine.name, &args.file)?,
        timing: args.timing == Timing::On,
        runs: !args.no_run,
        on: DeviceArg::INTERPRET,
        backend: Backend::Simt,
    })
}
