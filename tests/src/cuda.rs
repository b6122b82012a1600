//! NVRTC for tests: it needs no GPU, and without it they say that they are skipped. PALLAS_CUDA_LIBRARIES names its folder;
//! `.ci/run` fetches it.

use crate::corpus::each;
use pallas_engine::cuda::{CompileError, Compiled, Compiler, Nvrtc, Places, Request, find};
use pallas_engine::simt::{Architecture, Program};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// One of each generation that is compiled for: Ampere, Hopper, Blackwell for data centres.
pub const CAPABILITIES: [u32; 3] = [80, 90, 100];

/// Where NVIDIA's tools are looked for.
pub fn places() -> Places {
    let programs = std::env::var_os("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect());
    Places { programs, ..Places::named_by(|name| std::env::var_os(name)) }
}

/// The compiler, keeping nothing; `None`, after having said so, where there is no NVRTC.
pub fn compiler(skipped: &str) -> Option<Compiler> {
    match Nvrtc::load(find(&places()).nvrtc.as_deref()) {
        Ok(nvrtc) => Some(Compiler::new(nvrtc, None)),
        Err(error) => {
            say(&format!("SKIPPED {skipped}: {error}"));
            None
        }
    }
}

/// Says what was skipped, and what was compiled.
#[allow(clippy::print_stderr, reason = "what was skipped, and what was compiled")]
pub fn say(text: &str) {
    eprintln!("{text}");
}

/// What one source became, by architecture. Several tests look at the same kernels, and most of their time would be NVRTC's.
type Kept = HashMap<(String, String), Arc<OnceLock<Result<Compiled, CompileError>>>>;

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// Compiles a source for an architecture, once in this process.
pub fn compile(compiler: &Compiler, request: &Request<'_>) -> Result<Compiled, CompileError> {
    let key = (request.architecture.to_string(), request.source.to_string());
    let mut kept = KEPT.lock().expect("no panic");
    let place = kept.get_or_insert_default().entry(key).or_default().clone();
    // Others go on with theirs.
    drop(kept);
    place.get_or_init(|| compiler.compile(request)).clone()
}

/// Compiles programs for an architecture, on as many threads as there are; answers stand in their order.
pub fn compile_all<'a>(
    compiler: &Compiler,
    architecture: Architecture,
    programs: impl IntoIterator<Item = &'a Program>,
) -> Vec<Result<Compiled, CompileError>> {
    let name = architecture.name();
    let programs: Vec<_> = programs.into_iter().collect();
    each(&programs, |program| {
        compile(compiler, &Request { source: &program.source, architecture: &name, lines: &program.lines })
    })
}
