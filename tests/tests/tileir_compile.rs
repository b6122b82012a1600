//! Tile IR to machine code, by NVIDIA's tile compiler where it is installed. It needs no GPU; without it the tests say that they
//! are skipped. PALLAS_CUDA_LIBRARIES names the folder of NVIDIA's libraries, which has one of programs beside it.

use pallas_engine::cuda::{Found, Places, TileCompiler, disassemble, find};
use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::corpus::{programs, root};
use std::path::Path;
use std::sync::Arc;

#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// The compiler, or why this test is skipped.
fn compiler(test: &str, folder: &Path) -> Option<(TileCompiler, Found)> {
    let found = find(&Places::named_by(|name| std::env::var_os(name)));
    match TileCompiler::new(&found, folder, None) {
        Ok(compiler) => Some((compiler, found)),
        Err(error) => {
            say(&format!("SKIPPED {test}: {error}"));
            None
        }
    }
}

fn analysed(program: &Path) -> Analysis {
    let text = std::fs::read_to_string(program).expect("a program");
    let mut options = AnalysisOptions::new(Arc::new(Disk));
    options.import_paths = vec![program.parent().expect("a folder").display().to_string()];
    Analysis::new(&program.display().to_string(), &text, &options)
}

/// What the compiler says of each launch that has Tile IR; how many it takes.
fn refused(folder: &str, capabilities: &[u32], compiler: &TileCompiler) -> (usize, Vec<String>) {
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let (mut compiled, mut wrong) = (0, Vec::new());
    for program in programs(folder).iter().filter(|program| program.display().to_string().contains(&wanted)) {
        for (number, launch) in analysed(program).launches.iter().enumerate() {
            let Ok(program_ir) = pallas_engine::tileir::compile(launch) else { continue };
            let bytecode = program_ir.bytecode().expect("bytecode");
            for &capability in capabilities {
                match compiler.compile(&bytecode, capability) {
                    Ok(_) => compiled += 1,
                    Err(error) => {
                        let name = program.file_name().unwrap_or_default().to_string_lossy();
                        wrong.push(format!("{name} launch {number} {} sm_{capability}: {error}", launch.kernel.name));
                    }
                }
            }
        }
    }
    (compiled, wrong)
}

#[test]
fn samples_compile_for_three_generations() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((compiler, _)) = compiler("samples_compile_for_three_generations", folder.path()) else { return };
    let (compiled, wrong) = refused("samples", &[80, 90, 100], &compiler);
    assert!(wrong.is_empty(), "{compiled} compiled, and not:\n{}", wrong.join("\n"));
    assert!(compiled >= 60 || std::env::var("PROGRAM").is_ok(), "{compiled}");
}

/// What is said of conformance programs: only where it is asked for, since it takes minutes.
#[test]
fn conformance_programs_compile() {
    if std::env::var("TILEIR_ALL").is_err() {
        say("SKIPPED conformance_programs_compile: it takes minutes; TILEIR_ALL=1 asks for it");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let Some((compiler, _)) = compiler("conformance_programs_compile", folder.path()) else { return };
    let (compiled, wrong) = refused("tests/conformance", &[90], &compiler);
    assert!(wrong.is_empty(), "{compiled} compiled, and not:\n{}", wrong.join("\n"));
}

/// How often a word begins an instruction of machine code.
fn count(text: &str, word: &str) -> usize {
    let instruction = |line: &str| line.split("*/").nth(1).unwrap_or_default().trim_start().to_string();
    text.lines().map(instruction).filter(|line| line.starts_with(word) || line.contains(&format!(" {word}"))).count()
}

#[test]
fn products_are_done_by_tensor_cores_without_a_spill() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "products_are_done_by_tensor_cores";
    let Some((compiler, found)) = compiler(name, folder.path()) else { return };
    let Some(nvdisasm) = found.nvdisasm else { return say(&format!("SKIPPED {name}: there is no nvdisasm")) };
    let analysis = analysed(&root().join("tests/tileir/kernels.py"));
    let launch = analysis.launches.iter().find(|launch| &*launch.kernel.name == "matmul_kernel").expect("a product");
    let bytecode = pallas_engine::tileir::compile(launch).and_then(|program| program.bytecode()).expect("bytecode");
    for (capability, word) in [(80, "HMMA"), (90, "HGMMA"), (100, "UTC")] {
        let code = compiler.compile(&bytecode, capability).expect("machine code");
        let text = disassemble(&nvdisasm, &code.cubin, folder.path()).expect("a text");
        assert!(count(&text, word) > 0, "sm_{capability} has no {word}");
        let spills = count(&text, "STL") + count(&text, "LDL");
        // On Ampere the factors pass through registers, and the compiler keeps too many of them for this tile.
        assert!(spills == 0 || capability == 80, "sm_{capability} spills {spills} times");
    }
}
