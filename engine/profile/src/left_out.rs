//! Launches that a report has no room for: of a loop whose launches all differ only some are kept, and sums of the others.

use crate::measured::Recorder;
use crate::place::Place;
use crate::report::{Report, TotalsMeasured};
use pallas_ir::Launch;
use pallas_syntax::{SourceFile, Span};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is left out of one place, as it comes up.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Where they were launched.
    pub apply: Span,
    call: Span,
    kernel: Arc<str>,
    runs: u64,
    programs: u64,
    times: [f64; 3],
}

/// Launches from one place that are not in the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOutReport {
    /// The kernel's name; of several that of the first.
    pub kernel: String,
    /// The `pallas_call` expression.
    pub call: Option<Place>,
    /// How many launches ran.
    pub launches: u64,
    /// Programs of them.
    pub programs: u64,
    /// Nanoseconds in copies to the kernel.
    pub copy_in: f64,
    /// In the kernel.
    pub compute: f64,
    /// In copies back.
    pub copy_out: f64,
}

impl LeftOut {
    /// Nothing yet, of the place of a launch.
    pub fn new(launch: &Launch) -> LeftOut {
        let (spans, kernel) = (&launch.spans, launch.kernel.name.clone());
        LeftOut { apply: spans.apply, call: spans.call, kernel, runs: 0, programs: 0, times: [0.0; 3] }
    }

    /// One more launch is left out.
    pub fn add(&mut self, recorder: &Recorder) {
        let (runs, programs, times) = recorder.sums();
        self.runs += runs as u64;
        self.programs = self.programs.saturating_add(programs);
        self.times.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
    }
}

impl LeftOutReport {
    /// In all stages, in nanoseconds.
    pub fn time(&self) -> f64 {
        self.copy_in + self.compute + self.copy_out
    }
}

impl Report {
    /// Says what was left out. Times count in the totals.
    pub fn leave_out(&mut self, left_out: &[LeftOut], sources: &[Arc<SourceFile>]) {
        for left in left_out {
            let [copy_in, compute, copy_out] = left.times;
            let sum = self.totals.measured.get_or_insert(TotalsMeasured {
                time: 0.0,
                copy_in: 0.0,
                compute: 0.0,
                copy_out: 0.0,
            });
            sum.time += copy_in + compute + copy_out;
            sum.copy_in += copy_in;
            sum.compute += compute;
            sum.copy_out += copy_out;
            self.left_out.push(LeftOutReport {
                kernel: left.kernel.to_string(),
                call: Place::of(left.call, sources),
                launches: left.runs,
                programs: left.programs,
                copy_in,
                compute,
                copy_out,
            });
        }
    }
}
