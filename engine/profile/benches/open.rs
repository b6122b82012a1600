//! How long it takes to open a report that lists many events: `cargo bench -p pallas-profile --bench open`; `EVENTS=1000000`
//! chooses how many.

#![allow(clippy::print_stdout, reason = "it prints a table")]

use pallas_profile::Report;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};

/// A report of version 1, of a launch that ran.
const REPORT: &str = include_str!("../tests/reports/v1.json");

fn main() {
    let events: usize = std::env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000_000);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("listed.json");
    write(&path, events).expect("it is written");
    let size = std::fs::metadata(&path).map_or(0, |file| file.len());
    println!("{events} events, {:.0} MB", size as f64 / 1e6);
    let open = || Report::open(File::open(&path).expect("a file")).expect("a report");
    // The first pass brings the file into memory.
    open();
    for threads in [1, 2, 4] {
        let (mut first, mut all) = (Duration::MAX, Duration::MAX);
        for _ in 0..3 {
            let begun = Instant::now();
            let opened = open();
            first = first.min(begun.elapsed());
            opened.finish(threads).expect("a report");
            all = all.min(begun.elapsed());
        }
        println!(
            "{threads} threads: overview after {:.2} s, all of it after {:.2} s",
            first.as_secs_f64(),
            all.as_secs_f64()
        );
    }
}

/// Writes the report with so many events in the place of its own.
fn write(path: &std::path::Path, events: usize) -> std::io::Result<()> {
    let key = "\"events\":[";
    let measured = REPORT.find("\"measured\":{").expect("it ran");
    let from = measured + REPORT[measured..].find(key).expect("its events") + key.len();
    let end = from + REPORT[from..].find(']').expect("their end");
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(&REPORT.as_bytes()[..from])?;
    for number in 0..events {
        let (program, start) = (number / 2, number * 50);
        let (stage, operand, end) =
            if number % 2 == 0 { ("copy_in", "0", start + 40) } else { ("compute", "null", start + 30 + number % 20) };
        let comma = if number == 0 { "" } else { "," };
        write!(
            out,
            "{comma}{{\"program\":{program},\"stage\":\"{stage}\",\"operand\":{operand},\"slot\":0,\"lane\":0,\"start\":{start}.0,\
             \"end\":{end}.0,\"bytes\":32,\"flops\":8,\"place\":null}}"
        )?;
    }
    out.write_all(&REPORT.as_bytes()[end..])?;
    out.flush()
}
