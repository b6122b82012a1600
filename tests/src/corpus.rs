//! The programs that tests of lowerings go through, several at a time, and the tables of those that are not lowered or mean to differ.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The folder of the workspace: where this was built, or, of a program that was carried to another machine, where it is run.
pub fn root() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in a folder of the workspace");
    if built.is_dir() { built.to_path_buf() } else { std::env::current_dir().unwrap_or_default() }
}

/// The Python files of a folder of the workspace, in order.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder");
    let mut programs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    programs.sort();
    programs
}

/// What each program, or whatever else they are, comes to, in their order; as many are looked at at a time as the machine has cores.
pub fn each<T: Sync, R: Send>(programs: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // They differ much in length: whoever is free takes the next.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut seen: Vec<(usize, R)> = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = programs.get(number) else { return seen };
            seen.push((number, look(program)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut seen = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    seen.sort_by_key(|(number, _)| *number);
    seen.into_iter().map(|(_, seen)| seen).collect()
}

/// Whether a line of a table begins with the name of one of the programs.
pub fn concerns(programs: &[PathBuf], line: &str) -> bool {
    programs.iter().any(|program| line.starts_with(&*program.file_name().unwrap_or_default().to_string_lossy()))
}

/// Compares lines with those of a table of the workspace that concern them, or writes the table.
///
/// # Errors
/// The lines that are new, and those that are no longer so.
pub fn check_table(table: &str, found: &[String], concerns: impl Fn(&str) -> bool, update: bool) -> Result<(), String> {
    let path = root().join(table);
    if update {
        let text = found.iter().map(|line| format!("{line}\n")).collect::<String>();
        std::fs::write(&path, text).expect("the table is written");
    }
    let expected = std::fs::read_to_string(&path).expect("the table");
    let expected: Vec<&str> = expected.lines().filter(|line| concerns(line)).collect();
    let new: Vec<&String> = found.iter().filter(|line| !expected.contains(&line.as_str())).collect();
    let gone: Vec<&&str> = expected.iter().filter(|line| !found.iter().any(|found| found == **line)).collect();
    match new.is_empty() && gone.is_empty() {
        true => Ok(()),
        false => Err(format!("{table}: not in the table:\n{new:#?}\nno longer so:\n{gone:#?}")),
    }
}
