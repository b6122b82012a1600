//! The measured part of a timeline: events of single programs, or sums of neighbours.

use super::{Lane, Lanes, Slice, Timeline, lane};
use pallas_engine::report::{LaunchReport, Measured, Stage};
use std::ops::Range;

impl Timeline {
    /// What the clock said of the steps on the screen: their events, as far as they were kept, and the shares of their
    /// stages from afar.
    pub(super) fn measured(&self, launch: &LaunchReport, measured: &Measured, width: usize) -> Option<Lanes> {
        let number = |step: usize| step.saturating_mul(self.stride);
        let programs = number(self.first)..number(self.first + self.count);
        if self.fold == 0 {
            let own: Vec<_> = measured.events.iter().filter(|event| programs.contains(&event.program)).collect();
            let start = own.iter().map(|event| event.start).fold(f64::INFINITY, f64::min);
            let end = own.iter().map(|event| event.end).fold(0.0, f64::max);
            if own.is_empty() || end <= start {
                return None;
            }
            let mut lanes: Vec<Lane> = Vec::new();
            for event in &own {
                let name = match event.operand.and_then(|at| launch.operands.get(at)) {
                    // Interpret mode brings blocks of outputs in, too: another lane than the one on which they go back.
                    Some(operand) if operand.role == "output" && event.stage == Stage::CopyIn => {
                        format!("{} in", operand.name)
                    }
                    Some(operand) => operand.name.clone(),
                    None => event.stage.name().to_string(),
                };
                let slice =
                    Slice { start: event.start, end: event.end, stage: Some(event.stage), program: event.program };
                match lanes.iter_mut().find(|lane| lane.name == name && lane.stage == event.stage) {
                    Some(lane) => lane.slices.push(slice),
                    None => lanes.push(lane(name, event.stage, vec![slice])),
                }
            }
            lanes.sort_by_key(|lane| lane.stage);
            let begin = |step: usize| {
                let of = own.iter().filter(|event| event.program == number(step));
                of.map(|event| event.start).fold(f64::INFINITY, f64::min)
            };
            let begins = (self.first..self.first + self.count).map(begin).collect();
            return Some(Lanes { lanes, time: start..end, begins });
        }
        let bins = &measured.bins;
        let per = bins.programs.max(1);
        let sum = |list: &[f64], steps: &Range<usize>| -> f64 {
            let (from, to) = (number(steps.start) / per, number(steps.end).div_ceil(per));
            list.get(from..to.min(list.len())).unwrap_or(&[]).iter().sum()
        };
        let stages =
            [(Stage::CopyIn, &bins.copy_in), (Stage::Compute, &bins.compute), (Stage::CopyOut, &bins.copy_out)];
        let columns: Vec<Range<usize>> = self.columns().take(width).collect();
        let all: Vec<f64> = columns.iter().map(|steps| stages.iter().map(|(_, list)| sum(list, steps)).sum()).collect();
        let lanes = stages.iter().map(|(stage, list)| Lane {
            shares: columns
                .iter()
                .zip(&all)
                .map(|(steps, &all)| if all > 0.0 { sum(list, steps) / all } else { 0.0 })
                .collect(),
            ..lane(stage.name().to_string(), *stage, Vec::new())
        });
        let start = bins.start.get(number(self.first) / per).copied().unwrap_or(0.0);
        Some(Lanes { lanes: lanes.collect(), time: start..start + all.iter().sum::<f64>(), begins: Vec::new() })
    }
}
