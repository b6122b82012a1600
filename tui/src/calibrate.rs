//! This CPU as a machine: measured by `doctor --calibrate`, which keeps the numbers in the user's cache folder, or now where
//! nothing is kept. Numbers of another build, or of another CPU, are not used: an unoptimised interpreter is many times
//! slower, and a home folder may be on several machines.

use pallas_engine::pipeline::Machine;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The cache file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    /// The program that measured, and how it was built.
    build: String,
    /// What it was measured on.
    cpu: String,
    /// Alpha in seconds.
    latency: f64,
    /// Beta in bytes per second.
    bandwidth: f64,
    /// F of products of f32 matrices, in FLOP per second.
    matrix: f64,
    /// F of everything else.
    vector: f64,
}

/// This CPU: what was kept, or else what is measured now.
pub(crate) fn this_cpu() -> Option<Machine> {
    kept().or_else(measure)
}

/// Alpha, beta and F of interpret mode on this CPU; some tenths of a second.
pub(crate) fn measure() -> Option<Machine> {
    let start = Instant::now();
    pallas_engine::this_cpu(&mut || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
}

/// What `doctor --calibrate` has kept of this CPU and this build.
pub(crate) fn kept() -> Option<Machine> {
    read(&file()?)
}

/// Keeps what was measured; gives the file's path.
///
/// # Errors
/// A message that says what cannot be written.
pub(crate) fn keep(machine: &Machine) -> Result<PathBuf, String> {
    let file = file().ok_or("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set")?;
    let kept = Kept {
        build: build(),
        cpu: cpu(),
        latency: machine.latency.value,
        bandwidth: machine.bandwidth.value,
        matrix: machine.matrix.first().map_or(machine.vector.value, |(_, rate)| rate.value),
        vector: machine.vector.value,
    };
    let text = serde_json::to_string_pretty(&kept).map_err(|error| error.to_string())?;
    let said = |error: std::io::Error| format!("{}: {error}", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(said)?;
    }
    std::fs::write(&file, text + "\n").map_err(said)?;
    Ok(file)
}

/// Where it is kept.
pub(crate) fn file() -> Option<PathBuf> {
    Some(cache()?.join("cpu.json"))
}

/// The folder of all that is kept from one run to the next.
pub(crate) fn cache() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = |under: &str| folder("HOME").map(|home| home.join(under));
    let cache = folder("XDG_CACHE_HOME").or_else(|| match std::env::consts::OS {
        "macos" => home("Library/Caches"),
        "windows" => folder("LOCALAPPDATA"),
        _ => home(".cache"),
    });
    Some(cache?.join("pallas-workbench"))
}

/// A file that is damaged, or that is not about this CPU and this build, is none.
fn read(file: &Path) -> Option<Machine> {
    let kept: Kept = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    let numbers = [kept.latency, kept.bandwidth, kept.matrix, kept.vector];
    let plausible = numbers.iter().all(|number| number.is_finite() && *number > 0.0);
    (plausible && kept.build == build() && kept.cpu == cpu())
        .then(|| Machine::this_cpu(kept.latency, kept.bandwidth, kept.matrix, kept.vector))
}

fn build() -> String {
    let optimised = if cfg!(debug_assertions) { "development build" } else { "release build" };
    format!("{} {optimised}", env!("CARGO_PKG_VERSION"))
}

/// The CPU's name where the system says it, and how many threads it runs.
fn cpu() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let described = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = described.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    let name = name.map_or_else(|| std::env::consts::ARCH.to_string(), |name| name.trim().to_string());
    format!("{name}, {threads} threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(build: &str, latency: &str) -> String {
        let cpu = cpu();
        format!(
            "{{\"build\": {build:?}, \"cpu\": {cpu:?}, \"latency\": {latency}, \"bandwidth\": 1e9, \"matrix\": 2e9, \"vector\": 3e9}}"
        )
    }

    #[test]
    fn only_numbers_of_this_build_and_this_cpu_are_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cpu.json");
        let found = |text: &str| {
            std::fs::write(&file, text).expect("written");
            read(&file)
        };
        assert_eq!(read(&file), None, "there is no file yet");
        assert_eq!(found(&kept(&build(), "1e-6")), Some(Machine::this_cpu(1e-6, 1e9, 2e9, 3e9)));
        assert_eq!(found(&kept("0.0.1 release build", "1e-6")), None);
        assert_eq!(found(&kept(&build(), "-1")), None, "no machine is that fast");
        assert_eq!(found(&kept(&build(), "1e-6").replace("threads", "hands")), None, "another CPU");
        assert_eq!(found("{"), None);
    }
}
