//! Two reports side by side, as text.

use super::profile::words::{table, time};
use pallas_engine::report::Comparison;

/// A line for each time that both have, grouped by launch.
pub(crate) fn text(comparison: &Comparison) -> String {
    let mut rows = vec![["launch", "", "stage", "before", "after", "change"].map(str::to_string).to_vec()];
    let mut last: Option<&str> = None;
    for change in &comparison.changes {
        let name = if last == Some(&change.launch) { "" } else { change.launch.as_str() };
        last = Some(&change.launch);
        rows.push(vec![
            name.to_string(),
            if change.measured { "measured" } else { "modelled" }.to_string(),
            change.what.to_string(),
            time(change.before),
            time(change.after),
            share(change.share()),
        ]);
    }
    let mut out = String::new();
    if comparison.changes.is_empty() {
        out.push_str("No launch is in both reports.\n");
    } else {
        out.push_str(&table(&rows, &[3, 4, 5]));
    }
    for (names, what) in
        [(&comparison.gone, "only in the first report"), (&comparison.new, "only in the second report")]
    {
        if !names.is_empty() {
            out.push_str(&format!("{what}: {}\n", names.join(", ")));
        }
    }
    out
}

/// `+12.5 %`
pub(crate) fn share(share: f64) -> String {
    match share * 100.0 {
        percent if percent.is_infinite() => "new".to_string(),
        percent if percent.abs() < 0.05 => "0 %".to_string(),
        percent => format!("{percent:+.1} %"),
    }
}
