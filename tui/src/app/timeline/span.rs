//! The span between two marks: how long its steps take, what is copied for them, and how much of the time is computed.

use super::{App, nanoseconds};

/// What lies between mark A and mark B, both steps included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    /// The first step.
    pub(crate) first: usize,
    /// The last step.
    pub(crate) last: usize,
    /// Modelled nanoseconds from when the first begins to when the last is over.
    pub(crate) time: f64,
    /// Of these the kernel's.
    pub(crate) compute: f64,
    /// Bytes of the blocks that are copied for these steps, in and out.
    pub(crate) bytes: u128,
    /// Measured nanoseconds of these steps' programs, where they were measured.
    pub(crate) measured: Option<f64>,
}

impl Between {
    /// Steps, both ends included.
    pub(crate) fn steps(&self) -> usize {
        self.last - self.first + 1
    }
}

impl App {
    /// Sets mark A, then mark B, then takes both away.
    pub(in crate::app) fn mark(&mut self) {
        if self.timing().is_none() {
            return;
        }
        let step = self.step();
        self.marks = match self.marks {
            (None, _) => {
                self.say(format!("A stands at step {step}; go to another one and press w again"));
                (Some(step), None)
            }
            (Some(a), None) => (Some(a), Some(step)),
            _ => (None, None),
        };
    }

    /// What lies between the marks; where only A stands, up to the cursor.
    pub(crate) fn between(&self) -> Option<Between> {
        let timing = self.timing()?;
        let (_, launch) = self.profile()?;
        let a = self.marks.0?;
        let b = self.marks.1.unwrap_or_else(|| self.step());
        let schedule = timing.schedule();
        let steps = schedule.programs();
        let (first, last) = (a.min(b), a.max(b).min(steps.checked_sub(1)?));
        let begin = |step: usize| match step {
            0 => 0,
            _ if step < steps => timing.begin(step),
            _ => timing.totals().time,
        };
        let sums = timing.durations().sums(&schedule.order);
        let copies = |stream: &pallas_engine::pipeline::Stream, step: usize| {
            step.checked_sub(1).map_or(0, |before| stream.moves.until(&schedule.order, before) + 1) as u128
        };
        let bytes = |stream: &pallas_engine::pipeline::Stream| {
            (copies(stream, last + 1) - copies(stream, first)) * stream.bytes
        };
        let stride = launch.modelled.schedule.stride.max(1);
        let measured = launch.measured.as_ref().map(|measured| {
            let per = measured.bins.programs.max(1);
            let (from, to) = (first * stride / per, ((last + 1).saturating_mul(stride)).div_ceil(per));
            let lists = [&measured.bins.copy_in, &measured.bins.compute, &measured.bins.copy_out];
            lists.iter().flat_map(|list| list.get(from..to.min(list.len())).unwrap_or(&[])).sum()
        });
        Some(Between {
            first,
            last,
            time: nanoseconds(begin(last + 1) - begin(first)),
            compute: nanoseconds(sums.until(last + 1) - sums.until(first)),
            bytes: schedule.streams.iter().map(bytes).sum(),
            measured,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::app::{App, Message, Size, samples};
    use std::path::PathBuf;

    #[test]
    fn the_span_of_all_steps_is_the_launch() {
        let mut app = App::new(PathBuf::from("k.py"), Size { width: 120, height: 36 }, true);
        app.update(Message::Analysed(samples::measured()));
        assert_eq!(app.between(), None);
        app.mark();
        app.step_program(i64::MAX);
        app.mark();
        let between = app.between().expect("two marks");
        let (_, launch) = app.profile().expect("a profile");
        assert_eq!((between.first, between.last, between.steps()), (0, 31, 32));
        assert!((between.time - launch.modelled.time).abs() < 1e-6, "{between:?}");
        assert_eq!(between.bytes, u128::from(launch.modelled.bytes));
        assert!((between.measured.expect("it ran") - launch.measured.as_ref().expect("it ran").time).abs() < 1.0);
        app.step_program(i64::MIN);
        app.marks = (Some(5), Some(3));
        let part = app.between().expect("two marks");
        assert_eq!((part.first, part.last), (3, 5), "the order in which marks were set does not matter");
        assert!(part.time < between.time && part.compute <= part.time + 1e-6);
        app.mark();
        assert_eq!(app.between(), None, "a third time takes both away");
    }
}
