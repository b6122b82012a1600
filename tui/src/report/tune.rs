//! What `tune` found: a table, and the same as JSON.

use super::profile::words::{digits, table, time};
use crate::tuner::{Outcome, Point};
use serde::Serialize;
use std::collections::BTreeMap;

/// All points that were measured.
pub(crate) struct Tuned {
    /// The file.
    pub(crate) file: String,
    /// What measured.
    pub(crate) device: &'static str,
    /// The file as it is.
    pub(crate) before: Option<Point>,
    /// Variants, in the order in which they were measured.
    pub(crate) points: Vec<Point>,
    /// How many were to be measured.
    pub(crate) planned: usize,
    /// Whether it was stopped.
    pub(crate) cancelled: bool,
}

impl Tuned {
    /// The quickest variant.
    pub(crate) fn best(&self) -> Option<&Point> {
        let timed = self.points.iter().filter_map(|point| Some((point.time()?, point)));
        timed.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, point)| point)
    }
}

/// Names with their values, without what a point has no choice of.
fn told(point: &Point) -> impl Iterator<Item = (&str, &str)> {
    point.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).filter(|(_, value)| !value.is_empty())
}

/// `bm=64 bn=128`
fn words(point: &Point) -> String {
    let words: Vec<String> = told(point).map(|(name, value)| format!("{name}={value}")).collect();
    words.join(" ")
}

/// The table: the quickest first, those that are no choice last.
pub(crate) fn text(tuned: &Tuned) -> String {
    let names: Vec<&str> =
        tuned.points.first().map_or(Vec::new(), |point| point.values.iter().map(|(name, _)| name.as_str()).collect());
    let before = tuned.before.as_ref().and_then(Point::time);
    let best = tuned.best().and_then(Point::time);
    let mut order: Vec<&Point> = tuned.points.iter().collect();
    order.sort_by(|a, b| a.time().unwrap_or(f64::INFINITY).total_cmp(&b.time().unwrap_or(f64::INFINITY)));
    let mut rows = vec![[&names[..], &["time", "of the file", ""]].concat().iter().map(|n| n.to_string()).collect()];
    for point in order {
        let mut row: Vec<String> = point.values.iter().map(|(_, value)| value.clone()).collect();
        match &point.outcome {
            Outcome::Took(_) => {
                let took = point.time().unwrap_or(0.0);
                row.push(time(took));
                row.push(before.map_or(String::new(), |before| format!("{}x", digits(took / before.max(1.0)))));
                row.push(if Some(took) == best { "best".to_string() } else { String::new() });
            }
            Outcome::Failed(why) => row.extend(["-".to_string(), String::new(), why.clone()]),
        }
        rows.push(row);
    }
    let mut out = format!("{} by {}", tuned.file, tuned.device);
    match (before, tuned.before.as_ref().map(|point| &point.outcome)) {
        (Some(before), _) => out.push_str(&format!(": {} as it is\n\n", time(before))),
        (None, Some(Outcome::Failed(why))) => out.push_str(&format!("; as it is: {why}\n\n")),
        _ => out.push_str("\n\n"),
    }
    let right: Vec<usize> = (0..names.len() + 2).collect();
    for line in table(&rows, &right).lines() {
        out.push_str(format!("  {line}").trim_end());
        out.push('\n');
    }
    match (tuned.best(), best) {
        (Some(point), Some(took)) => {
            let gain = before.map_or(String::new(), |before| {
                format!(", {} times as fast as the file", digits(before / took.max(1.0)))
            });
            out.push_str(&format!("\nbest: {} with {}{gain}\n", words(point), time(took)));
        }
        _ => out.push_str("\nno point could be measured\n"),
    }
    out
}

#[derive(Serialize)]
struct Written<'a> {
    file: &'a str,
    device: &'a str,
    cancelled: bool,
    planned: usize,
    before: Option<WrittenPoint<'a>>,
    points: Vec<WrittenPoint<'a>>,
    best: Option<BTreeMap<&'a str, &'a str>>,
}

#[derive(Serialize)]
struct WrittenPoint<'a> {
    values: BTreeMap<&'a str, &'a str>,
    /// Nanoseconds, the shortest.
    time: Option<f64>,
    /// Nanoseconds of each round.
    times: &'a [f64],
    reason: Option<&'a str>,
}

fn values(point: &Point) -> BTreeMap<&str, &str> {
    told(point).collect()
}

fn written(point: &Point) -> WrittenPoint<'_> {
    let (times, reason) = match &point.outcome {
        Outcome::Took(times) => (times.as_slice(), None),
        Outcome::Failed(why) => (&[][..], Some(why.as_str())),
    };
    WrittenPoint { values: values(point), time: point.time(), times, reason }
}

/// All of it as JSON.
///
/// # Errors
/// None that is known: it is text and numbers.
pub(crate) fn json(tuned: &Tuned) -> Result<String, serde_json::Error> {
    let written = Written {
        file: &tuned.file,
        device: tuned.device,
        cancelled: tuned.cancelled,
        planned: tuned.planned,
        before: tuned.before.as_ref().map(written),
        points: tuned.points.iter().map(written).collect(),
        best: tuned.best().map(values),
    };
    serde_json::to_string_pretty(&written).map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(bm: &str, outcome: Outcome) -> Point {
        Point { values: vec![("bm".to_string(), bm.to_string())], outcome, printed: None }
    }

    fn tuned() -> Tuned {
        Tuned {
            file: "k.py".to_string(),
            device: "interpret mode on the CPU",
            before: Some(Point { values: Vec::new(), ..point("", Outcome::Took(vec![2000.0])) }),
            points: vec![
                point("48", Outcome::Failed("ValueError: 48 does not divide 128".to_string())),
                point("64", Outcome::Took(vec![3000.0, 3100.0])),
                point("128", Outcome::Took(vec![1000.0])),
            ],
            planned: 3,
            cancelled: false,
        }
    }

    #[test]
    fn the_quickest_stands_first_and_those_without_a_time_say_why() {
        let text = text(&tuned());
        assert_eq!(
            text,
            "k.py by interpret mode on the CPU: 2 µs as it is\n\n   bm  time  of the file\n  128  1 µs         0.5x  best\n   64  3 µs         \
             1.5x\n   48     -               ValueError: 48 does not divide 128\n\nbest: bm=128 with 1 µs, 2 times as fast as the file\n"
        );
    }

    #[test]
    fn json_has_every_point() {
        let value: serde_json::Value = serde_json::from_str(&json(&tuned()).expect("JSON")).expect("JSON");
        assert_eq!(value["best"]["bm"], "128");
        assert_eq!(value["points"].as_array().map(Vec::len), Some(3));
        assert_eq!((value["points"][1]["time"].as_f64(), value["points"][0]["time"].is_null()), (Some(3000.0), true));
    }
}
