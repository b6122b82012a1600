//! NVRTC from where it is installed. The tests need the library only, no GPU; without it they say that they are skipped.
//! PALLAS_CUDA_LIBRARIES names its folder.

use pallas_cuda::{Cache, Compiler, Nvrtc, NvrtcError, Places, Request, find};
use pallas_simt::LineEntry;
use pallas_syntax::{FileId, Span};

/// NVRTC, or why this test is skipped.
fn nvrtc(test: &str) -> Option<Nvrtc> {
    let places = Places::named_by(|name| std::env::var_os(name));
    match Nvrtc::load(find(&places).nvrtc.as_deref()) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            say(&format!("SKIPPED {test}: {error}"));
            None
        }
    }
}

const GOOD: &str = "extern \"C\" __global__ void twice(float *x) {\n  x[threadIdx.x] *= 2.0f;\n}\n";
const BAD: &str = "extern \"C\" __global__ void twice(float *x) {\n  x[threadIdx.x] *= zz;\n}\n";

#[test]
fn machine_code_for_three_architectures_in_parallel_and_from_the_cache() {
    let Some(nvrtc) = nvrtc("machine_code_for_three_architectures") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let compiler = Compiler::new(nvrtc, Some(Cache::new(folder.path())));
    let architectures = ["sm_80", "sm_90a", "sm_100a"];
    let requests = architectures.map(|architecture| Request { source: GOOD, architecture, lines: &[] });
    let done = std::sync::Mutex::new(Vec::new());
    let first = compiler.compile_all(&requests, 2, &|count| done.lock().expect("a lock").push(count));
    assert_eq!(done.into_inner().expect("a lock").len(), 3);
    for (answer, architecture) in first.iter().zip(architectures) {
        let compiled = answer.as_ref().unwrap_or_else(|error| panic!("{architecture}: {error}"));
        assert!(compiled.cubin.starts_with(b"\x7fELF") && !compiled.cached);
        let resources = compiled.resources.expect("the assembler says what it used");
        assert!(resources.registers > 0 && !resources.spills());
    }
    let ptx = compiler.ptx(&requests[1]).expect("PTX");
    assert!(ptx.contains(".target sm_90a") && ptx.contains(".visible .entry twice"));
    let second = compiler.compile_all(&requests, 2, &|_| {});
    for (first, second) in first.iter().zip(&second) {
        let (first, second) = (first.as_ref().expect("compiled"), second.as_ref().expect("kept"));
        assert!(second.cached);
        assert_eq!((&first.cubin, &first.log), (&second.cubin, &second.log));
    }
}

#[test]
fn a_mistake_has_the_line_of_the_pallas_source() {
    let Some(nvrtc) = nvrtc("a_mistake_has_the_line") else { return };
    let span = Span { file: FileId(0), start: 40, end: 50 };
    let lines = [LineEntry { line: 2, span }];
    let error = Compiler::new(nvrtc, None)
        .compile(&Request { source: BAD, architecture: "sm_80", lines: &lines })
        .expect_err("zz is not there");
    assert!(matches!(error.error, NvrtcError::Failed { .. }));
    let message = error.messages.iter().find(|message| message.is_error).expect("an error");
    assert_eq!((message.line, message.span), (2, Some(span)));
    assert!(message.text.contains("zz") && error.source_text == BAD);
}

#[test]
fn an_architecture_that_is_not_there_is_an_error() {
    let Some(nvrtc) = nvrtc("an_architecture_that_is_not_there") else { return };
    let error = Compiler::new(nvrtc, None)
        .compile(&Request { source: GOOD, architecture: "sm_1", lines: &[] })
        .expect_err("nobody has it");
    assert!(error.to_string().contains("gpu-architecture"), "{error}");
}

#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn say(text: &str) {
    eprintln!("{text}");
}
