//! `pallas-tui doctor`: what this machine has to offer, for bug reports.

use crate::args::{ColorChoice, DoctorArgs};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::report::profile::words::{bytes, scaled, time};
use crate::styles::{Depth, Styles};
use crate::{calibrate, environment, output};
use pallas_engine::cuda::{self, Nvrtc, NvrtcError};
use pallas_engine::pipeline::{MACHINES, Machine, Number};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

pub(super) fn doctor(args: &DoctorArgs, python: Option<&Path>) -> Exit {
    if args.machines {
        output::stdout(&machines());
        return Exit::Success;
    }
    if args.ceilings {
        return match ceilings(python) {
            Ok(text) => {
                output::stdout(&text);
                Exit::Success
            }
            Err(message) => {
                output::error(&message);
                Exit::Usage
            }
        };
    }
    let variable = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let size = match crossterm::terminal::size() {
        Ok((columns, rows)) if std::io::stdout().is_terminal() => format!("{columns}x{rows}"),
        _ => "not a terminal".to_string(),
    };
    let styles = Styles::detect(ColorChoice::Auto, false, variable, cfg!(windows));
    let colors = match styles.depth {
        Depth::None => "none",
        Depth::Sixteen => "16",
        Depth::Cube => "256",
        Depth::True => "24-bit",
    };
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(name)).unwrap_or_default();
    let rows = [
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("threads", threads.to_string()),
        ("devices", devices()),
        ("Python", "not needed".to_string()),
        ("terminal", size),
        ("colours", colors.to_string()),
        (
            "Unicode",
            match styles.ascii {
                false => "yes".to_string(),
                true => format!("no (locale `{locale}`); --ascii is the default"),
            },
        ),
        ("NO_COLOR", variable("NO_COLOR").map_or("not set".to_string(), |_| "set".to_string())),
        ("packages", packages(python)),
        ("PYTHONPATH", variable("PYTHONPATH").unwrap_or_else(|| "not set".to_string())),
    ];
    let mut rows = rows.to_vec();
    rows.extend(gpu(python));
    rows.extend(if args.calibrate { calibrated() } else { known() });
    let text: String = rows.iter().map(|(name, value)| format!("{name:<11} {value}\n")).collect();
    output::stdout(&text);
    Exit::Success
}

/// Where kernels can run.
fn devices() -> String {
    let gpu = cuda::driver().is_ok().then_some("cuda (GPU)");
    ["interpret (CPU)", "simulator (CPU)"].into_iter().chain(gpu).collect::<Vec<_>>().join(", ")
}

/// What there is for GPUs, and how what is missing is installed.
fn gpu(python: Option<&Path>) -> Vec<(&'static str, String)> {
    let found = cuda::find(&environment::cuda_places(python, Path::new("program.py")));
    let mut rows = Vec::new();
    match cuda::driver() {
        Ok(driver) => {
            rows.push(("CUDA driver", format!("knows CUDA {}.{}", driver.cuda.0, driver.cuda.1)));
            rows.extend(driver.devices.iter().map(|device| {
                let memory = scaled(device.memory as f64, "B");
                let (name, processors) = (&device.name, device.multiprocessors);
                ("GPU", format!("{name}, sm_{}, {memory}, {processors} multiprocessors", device.architecture()))
            }));
        }
        Err(failure) => rows.push(("CUDA driver", format!("{failure}; {}", failure.help()))),
    }
    rows.push((
        "NVRTC",
        match Nvrtc::load(found.nvrtc.as_deref()) {
            Ok(nvrtc) => {
                let place = nvrtc.path.map_or("where the loader has it".to_string(), |path| path.display().to_string());
                format!("{}.{}, {place}", nvrtc.version.0, nvrtc.version.1)
            }
            Err(NvrtcError::Missing) => "not found; install with `pip install nvidia-cuda-nvrtc`".to_string(),
            Err(error) => error.to_string(),
        },
    ));
    let tool = |file: Option<PathBuf>, wheel: &str| match file {
        Some(file) => file.display().to_string(),
        None => format!("not found, and not needed; install with `pip install {wheel}`"),
    };
    let tiles = match (&found.tileiras, cuda::TileCompiler::new(&found, &std::env::temp_dir(), None)) {
        (Some(file), Err(error)) => format!("{}, but {error}", file.display()),
        _ => tool(found.tileiras.clone(), "nvidia-cuda-tileiras nvidia-cuda-nvcc nvidia-nvvm"),
    };
    rows.push(("tileiras", tiles));
    rows.push(("ptxas", tool(found.ptxas, "nvidia-cuda-nvcc")));
    rows.push(("nvdisasm", tool(found.nvdisasm, "nvidia-cuda-nvdisasm")));
    rows
}

