//! The kernel IR of a launch, and the code that is generated from it, as texts to read.

use crate::walk;
use pallas_engine::generated::{self, Form};
use pallas_engine::{Analysis, Launch, Span};

/// Which launches of a file are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// All.
    All,
    /// Those at a byte offset: in the call or in its kernel. All, where there is none.
    At(u32),
    /// Those of the kernels of this name.
    Kernel(&'a str),
}

/// The IR of launches. `None` where there is none of them.
pub fn kernel_ir(analysis: &Analysis, which: Which<'_>) -> Option<String> {
    let texts: Vec<String> = meant(analysis, which).iter().map(|launch| launch.to_string()).collect();
    (!texts.is_empty()).then(|| format!("{}\n", texts.join("\n").trim_end()))
}

/// The name of the kernel that is launched at a byte offset, or is there.
pub fn kernel_at(analysis: &Analysis, offset: u32) -> Option<String> {
    at(analysis, offset).first().map(|launch| launch.kernel.name.to_string())
}

/// The generated code of the same launches; where one has none, a comment says why.
pub fn generated_code(analysis: &Analysis, which: Which<'_>, form: Form) -> Option<String> {
    let text = |launch: &&Launch| {
        generated::generated(analysis, launch, form)
            .unwrap_or_else(|refusal| format!("// {}: {}\n", generated::place(analysis, refusal.span), refusal.message))
    };
    let texts: Vec<String> = meant(analysis, which).iter().map(text).collect();
    (!texts.is_empty()).then(|| format!("{}\n", texts.join("\n").trim_end()))
}

fn meant<'a>(analysis: &'a Analysis, which: Which<'_>) -> Vec<&'a Launch> {
    let all = || analysis.launches.iter().map(|launch| &**launch);
    match which {
        Which::All => all().collect(),
        Which::Kernel(name) => all().filter(|launch| *launch.kernel.name == *name).collect(),
        Which::At(offset) => {
            let here = at(analysis, offset);
            if here.is_empty() { all().collect() } else { here }
        }
    }
}

fn at(analysis: &Analysis, offset: u32) -> Vec<&Launch> {
    let touches = |span: Span| {
        let place = analysis.module.place(span);
        place.file == analysis.source.id && place.touches(offset)
    };
    let mut kernel = None;
    walk::functions(&analysis.module.body, &mut |def| {
        if touches(def.span) {
            kernel = Some(def.name_span);
        }
    });
    let is_meant = |launch: &&Launch| touches(launch.spans.call) || (kernel.is_some() && launch.spans.kernel == kernel);
    analysis.launches.iter().map(|launch| &**launch).filter(is_meant).collect()
}
