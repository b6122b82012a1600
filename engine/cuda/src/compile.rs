//! CUDA C++ to machine code: from the cache, or by NVRTC, several at a time.

use crate::cache::{Cache, Key};
use crate::messages::{Message, messages};
use crate::nvrtc::{Made, Nvrtc, NvrtcError};
use crate::occupancy::REGISTERS;
use crate::resources::Resources;
use pallas_simt::LineEntry;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The name that the source has in messages.
const NAME: &str = "kernel.cu";

/// Something to compile.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// CUDA C++.
    pub source: &'a str,
    /// `sm_90a`
    pub architecture: &'a str,
    /// Where its lines come from.
    pub lines: &'a [LineEntry],
}

/// Machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The CUBIN.
    pub cubin: Vec<u8>,
    /// The PTX that it was assembled from, where it was made here and not kept from earlier.
    pub ptx: Option<String>,
    /// What the compiler said.
    pub log: String,
    /// What the kernel takes.
    pub resources: Option<Resources>,
    /// Whether it was kept from earlier.
    pub cached: bool,
}

/// Why something was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct CompileError {
    /// What NVRTC said.
    pub error: NvrtcError,
    /// Its messages, with the Pallas source.
    pub messages: Vec<Message>,
    /// The generated source.
    pub source_text: String,
}

impl CompileError {
    /// What a compiler said of a request.
    pub fn new(error: NvrtcError, request: &Request<'_>) -> CompileError {
        let messages = match &error {
            NvrtcError::Failed { log, .. } => messages(log, NAME, request.lines),
            _ => Vec::new(),
        };
        CompileError { error, messages, source_text: request.source.to_string() }
    }
}

