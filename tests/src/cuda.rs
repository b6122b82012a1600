//! NVRTC for tests: it needs no GPU, and without it they say that they are skipped. PALLAS_CUDA_LIBRARIES names its folder;
//! `.ci/run` fetches it.

use pallas_engine::cuda::{Compile, CompileError, Compiled, Compiler, Nvrtc, Places, Request, find};
use pallas_engine::simt::{Architecture, Program};

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

/// Compiles programs for an architecture, on as many threads as there are; answers stand in their order.
pub fn compile_all<'a>(
    compiler: &Compiler,
    architecture: Architecture,
    programs: impl IntoIterator<Item = &'a Program>,
) -> Vec<Result<Compiled, CompileError>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let name = architecture.name();
    let request = |program: &'a Program| (program.source.as_str(), program.lines.as_slice());
    let wanted: Vec<_> = programs.into_iter().map(request).collect();
    let requests: Vec<Request<'_>> =
        wanted.iter().map(|(source, lines)| Request { source, architecture: &name, lines }).collect();
    Compile::compile_all(compiler, &requests, threads, &|_| {})
}
