//! The kernel IR of a launch, and the code that is generated from it, as texts to read.

use crate::walk;
use pallas_engine::generated::{self, Form};
use pallas_engine::{Analysis, Launch, Span};

/// The IR of the launches at a byte offset: in the call or in its kernel. Of all launches where there is none.
pub fn kernel_ir(analysis: &Analysis, offset: Option<u32>) -> Option<String> {
    let texts: Vec<String> = meant(analysis, offset).iter().map(|launch| launch.to_string()).collect();
    (!texts.is_empty()).then(|| format!("{}\n", texts.join("\n").trim_end()))
}

/// The generated code of the same launches; where one has none, a comment says why.
pub fn generated_code(analysis: &Analysis, offset: Option<u32>, form: Form) -> Option<String> {
    let text = |launch: &&Launch| {
        generated::generated(analysis, launch, form)
            .unwrap_or_else(|refusal| format!("// {}: {}\n", generated::place(analysis, refusal.span), refusal.message))
    };
    let texts: Vec<String> = meant(analysis, offset).iter().map(text).collect();
    (!texts.is_empty()).then(|| format!("{}\n", texts.join("\n").trim_end()))
}

fn meant(analysis: &Analysis, offset: Option<u32>) -> Vec<&Launch> {
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
    let meant: Vec<&Launch> = all.iter().copied().filter(is_meant).collect();
    if meant.is_empty() { all } else { meant }
}
