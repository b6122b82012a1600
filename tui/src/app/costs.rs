//! What lines of the source cost: the kernel's measured time and its modelled FLOPs, summed over the places on each line.

use super::App;
use pallas_engine::FileId;
use pallas_engine::report::LaunchReport;
use std::collections::BTreeMap;

/// What a line costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LineCost {
    /// The file.
    pub(crate) file: u32,
    /// The line, from 1.
    pub(crate) line: u32,
    /// Measured nanoseconds.
    pub(crate) time: f64,
    /// Modelled FLOPs.
    pub(crate) flops: u64,
}

/// Which cost is shown beside the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostKind {
    /// What was measured, if anything was; what is modelled otherwise.
    Best,
    /// What is modelled.
    Modelled,
    /// None.
    Hidden,
}

/// The lines of a launch that cost something, the dearest first.
pub(crate) fn lines(launch: &LaunchReport) -> Vec<LineCost> {
    let mut costs: BTreeMap<(u32, u32), LineCost> = BTreeMap::new();
    let mut of = |file: u32, line: u32, time: f64, flops: u64| {
        let cost = costs.entry((file, line)).or_insert(LineCost { file, line, ..LineCost::default() });
        cost.time += time;
        cost.flops = cost.flops.saturating_add(flops);
    };
    for line in launch.measured.iter().flat_map(|measured| &measured.lines) {
        of(line.place.file, line.place.line, line.time, 0);
    }
    for line in &launch.modelled.lines {
        of(line.place.file, line.place.line, 0.0, line.flops);
    }
    let mut costs: Vec<LineCost> = costs.into_values().collect();
    costs.sort_by(|a, b| b.time.total_cmp(&a.time).then(b.flops.cmp(&a.flops)).then(a.line.cmp(&b.line)));
    costs
}

impl App {
    /// The lines of the launch at the cursor that cost something, the dearest first.
    pub(crate) fn costs(&self) -> Vec<LineCost> {
        self.profile().map_or_else(Vec::new, |(_, launch)| lines(launch))
    }

    /// Shows the source of a line with a cost.
    pub(super) fn show_cost(&mut self) {
        let Some(cost) = self.costs().get(self.cost_line).copied() else { return };
        self.go(super::View::Source);
        let Some((report, span)) = self.report.as_ref().zip(self.anchor_span()) else { return };
        let source = report.source_of(span);
        if source.id == FileId(cost.file) {
            self.source_scroll = i64::from(cost.line) - i64::from(source.line_of(span.start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;

    #[test]
    fn places_on_a_line_are_summed() {
        let report = samples::measured();
        let profile = report.profile.as_deref().expect("a profile");
        let lines = lines(&profile.launches[0]);
        assert_eq!(lines[0].line, 12);
        assert!(lines[0].time > 0.0 && lines.windows(2).all(|pair| pair[0].time >= pair[1].time));
        let sum: f64 = lines.iter().map(|line| line.time).sum();
        let measured = profile.launches[0].measured.as_ref().expect("it ran");
        assert!((sum - measured.compute).abs() < 1.0);
    }
}
