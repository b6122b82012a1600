//! What a device measured of a launch, in words and tables: its time, what it takes of a multiprocessor, how far it is from what the
//! device reaches.

use super::rows::Section;
use super::words::{bytes, percent, scaled, time};
use pallas_engine::report::{LaunchReport, Measured, OnDevice};

/// `NVIDIA H200: 41.2 µs, the median of 30 measurements (40.9 to 43.0 µs) of 10 launches each`
pub(super) fn times(name: &str, took: f64, device: &OnDevice) -> String {
    let by = device.ways.first().map_or(String::new(), |first| format!(" by {}", way(&first.name)));
    let mut text = format!("{name}{by}: {}", time(took));
    if device.measurements > 0 {
        let each = match device.replayed {
            0 | 1 => String::new(),
            launches => format!(" of {launches} launches each, replayed as one graph"),
        };
        text.push_str(&format!(
            ", the median of {} measurements ({} to {}){each}",
            device.measurements,
            time(device.shortest),
            time(device.longest)
        ));
    }
    text
}

/// A way as documents call it.
fn way(name: &str) -> &str {
    match name {
        "simt" => "CUDA C++",
        "tileir" => "CUDA Tile IR",
        other => other,
    }
}

/// What noting times has cost.
fn noting(took: f64, device: &OnDevice) -> String {
    if !device.notes() {
        return "nothing is noted by way of CUDA Tile IR, `--backend simt` notes what programs do".to_string();
    }
    let mut text = match device.overhead(took) {
        Some(share) => format!("the kernel that notes its times is {} slower", percent(share.max(0.0))),
        None => "the time is that of the kernel that notes its times".to_string(),
    };
    if device.lost > 0 {
        text.push_str(&format!(", {} notes had no room", device.lost));
    }
    text
}

/// What the kernel takes, and what it reaches.
pub(super) fn section(launch: &LaunchReport, measured: &Measured, device: &OnDevice) -> Section {
    let mut rows = vec![vec!["what".to_string(), "how much".to_string(), String::new()]];
    let mut row = |what: &str, much: String, more: String| rows.push(vec![what.to_string(), much, more]);
    let threads = match device.notes() {
        true => format!("of {} threads, on {} multiprocessors", device.threads, device.multiprocessors),
        false => "of as many threads as tileiras has chosen".to_string(),
    };
    row("blocks", device.blocks.to_string(), threads);
    if let Some(registers) = device.registers {
        let spilled = match device.spilled {
            Some(spilled @ 1..) => format!("{} of a thread are spilled to memory", bytes(spilled.into())),
            _ => "none are spilled to memory".to_string(),
        };
        row("registers", registers.to_string(), spilled);
    }
    if device.notes() {
        row("shared memory", bytes(device.shared), "of a block".to_string());
    }
    if let Some(full) = &device.residency {
        let share = f64::from(full.warps) / f64::from(full.most.max(1));
        let driver = match full.driver {
            Some(driver) if driver != full.blocks => format!("; the driver says {driver} blocks"),
            _ => String::new(),
        };
        let more =
            format!("{} of {} warps, {} blocks, held by {}{driver}", full.warps, full.most, full.blocks, full.limit);
        row("occupancy", percent(share), more);
    }
    if device.measurements > 0 {
        let of = |rate: f64, ceiling: Option<f64>, what: &str| match ceiling {
            Some(ceiling) if ceiling > 0.0 => {
                format!("{} of what {what} reaches here", percent(rate / ceiling))
            }
            _ => String::new(),
        };
        row("bandwidth", scaled(device.bandwidth, "B/s"), of(device.bandwidth, device.ceiling("copy"), "a copy"));
        let name = products(launch, device);
        let what = if name == "fma" {
            "nothing but multiply-adds".to_string()
        } else {
            format!("nothing but {name} products")
        };
        row("operations", scaled(device.rate, "FLOP/s"), of(device.rate, device.ceiling(&name), &what));
    }
    if device.notes() {
        row(
            "waiting",
            time(device.wait),
            format!("for copies, {} of the time of a lane", percent(device.wait / measured.time.max(1.0))),
        );
    }
    for remark in &device.remarks {
        row("how", String::new(), remark.clone());
    }
    if let [_, others @ ..] = &device.ways[..] {
        for other in others {
            row(way(&other.name), time(other.time.unwrap_or(0.0)), "the same launch, the other way".to_string());
        }
    }
    Section { title: format!("on the device; {}", noting(measured.time, device)), rows, right: &[1] }
}

/// The ceiling that a launch is held against: that of the products that it mostly computes. Products of `f32` are fused
/// multiply-adds unless they are asked to be less exact.
fn products(launch: &LaunchReport, device: &OnDevice) -> String {
    let terms = launch.modelled.work.iter().filter(|term| term.unit == "matrix");
    let most = terms.max_by_key(|term| term.count).map(|term| term.dtype.as_str());
    let fma = device.ceiling("fma").unwrap_or(0.0);
    match most {
        Some(dtype) if device.ceiling(dtype).is_some() && (dtype != "f32" || device.rate > fma) => dtype.to_string(),
        _ => "fma".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_engine::report::{Residency, Way};

    fn device() -> OnDevice {
        OnDevice {
            measurements: 30,
            replayed: 10,
            shortest: 40_900.0,
            longest: 43_000.0,
            noted: Some(41_612.0),
            blocks: 1024,
            threads: 256,
            multiprocessors: 132,
            registers: Some(128),
            spilled: Some(0),
            shared: 65_536,
            residency: Some(Residency { blocks: 2, warps: 16, most: 64, limit: "registers".into(), driver: Some(3) }),
            ..OnDevice::default()
        }
    }

    #[test]
    fn a_time_is_told_with_how_it_came_about() {
        let words = times("NVIDIA H200", 41_200.0, &device());
        assert_eq!(
            words,
            "NVIDIA H200: 41.2 µs, the median of 30 measurements (40.9 µs to 43 µs) of 10 launches each, replayed as one graph"
        );
        assert_eq!(noting(41_200.0, &device()), "the kernel that notes its times is 1 % slower");
        let tiles = Way { name: "tileir".to_string(), time: Some(41_200.0) };
        let tiled = OnDevice { ways: vec![tiles], noted: None, ..device() };
        assert!(times("NVIDIA H200", 41_200.0, &tiled).starts_with("NVIDIA H200 by CUDA Tile IR: 41.2 µs, the median"));
        assert!(noting(41_200.0, &tiled).contains("`--backend simt` notes what programs do"));
        let simulated = OnDevice { lost: 7, ..OnDevice::default() };
        assert!(noting(41_200.0, &simulated).ends_with("7 notes had no room"));
    }
}
