//! What the launches of a run took: a recorder for each, fed by the interpreter's hooks on the console's clock.

use crate::host::Console;
use pallas_interpret::{CopyTimes, ProgramEvent};
use pallas_ir::{BlockMap, Launch, Location};
use pallas_pipeline::block_bytes;
use pallas_profile::{Copied, DeviceTimes, Recorder};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What ran the launches.
const DEVICE: &str = "interpret mode on the CPU";
/// The kernel's time is taken by place in the first programs, and then in every so many.
const FIRST_PLACES: usize = 4;
/// See [`FIRST_PLACES`].
const EVERY_PLACES: usize = 64;

/// The launches of a run with their recorders.
pub(crate) struct Timings {
    console: Rc<RefCell<Box<dyn Console>>>,
    launches: Vec<Timed>,
    /// The one that runs.
    current: usize,
    /// What it costs to read the clock once, in nanoseconds.
    tick: f64,
}

struct Timed {
    launch: Arc<Launch>,
    recorder: Recorder,
    /// Bytes of a block of each operand.
    bytes: Vec<u64>,
    /// Whether block indices depend on data, so that they are to be kept.
    keeps_blocks: bool,
}

impl Timings {
    /// Times on a console's clock; `None` if it has none.
    pub(crate) fn new(console: Rc<RefCell<Box<dyn Console>>>) -> Option<Timings> {
        let tick = tick(&**console.borrow())?;
        Some(Timings { console, launches: Vec::new(), current: 0, tick })
    }

    pub(crate) fn now(&self) -> Option<u64> {
        self.console.borrow().nanoseconds()
    }

    /// Whether a launch was begun before.
    pub(crate) fn knows(&self, launch: &Launch) -> bool {
        self.launches.iter().any(|timed| timed.is(launch))
    }

    /// A device ran a launch, and told of it the first time.
    pub(crate) fn on_device(&mut self, launch: &Launch, device: &str, times: Option<Box<DeviceTimes>>) {
        self.begin_on(launch, device);
        let programs = launch.programs();
        self.console.borrow_mut().progress(&launch.kernel.name, programs, programs);
        let recorder = &mut self.launches[self.current].recorder;
        match times {
            Some(times) => recorder.on_device(programs, *times),
            None => recorder.again(programs),
        }
    }

    /// A launch begins; equal ones from one place are one launch.
    pub(crate) fn begin(&mut self, launch: &Launch) {
        self.begin_on(launch, DEVICE);
    }

    fn begin_on(&mut self, launch: &Launch, device: &str) {
        self.current = self.launches.iter().position(|timed| timed.is(launch)).unwrap_or_else(|| {
            let bytes = |operand| u64::try_from(block_bytes(operand)).unwrap_or(u64::MAX);
            self.launches.push(Timed {
                launch: Arc::new(launch.clone()),
                recorder: Recorder::new(device).with_tick(self.tick),
                bytes: launch.operands.iter().map(bytes).collect(),
                keeps_blocks: launch
                    .operands
                    .iter()
                    .any(|operand| !BlockMap::new(operand, launch.grid.len()).is_known()),
            });
            self.launches.len() - 1
        });
        self.launches[self.current].recorder.begin();
    }

    pub(crate) fn program(&mut self, event: &ProgramEvent<'_>) {
        let Some(timed) = self.launches.get_mut(self.current) else { return };
        let Some(times) = event.times else { return };
        let (done, programs) = (event.number.saturating_add(1), timed.launch.programs());
        self.console.borrow_mut().progress(&timed.launch.kernel.name, done, programs.max(done));
        let copies = timed.copies(event.copies);
        timed.recorder.program(event.number, &copies, (times.compute, times.end));
        if timed.keeps_blocks {
            timed.recorder.blocks(event.number, event.blocks);
        }
    }

    pub(crate) fn written_back(&mut self, number: usize, copies: &[CopyTimes]) {
        if let Some(timed) = self.launches.get_mut(self.current) {
            let copies = timed.copies(copies);
            timed.recorder.written_back(number, &copies);
        }
    }

    pub(crate) fn wants_places(number: usize) -> bool {
        number < FIRST_PLACES || number.is_multiple_of(EVERY_PLACES)
    }

    pub(crate) fn places(&mut self, places: &[Location], ticks: &[u64]) {
        if let Some(timed) = self.launches.get_mut(self.current) {
            let lines = places.iter().zip(ticks).filter(|(_, ticks)| **ticks > 0);
            timed.recorder.lines(lines.map(|(place, &ticks)| (place.span, ticks)));
        }
    }

    /// The launches with what was measured of them.
    pub(crate) fn take(&mut self) -> Vec<(Arc<Launch>, Recorder)> {
        self.launches.drain(..).map(|timed| (timed.launch, timed.recorder)).collect()
    }
}

/// What it costs to read a console's clock once, in nanoseconds: the quickest of a few rounds, since nothing but the clock
/// is meant. `None` without a clock.
fn tick(console: &dyn Console) -> Option<f64> {
    const READS: u32 = 32;
    let mut quickest = f64::INFINITY;
    for _ in 0..4 {
        let first = console.nanoseconds()?;
        let mut last = first;
        for _ in 0..READS {
            last = console.nanoseconds()?;
        }
        quickest = quickest.min(last.saturating_sub(first) as f64 / f64::from(READS));
    }
    Some(quickest)
}

impl Timed {
    fn is(&self, launch: &Launch) -> bool {
        std::ptr::eq(&*self.launch, launch) || self.launch.spans.apply == launch.spans.apply && *self.launch == *launch
    }

    fn copies(&self, copies: &[CopyTimes]) -> Vec<Copied> {
        let copied = |copy: &CopyTimes| Copied {
            operand: copy.operand,
            out: copy.out,
            start: copy.start,
            end: copy.end,
            bytes: self.bytes.get(copy.operand).copied().unwrap_or(0),
        };
        copies.iter().map(copied).collect()
    }
}
