//! `pallas-tui compare A.json B.json`: two reports side by side, and whether something grew too much.

use crate::args::CompareArgs;
use crate::exit::Exit;
use crate::{output, report};
use pallas_engine::report::{Report, compare as compare_reports};
use std::path::Path;

pub(super) fn compare(args: &CompareArgs) -> Exit {
    match run(args) {
        Ok(exit) => exit,
        Err(message) => {
            output::error(&message);
            Exit::Usage
        }
    }
}

fn run(args: &CompareArgs) -> Result<Exit, String> {
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let comparison = compare_reports(&before, &after).map_err(|error| error.to_string())?;
    output::stdout(&report::comparison::text(&comparison));
    let Some(limit) = args.fail_above else { return Ok(Exit::Success) };
    let grown: Vec<_> =
        comparison.changes.iter().filter(|change| change.what == "time" && change.share() > limit).collect();
    for change in &grown {
        let kind = if change.measured { "measured" } else { "modelled" };
        let unsigned = |share: f64| report::comparison::share(share).trim_start_matches('+').to_string();
        let (share, limit) = (unsigned(change.share()), unsigned(limit));
        output::error(&format!("{}: the {kind} time grew by {share}, more than {limit}", change.launch));
    }
    Ok(if grown.is_empty() { Exit::Success } else { Exit::Findings })
}

fn read(path: &Path) -> Result<Report, String> {
    let shown = path.display();
    let file = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("{shown}: no such file"),
        _ => format!("{shown}: {error}"),
    })?;
    // The sums that are compared stand beside the events, which are left alone.
    Report::open(file).map(|opened| opened.report().clone()).map_err(|error| format!("{shown}: {error}"))
}