/// Makes machine code of CUDA C++.
pub trait Compile {
    /// Compiles one.
    ///
    /// # Errors
    /// What the compiler said, with the Pallas source.
    fn compile(&self, request: &Request<'_>) -> Result<Compiled, CompileError>;

    /// Compiles several, on so many threads if it can; `progress` hears how many are done. Answers stand in the order of the
    /// requests.
    fn compile_all(
        &self,
        requests: &[Request<'_>],
        threads: usize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Result<Compiled, CompileError>> {
        let _ = threads;
        let one = |(done, request): (usize, &Request<'_>)| {
            let answer = self.compile(request);
            progress(done + 1);
            answer
        };
        requests.iter().enumerate().map(one).collect()
    }

    /// Where what is made is kept.
    fn cache(&self) -> Option<&Cache> {
        None
    }
}

impl Compile for Compiler {
    fn compile(&self, request: &Request<'_>) -> Result<Compiled, CompileError> {
        Compiler::compile(self, request)
    }

    fn compile_all(
        &self,
        requests: &[Request<'_>],
        threads: usize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Result<Compiled, CompileError>> {
        Compiler::compile_all(self, requests, threads, progress)
    }

    fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }
}

/// NVRTC with what it compiled before.
#[derive(Clone, Debug)]
pub struct Compiler {
    nvrtc: Nvrtc,
    cache: Option<Cache>,
}

impl Compiler {
    /// A compiler that keeps what it makes, if there is a cache.
    pub fn new(nvrtc: Nvrtc, cache: Option<Cache>) -> Compiler {
        Compiler { nvrtc, cache }
    }

    /// The options that everything is compiled with: contraction is what XLA does, and the assembler says what it used.
    fn options(architecture: &str) -> Vec<String> {
        [&format!("-arch={architecture}"), "--std=c++17", "-default-device", "-lineinfo", "--ptxas-options=-v"]
            .map(String::from)
            .to_vec()
    }

    fn key(&self, request: &Request<'_>, options: &[String]) -> Key {
        let (major, minor) = self.nvrtc.version;
        // The number is that of what is done here with what NVRTC gives.
        let version = format!("nvrtc {major}.{minor} 3");
        Key::new([version.as_str(), request.source].into_iter().chain(options.iter().map(String::as_str)))
    }

    /// Compiles one.
    ///
    /// # Errors
    /// What NVRTC said, with the Pallas source.
    pub fn compile(&self, request: &Request<'_>) -> Result<Compiled, CompileError> {
        let options = Self::options(request.architecture);
        let key = self.key(request, &options);
        if let Some(kept) = self.cache.as_ref().and_then(|cache| cache.get(key))
            && let Some((cubin, log)) = unpacked(&kept)
        {
            return Ok(Compiled { resources: Resources::from_log(&log), cubin, ptx: None, log, cached: true });
        }
        let compiled = self.nvrtc.compile(request.source, NAME, &options);
        let mut made = compiled.map_err(|error| CompileError::new(error, request))?;
        if let Some(used) = Resources::from_log(&made.log) {
            let mut others =
                roomier(request.source, used).filter_map(|source| self.nvrtc.compile(&source, NAME, &options).ok());
            if let Some(other) = others.find(|other| Resources::from_log(&other.log).is_some_and(|used| !used.spills()))
            {
                made = other;
            }
        }
        let Made { cubin, ptx, log } = made;
        if let Some(cache) = &self.cache {
            // A folder that cannot be written costs time, not the run.
            let _ = cache.put(key, &packed(&cubin, &log));
        }
        Ok(Compiled { resources: Resources::from_log(&log), cubin, ptx: Some(ptx), log, cached: false })
    }

    /// Compiles one to PTX, for reading.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn ptx(&self, request: &Request<'_>) -> Result<String, CompileError> {
        let options = Self::options(request.architecture);
        self.nvrtc.ptx(request.source, NAME, &options).map_err(|error| CompileError::new(error, request))
    }

    /// Compiles several on so many threads; `progress` hears how many are done. Answers stand in the order of the requests.
    pub fn compile_all(
        &self,
        requests: &[Request<'_>],
        threads: usize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Result<Compiled, CompileError>> {
        let answers: Vec<Mutex<Option<Result<Compiled, CompileError>>>> =
            requests.iter().map(|_| Mutex::new(None)).collect();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, requests.len().max(1)) {
                scope.spawn(|| {
                    while let Some((request, answer)) = {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        requests.get(number).zip(answers.get(number))
                    } {
                        let compiled = self.compile(request);
                        *answer.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(compiled);
                        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                    }
                });
            }
        });
        let answers = answers.into_iter().map(|answer| answer.into_inner());
        // Every answer is there: the threads are joined, and each number was drawn once.
        answers.filter_map(|answer| answer.unwrap_or_else(std::sync::PoisonError::into_inner)).collect()
    }
}

/// The source of a kernel that spills, told that a multiprocessor has one block less of it, one less still, and so on to half of them:
/// the assembler likes to put a few bytes aside so that more blocks fit, of which products with their sums in registers have little.
/// Nothing if nothing is spilled, or one block is all that there is already.
fn roomier(source: &str, used: Resources) -> impl Iterator<Item = String> {
    const BOUNDS: &str = "__launch_bounds__(";
    let parts = source.split_once(BOUNDS).and_then(|(before, rest)| {
        let (threads, after) = rest.split_once(')')?;
        // Those that say more have their reasons.
        let threads: u32 = threads.parse().ok().filter(|&threads| threads > 0)?;
        Some((before, threads, after))
    });
    parts.filter(|_| used.spills()).into_iter().flat_map(move |(before, threads, after)| {
        let blocks = REGISTERS / (used.registers.max(1).next_multiple_of(8) * threads);
        let fewer = (blocks / 2).max(1)..blocks;
        fewer.rev().map(move |fewer| format!("{before}{BOUNDS}{threads}, {fewer}){after}"))
    })
}

/// The log's length, the log, the machine code.
fn packed(cubin: &[u8], log: &str) -> Vec<u8> {
    [&(log.len() as u64).to_le_bytes()[..], log.as_bytes(), cubin].concat()
}

fn unpacked(bytes: &[u8]) -> Option<(Vec<u8>, String)> {
    let (length, rest) = bytes.split_at_checked(8)?;
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    let (log, cubin) = rest.split_at_checked(length)?;
    Some((cubin.to_vec(), String::from_utf8(log.to_vec()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_kept_with_the_machine_code() {
        let kept = packed(b"code", "log");
        assert_eq!(unpacked(&kept), Some((b"code".to_vec(), "log".to_string())));
        assert_eq!(unpacked(&kept[..9]), None);
    }

    #[test]
    fn a_kernel_that_spills_is_told_of_fewer_blocks() {
        let used = |registers, spill_stores| Resources { registers, spill_stores, ..Resources::default() };
        let bounded = |bounds: &str| format!("void __launch_bounds__({bounds}) k(int* x) {{ f(x); }}");
        let roomier = |bounds: &str, used| super::roomier(&bounded(bounds), used).collect::<Vec<_>>();
        let [six, five, four, three] = ["256, 6", "256, 5", "256, 4", "256, 3"].map(bounded);
        assert_eq!(
            roomier("256", used(80, 12)),
            [bounded("256, 2"), bounded("256, 1")],
            "three blocks of 80 registers"
        );
        assert_eq!(roomier("256", used(36, 4)), [five, four, three], "six blocks of 40");
        assert_eq!(roomier("256", used(32, 4)).get(1), Some(&six), "eight blocks of 32");
        assert_eq!(roomier("256", used(80, 0)), [""; 0], "nothing is spilled");
        assert_eq!(roomier("256", used(255, 12)), [""; 0], "there is one block only");
        assert_eq!(roomier("256, 2", used(80, 12)), [""; 0], "it was said");
    }

    #[test]
    fn a_key_depends_on_all_that_the_machine_code_does() {
        let compiler = |version| Compiler::new(Nvrtc { version, path: None }, None);
        let request = |source, architecture| Request { source, architecture, lines: &[] };
        let key = |compiler: &Compiler, request: &Request<'_>| {
            compiler.key(request, &Compiler::options(request.architecture))
        };
        let first = key(&compiler((13, 0)), &request("a", "sm_90a"));
        assert_eq!(first, key(&compiler((13, 0)), &request("a", "sm_90a")));
        for other in [
            key(&compiler((13, 5)), &request("a", "sm_90a")),
            key(&compiler((13, 0)), &request("b", "sm_90a")),
            key(&compiler((13, 0)), &request("a", "sm_80")),
        ] {
            assert_ne!(first, other);
        }
    }
}
