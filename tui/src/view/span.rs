//! The span between mark A and mark B, in a line.

use crate::app::App;
use crate::app::report::{grouped, plural};
use crate::app::timeline::Between;
use crate::report::profile::words::{bytes, percent, time};

/// `A to B: steps 3 to 9, 7 steps in 12.3 µs, 84 % computing, 1.2 MiB copied; measured 140 µs`
pub(super) fn words(app: &App, between: &Between) -> String {
    let to = if app.marks.1.is_some() { "A to B" } else { "A to the cursor" };
    let (first, last) = (grouped(between.first), grouped(between.last));
    let share = if between.time > 0.0 { between.compute / between.time } else { 0.0 };
    let copied = bytes(u64::try_from(between.bytes).unwrap_or(u64::MAX));
    let measured = between.measured.map_or(String::new(), |spent| format!("; measured {}", time(spent)));
    format!(
        "{to}: steps {first} to {last}, {} in {}, {} computing, {copied} copied{measured}",
        plural(between.steps(), "step"),
        time(between.time),
        percent(share)
    )
}
