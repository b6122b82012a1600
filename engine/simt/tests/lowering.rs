//! Launches as text, the SIMT IR that they become, and the CUDA C++ printed from it.

use pallas_ir::text::parse_launch;
use pallas_simt::{Architecture, compile};
use std::path::Path;

#[test]
fn launches_become_simt_and_cuda() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("a case").path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        let launch = parse_launch(&text).unwrap_or_else(|error| panic!("{}: {error:?}", file.display()));
        let program = compile(&launch, Architecture::meant_by(&launch));
        let shown = match program {
            Ok(program) => {
                for entry in &program.lines {
                    assert!(program.source.lines().count() >= entry.line as usize, "a line of the table is not there");
                }
                format!(
                    "{}\n{}\nblocks {} threads {} shared {}\n{:#?}",
                    program.kernel,
                    program.source,
                    program.blocks,
                    program.threads,
                    program.shared_bytes,
                    program.params
                )
            }
            Err(refusal) => format!("refused: {refusal}\n"),
        };
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        insta::with_settings!({prepend_module_to_snapshot => false}, { insta::assert_snapshot!(name, shown) });
    }
}

/// What one thread writes another one reads behind a barrier, and `__restrict__` says that this does not happen: NVRTC kept what a thread
/// had read of prefetched scalars for all of a loop in which another thread writes them.
#[test]
fn only_what_nobody_writes_is_restricted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut params = 0;
    for entry in std::fs::read_dir(folder).expect("the cases") {
        let text = std::fs::read_to_string(entry.expect("a case").path()).expect("UTF-8");
        let launch = parse_launch(&text).expect("a launch");
        let Ok(program) = compile(&launch, Architecture::meant_by(&launch)) else { continue };
        let kernel = program.source.lines().find(|line| line.contains("__global__")).expect("a kernel");
        for param in kernel.split(", ").filter(|param| param.contains('*')) {
            params += 1;
            assert_eq!(param.contains("__restrict__"), param.contains("const "), "{param}");
        }
    }
    assert!(params > 50, "only {params} pointers");
}