/// What the first device reaches at most.
fn ceilings(python: Option<&Path>) -> Result<String, String> {
    let said = |failure: cuda::Failure| format!("no ceilings: {failure}: {}", failure.help());
    let mut device = cuda::open(0, cuda::PATIENCE).map_err(said)?;
    let found = cuda::find(&environment::cuda_places(python, Path::new("program.py")));
    let nvrtc = Nvrtc::load(found.nvrtc.as_deref());
    let nvrtc = nvrtc.map_err(|error| format!("no ceilings: {error}; install with `pip install nvidia-cuda-nvrtc`"))?;
    let cache = calibrate::cache().map(|folder| cuda::Cache::new(folder.join("cuda")));
    let compiler = cuda::Compiler::new(nvrtc, cache);
    let bar = Bar::start("measuring", "kernels");
    let teller = bar.teller();
    let measured = cuda::ceilings(&mut *device, &compiler, &|what| teller.tell(&format!("measuring {what}"), 0, 0));
    drop(bar);
    let measured = measured.map_err(said)?;
    let mut text = format!("{:<11} {}\n", "GPU", device.info().name);
    text.push_str(&format!("{:<11} {}, read and written\n", "copy", scaled(measured.copy, "B/s")));
    for (dtype, rate) in &measured.matrix {
        let (name, unit) = (dtype.short_name(), if dtype.is_float() { "FLOP/s" } else { "OP/s" });
        let by = cuda::instruction(device.info().architecture(), *dtype);
        text.push_str(&format!("{name:<11} {} by products of {by}\n", scaled(*rate, unit)));
    }
    text.push_str(&format!("{:<11} {} by multiply-adds of f32\n", "fma", scaled(measured.vector, "FLOP/s")));
    Ok(text)
}

/// What interpret mode reaches on this CPU, and where that is kept.
fn calibrated() -> Vec<(&'static str, String)> {
    let Some(machine) = calibrate::measure() else {
        return vec![("this CPU", "cannot be measured".to_string())];
    };
    let kept = match calibrate::keep(&machine) {
        Ok(file) => format!("{}; `--machine cpu` uses it from now on", file.display()),
        Err(why) => format!("nowhere: {why}"),
    };
    let mut rows = rates(&machine);
    rows.push(("kept in", kept));
    rows
}

/// What was kept by an earlier calibration.
fn known() -> Vec<(&'static str, String)> {
    match calibrate::kept() {
        Some(machine) => rates(&machine),
        None => vec![("this CPU", "not measured yet; `doctor --calibrate` measures and keeps it".to_string())],
    }
}

/// Every machine, number by number.
fn machines() -> String {
    let mut text = String::new();
    for machine in MACHINES {
        let cores = match machine.core_count() {
            1 => "one core".to_string(),
            cores => format!("{cores} cores, which share the bandwidth"),
        };
        text.push_str(&format!("{} (--machine {}), {cores}\n", machine.name, machine.key));
        let mut say = |what: &str, value: String, number: &Number| {
            text.push_str(&format!("  {what:<12} {value:>14}  {}\n", number.source));
        };
        say("latency", time(machine.latency.value * 1e9), &machine.latency);
        say("bandwidth", scaled(machine.bandwidth.value, "B/s"), &machine.bandwidth);
        for (dtype, rate) in machine.matrix.iter() {
            say(&format!("{} matrix", dtype.short_name()), scaled(rate.value, "FLOP/s"), rate);
        }
        say("vector", scaled(machine.vector.value, "FLOP/s"), &machine.vector);
        say("on chip", bytes(machine.on_chip.value as u64), &machine.on_chip);
        text.push('\n');
    }
    text.push_str("this CPU (--machine cpu), one core\n  all numbers are measured by `doctor --calibrate`\n");
    text
}

fn rates(machine: &Machine) -> Vec<(&'static str, String)> {
    let matrix = machine.matrix.first().map_or(0.0, |(_, rate)| rate.value);
    vec![
        ("latency", format!("{} for a copy", time(machine.latency.value * 1e9))),
        ("bandwidth", scaled(machine.bandwidth.value, "B/s")),
        ("f32 matrix", scaled(matrix, "FLOP/s")),
        ("f32 vector", scaled(machine.vector.value, "FLOP/s")),
    ]
}

/// Where installed packages come from.
fn packages(python: Option<&Path>) -> String {
    match crate::environment::find(python, Path::new("program.py")) {
        Ok(environment) => environment.root.unwrap_or_else(|| "no environment found".to_string()),
        Err(problem) => problem,
    }
}
