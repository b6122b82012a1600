//! Two reports side by side: what each launch took before and takes now. Modelled times are compared with modelled ones,
//! measured with measured.

use crate::report::{LaunchReport, Report};

/// One number before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The launch: its kernel's name, with `#2` for the second of that name.
    pub launch: String,
    /// Whether it was measured; modelled otherwise.
    pub measured: bool,
    /// `time`, or a stage.
    pub what: &'static str,
    /// Nanoseconds before.
    pub before: f64,
    /// Nanoseconds after.
    pub after: f64,
}

/// What differs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Times of launches that both have.
    pub changes: Vec<Change>,
    /// Launches that only the first has.
    pub gone: Vec<String>,
    /// Launches that only the second has.
    pub new: Vec<String>,
}

/// Why two reports cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    /// Their models are of different machines, and not both were measured.
    #[error("the reports are of different machines, {0} and {1}: profile both with the same `--machine`")]
    Machines(String, String),
}

impl Change {
    /// How much more it is, as a share of before.
    pub fn share(&self) -> f64 {
        if self.before == self.after {
            0.0
        } else if self.before == 0.0 {
            f64::INFINITY
        } else {
            (self.after - self.before) / self.before
        }
    }
}

/// Compares two reports.
///
/// # Errors
/// If they have nothing to compare.
pub fn compare(before: &Report, after: &Report) -> Result<Comparison, Incomparable> {
    let both_measured = before.totals.measured.is_some() && after.totals.measured.is_some();
    let mut comparison = Comparison::default();
    let (reports, before, after) = ((before, after), named(before), named(after));
    let mut others = None;
    for (name, launch) in &before {
        let Some((_, other)) = after.iter().find(|(other, _)| other == name) else {
            comparison.gone.push(name.clone());
            continue;
        };
        let machines = (reports.0.machine_of(launch), reports.1.machine_of(other));
        let same_machine = machines.0.key == machines.1.key;
        if !same_machine && !both_measured {
            others = Some(Incomparable::Machines(machines.0.name.clone(), machines.1.name.clone()));
            continue;
        }
        let mut add = |measured, what, before, after| {
            comparison.changes.push(Change { launch: name.clone(), measured, what, before, after });
        };
        if same_machine {
            let (a, b) = (&launch.modelled, &other.modelled);
            add(false, "time", a.time, b.time);
            add(false, "compute", a.compute, b.compute);
            add(false, "wait", a.fill + a.drain + a.stalls, b.fill + b.drain + b.stalls);
        }
        if let (Some(a), Some(b)) = (&launch.measured, &other.measured) {
            // Of one run: another number of them is no change of the launch.
            let (runs_a, runs_b) = (a.runs.max(1) as f64, b.runs.max(1) as f64);
            add(true, "time", a.time / runs_a, b.time / runs_b);
            add(true, "copy_in", a.copy_in / runs_a, b.copy_in / runs_b);
            add(true, "compute", a.compute / runs_a, b.compute / runs_b);
            add(true, "copy_out", a.copy_out / runs_a, b.copy_out / runs_b);
        }
    }
    if let (Some(others), true) = (others, comparison.changes.is_empty()) {
        return Err(others);
    }
    let is_new = |name: &String| !before.iter().any(|(known, _)| known == name);
    comparison.new = after.iter().map(|(name, _)| name.clone()).filter(is_new).collect();
    Ok(comparison)
}

/// Launches by the name of their kernel, numbered where several have the same.
fn named(report: &Report) -> Vec<(String, &LaunchReport)> {
    let mut named: Vec<(String, &LaunchReport)> = Vec::new();
    for launch in &report.launches {
        let same = named.iter().filter(|(_, other)| other.kernel == launch.kernel).count();
        let name = match same {
            0 => launch.kernel.clone(),
            n => format!("{}#{}", launch.kernel, n + 1),
        };
        named.push((name, launch));
    }
    named
}
