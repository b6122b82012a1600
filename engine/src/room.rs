//! How many launches are kept of a program that goes on making others: what is kept does not grow with how long a program runs.
//! Equal launches from one place are one launch before this is asked.

use pallas_ir::Launch;
use pallas_syntax::Span;

/// Different launches from one place that are looked at.
pub(crate) const OF_A_PLACE: usize = 512;
/// Different launches that are looked at.
const OF_ALL: usize = 2048;

/// Whether one more launch from a place is kept beside others, of which there are so many for each place at most.
pub(crate) fn for_another<'a>(kept: impl IntoIterator<Item = &'a Launch>, place: Span, of_a_place: usize) -> bool {
    let (mut here, mut all) = (0, 0);
    for launch in kept {
        all += 1;
        here += usize::from(launch.spans.apply == place);
    }
    here < of_a_place && all < OF_ALL
}
