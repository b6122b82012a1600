//! The floors of the house: a crate uses only crates above it in the list, library crates touch no terminal, clock,
//! environment or file, LSP types live in `lsp` only, and every module says what it is for.

use std::fs;
use std::path::{Path, PathBuf};

/// Ground floor first. A crate may use those before it; the ones in a group do not use each other.
const FLOORS: &[&[(&str, &str)]] = &[
    // The machine for PTX is for tests alone, and is to share no mistake with what it tests.
    &[("pallas-tensor", "engine/tensor"), ("pallas-syntax", "engine/syntax"), ("pallas-ptx", "tests/ptx")],
    &[("pallas-ir", "engine/ir")],
    &[("pallas-python", "engine/python")],
    &[("pallas-jax", "engine/jax")],
    &[
        ("pallas-check", "engine/check"),
        ("pallas-interpret", "engine/interpret"),
        ("pallas-pipeline", "engine/pipeline"),
        ("pallas-simt", "engine/simt"),
        ("pallas-ttir", "engine/ttir"),
    ],
    // Which axes of the grid are loops is one decision for both ways to a GPU.
    &[("pallas-tileir", "engine/tileir")],
    &[("pallas-profile", "engine/profile"), ("pallas-cuda", "engine/cuda")],
    &[("pallas-engine", "engine")],
    &[("pallas-ide", "engine/ide")],
    &[("pallas-lsp", "lsp"), ("pallas-tui", "tui")],
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in a folder of the workspace").to_path_buf()
}

fn crates() -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    FLOORS.iter().enumerate().flat_map(|(floor, group)| group.iter().map(move |(name, folder)| (floor, *name, *folder)))
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a source folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The `src` files of a crate, with their text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    rust_files(&root().join(folder).join("src"), &mut files);
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).expect("UTF-8"))).collect()
}

fn manifest(folder: &str) -> String {
    fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("a manifest")
}

/// What a crate is built of, without what only its tests use.
fn dependencies(folder: &str) -> String {
    let manifest = manifest(folder);
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    dependencies.split("\n[").next().unwrap_or_default().to_string()
}

#[test]
fn a_crate_uses_only_lower_floors() {
    let mut wrong = Vec::new();
    for (floor, name, folder) in crates() {
        let dependencies = dependencies(folder);
        for line in dependencies.lines() {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if let Some((used_floor, ..)) = crates().find(|(_, other, _)| *other == used)
                && used_floor >= floor
            {
                wrong.push(format!("{name} uses {used}, which is not below it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn front_ends_use_the_facade_alone() {
    for folder in ["lsp", "tui"] {
        let dependencies = dependencies(folder);
        for line in dependencies.lines().filter(|line| line.starts_with("pallas-")) {
            let used = line.split('.').next().unwrap_or_default();
            assert!(matches!(used, "pallas-engine" | "pallas-ide"), "{folder} uses {used}");
        }
    }
}

#[test]
fn what_stands_in_for_a_gpu_is_for_tests_alone() {
    for (_, name, folder) in crates() {
        let dependencies = dependencies(folder);
        for stand_in in ["pallas-ptx", "pallas-driver", "pallas-nvrtc"] {
            assert!(!dependencies.contains(stand_in), "{name} uses {stand_in}");
        }
    }
}

#[test]
fn library_crates_touch_nothing_outside() {
    const FORBIDDEN: &[&str] = &[
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::time",
        "SystemTime",
        "Instant::now",
        "println!",
        "eprintln!",
        "std::io::std",
    ];
    let mut wrong = Vec::new();
    for (_, name, folder) in crates().filter(|(_, name, _)| !matches!(*name, "pallas-lsp" | "pallas-tui")) {
        for (path, text) in sources(folder) {
            // One crate loads libraries and keeps compiled kernels in files, where the front end says: no test without CUDA
            // depends on it. It waits for a device, and so has durations; two programs of
            // NVIDIA's are started, one that makes machine code readable, one that makes it of Tile IR.
            let allowed: &[&str] = match name {
                "pallas-cuda" if path.ends_with("disassemble.rs") || path.ends_with("tileiras.rs") => {
                    &["std::fs", "std::process"]
                }
                // Patience with a kernel is about time that passes.
                "pallas-cuda" if path.ends_with("gpu.rs") => &["std::time", "Instant::now"],
                "pallas-cuda" => &["std::fs", "std::time"],
                _ => &[],
            };
            // The façade reads files in one place, behind the FileSystem trait.
            if path.ends_with("engine/src/files.rs") {
                continue;
            }
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in code.lines().enumerate() {
                let line = line.split("//").next().unwrap_or_default();
                for forbidden in FORBIDDEN.iter().filter(|f| line.contains(**f) && !allowed.contains(f)) {
                    wrong.push(format!("{name}: {}:{}: {forbidden}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lsp_types_live_in_lsp_only() {
    for (_, name, folder) in crates().filter(|(_, name, _)| *name != "pallas-lsp") {
        assert!(!manifest(folder).contains("tower-lsp"), "{name} depends on tower-lsp-server");
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    let mut wrong = Vec::new();
    for (_, _, folder) in crates() {
        for (path, text) in sources(folder) {
            if !text.starts_with("//!") {
                wrong.push(path.display().to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "these modules do not begin with `//!`:\n{}", wrong.join("\n"));
}

/// A file that `tests/main.rs` does not name would be compiled by nobody.
#[test]
fn every_file_of_tests_is_run() {
    let mut looked_at = 0;
    for folder in crates().map(|(_, _, folder)| folder).chain(["tests"]) {
        let tests = root().join(folder).join("tests");
        let Ok(main) = fs::read_to_string(tests.join("main.rs")) else { continue };
        assert!(manifest(folder).contains("autotests = false"), "{folder} has programs beside its suite");
        for entry in fs::read_dir(&tests).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_module = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").exists();
            if is_module && name != "main" {
                assert!(main.lines().any(|line| line == format!("mod {name};")), "{folder}/tests/main.rs: no {name}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 80, "only {looked_at} files of tests were found");
}

#[test]
fn dependencies_are_justified() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace manifest");
    let section = manifest.split("[workspace.dependencies]").nth(1).expect("a table of dependencies");
    let section = section.split("\n[").next().unwrap_or_default();
    let mut commented = false;
    for line in section.lines().filter(|line| !line.is_empty()) {
        if line.starts_with('#') {
            commented = true;
        } else if !line.starts_with("pallas-") {
            assert!(commented, "no reason is given for: {line}");
            // tree-sitter and its grammar share a reason.
            commented = line.starts_with("tree-sitter ") || line.starts_with("clap");
        }
    }
}
