//! Events as they are listed in a report, read one by one: those of the first programs are kept, the others are summed up in
//! bins as they go by. A report that lists ten million events takes no more memory than one that lists ten thousand.

use crate::brief::{Brief, Told};
use crate::measured::{Bins, EVENT_PROGRAMS, LineTime, Measured, StageTime};
use crate::report::{Event, Stage};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use std::fmt;

/// Events that went by.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// Those of the first programs.
    kept: Vec<Event>,
    /// All of them.
    bins: Bins,
    /// The number behind the last program.
    programs: usize,
    /// The program that events belong to now, with when it began and when it was over.
    current: Option<(usize, f64, f64)>,
    /// The number under which the list was left out, if it was.
    unread: Option<usize>,
}

/// [`Measured`] as it is written.
#[derive(serde::Deserialize)]
pub(crate) struct Written {
    device: String,
    runs: usize,
    programs: u64,
    time: f64,
    copy_in: f64,
    compute: f64,
    copy_out: f64,
    #[serde(default)]
    overhead: f64,
    operands: Vec<StageTime>,
    lines: Vec<LineTime>,
    line_programs: u64,
    bins: Bins,
    events: Listed,
    blocks: Vec<Vec<Vec<i64>>>,
    #[serde(default)]
    on_device: Option<crate::device::OnDevice>,
}

impl From<Written> for Measured {
    fn from(written: Written) -> Measured {
        let mut measured = Measured {
            device: written.device,
            runs: written.runs,
            programs: written.programs,
            time: written.time,
            copy_in: written.copy_in,
            compute: written.compute,
            copy_out: written.copy_out,
            overhead: written.overhead,
            operands: written.operands,
            lines: written.lines,
            line_programs: written.line_programs,
            bins: written.bins,
            events: Vec::new(),
            blocks: written.blocks,
            on_device: written.on_device,
            unread: written.events.unread,
        };
        measured.take_in(written.events);
        measured
    }
}

impl Measured {
    /// Takes in the events of a list. Writers that list every event need not sum them up as well.
    pub(crate) fn take_in(&mut self, listed: Listed) {
        let summed = self.bins.programs.saturating_mul(self.bins.compute.len());
        if summed < listed.programs {
            self.bins = listed.bins;
        }
        self.events = listed.kept;
    }
}

impl Listed {
    pub(crate) fn new() -> Listed {
        Listed { bins: Bins { programs: 1, ..Bins::default() }, ..Listed::default() }
    }

    fn take_in(&mut self, event: Event) {
        self.sum(Brief::from(&event));
        if event.program < EVENT_PROGRAMS {
            self.kept.push(event);
        }
    }

    /// Takes in events that stand behind those that it has.
    pub(crate) fn take_in_all(&mut self, told: Told) {
        told.briefs.into_iter().for_each(|brief| self.sum(brief));
        self.kept.extend(told.kept);
    }

    fn sum(&mut self, event: Brief) {
        let time = (event.end - event.start).max(0.0);
        let times = match event.stage {
            Stage::CopyIn => [time, 0.0, 0.0],
            Stage::Compute => [0.0, time, 0.0],
            Stage::CopyOut => [0.0, 0.0, time],
            Stage::Wait => [0.0; 3],
        };
        let (start, end) = match self.current {
            Some((program, start, end)) if program == event.program => (start.min(event.start), end.max(event.end)),
            _ => (event.start, event.end),
        };
        self.current = Some((event.program, start, end));
        self.programs = self.programs.max(event.program.saturating_add(1));
        self.bins.add(event.program, start, times, end - start);
    }
}

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Listed, D::Error> {
        struct Events;
        impl<'de> Visitor<'de> for Events {
            type Value = Listed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of events")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Listed, E> {
                Ok(Listed { unread: usize::try_from(number).ok(), ..Listed::new() })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<Listed, A::Error> {
                let mut listed = Listed::new();
                while let Some(event) = events.next_element::<Event>()? {
                    listed.take_in(event);
                }
                Ok(listed)
            }
        }
        deserializer.deserialize_any(Events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_events_are_summed_and_the_first_ones_kept() {
        const PROGRAMS: usize = 20_000;
        let event = |program: usize, stage: &str, start: usize, end: usize| {
            format!(
                "{{\"program\":{program},\"stage\":\"{stage}\",\"operand\":null,\"slot\":0,\"lane\":0,\"start\":{start},\
                 \"end\":{end},\"bytes\":0,\"flops\":0,\"place\":null}}"
            )
        };
        let events: Vec<String> = (0..PROGRAMS)
            .flat_map(|n| [event(n, "copy_in", 40 * n, 40 * n + 10), event(n, "compute", 40 * n + 10, 40 * n + 40)])
            .collect();
        let text = format!(
            "{{\"device\":\"test\",\"runs\":1,\"programs\":{PROGRAMS},\"time\":1,\"copy_in\":1,\"compute\":1,\"copy_out\":0,\
             \"operands\":[],\"lines\":[],\"line_programs\":0,\"bins\":{{\"programs\":1,\"start\":[],\"copy_in\":[],\
             \"compute\":[],\"copy_out\":[],\"longest\":[]}},\"events\":[{}],\"blocks\":[]}}",
            events.join(",")
        );
        let measured: Measured = serde_json::from_str(&text).expect("it is read");
        assert_eq!(measured.events.len(), 2 * EVENT_PROGRAMS);
        let bins = &measured.bins;
        assert!(bins.programs > 1 && bins.compute.len() <= 8192);
        assert_eq!(bins.compute.iter().sum::<f64>(), 30.0 * PROGRAMS as f64);
        assert_eq!(bins.copy_in.iter().sum::<f64>(), 10.0 * PROGRAMS as f64);
        assert!(bins.longest.iter().all(|&longest| longest == 40.0), "a program is the whole of its events");
        assert!(bins.start.iter().enumerate().all(|(at, &start)| start == (at * bins.programs * 40) as f64));
    }
}
