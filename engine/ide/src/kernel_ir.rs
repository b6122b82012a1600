//! The kernel IR of a launch as a text to read.

use crate::walk;
use pallas_engine::{Analysis, Launch, Span};

/// The IR of the launches at a byte offset: in the call or in its kernel. Of all launches where there is none.
pub fn kernel_ir(analysis: &Analysis, offset: Option<u32>) -> Option<String> {
    let touches = |span: Span| {
        let place = analysis.module.place(span);
        offset.is_some_and(|offset| place.file == analysis.source.id && place.touches(offset))
    };
    let mut kernel = None;
    if offset.is_some() {
        walk::functions(&analysis.module.body, &mut |def| {
            if touches(def.span) {
                kernel = Some(def.name_span);
            }
        });
    }
    let is_meant = |launch: &&Launch| touches(launch.spans.call) || (kernel.is_some() && launch.spans.kernel == kernel);
    let all: Vec<&Launch> = analysis.launches.iter().map(|launch| &**launch).collect();
    let mut meant: Vec<&Launch> = all.iter().copied().filter(is_meant).collect();
    if meant.is_empty() {
        meant = all;
    }
    let texts: Vec<String> = meant.iter().map(|launch| launch.to_string()).collect();
    (!texts.is_empty()).then(|| format!("{}\n", texts.join("\n").trim_end()))
}
