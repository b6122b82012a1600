//! What the launches of a run took: a recorder for each, fed by the interpreter's hooks on the console's clock.

use crate::host::Console;
use crate::room;
use pallas_interpret::{CopyTimes, ProgramEvent};
use pallas_ir::{BlockMap, Launch, Location};
use pallas_pipeline::block_bytes;
use pallas_profile::{Copied, DeviceTimes, LeftOut, Recorder};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What ran the launches.
const DEVICE: &str = "interpret mode on the CPU";
/// The kernel's time is taken by place in the first programs, and then in every so many.
const FIRST_PLACES: usize = 4;
/// See [`FIRST_PLACES`].
const EVERY_PLACES: usize = 64;
/// Of different launches from one place, so many first ones are kept; of the others the slowest, as far as there is room.
const FIRST: usize = OF_A_PLACE / 2;
/// Different launches from one place that are listed: a reader goes through no more.
const OF_A_PLACE: usize = 64;
/// Places whose launches are summed up.
const MOST_PLACES: usize = 1024;

/// The launches of a run with their recorders.
pub(crate) struct Timings {
    console: Rc<RefCell<Box<dyn Console>>>,
    launches: Vec<Timed>,
    /// Which one runs; `None` for one that there was no room for.
    current: Option<usize>,
    /// The one that there was no room for, while it runs.
    passing: Option<Timed>,
    /// What was left out, by place.
    left_out: Vec<LeftOut>,
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
        let launches = Vec::new();
        Some(Timings { console, launches, current: None, passing: None, left_out: Vec::new(), tick })
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
        let Some(timed) = self.running() else { return };
        match times {
            Some(times) => timed.recorder.on_device(programs, *times),
            None => timed.recorder.again(programs),
        }
    }

    /// A launch begins; equal ones from one place are one launch.
    pub(crate) fn begin(&mut self, launch: &Launch) {
        self.begin_on(launch, DEVICE);
    }

    fn begin_on(&mut self, launch: &Launch, device: &str) {
        self.settle();
        self.current = self.launches.iter().position(|timed| timed.is(launch));
        if self.current.is_none() {
            let timed = Timed::new(launch, Recorder::new(device).with_tick(self.tick));
            if room::for_another(self.launches.iter().map(|timed| &*timed.launch), launch.spans.apply, OF_A_PLACE) {
                self.current = Some(self.launches.len());
                self.launches.push(timed);
            } else {
                self.passing = Some(timed);
            }
        }
        if let Some(timed) = self.running() {
            timed.recorder.begin();
        }
    }

    fn running(&mut self) -> Option<&mut Timed> {
        match self.current {
            Some(at) => self.launches.get_mut(at),
            None => self.passing.as_mut(),
        }
    }

    /// A launch that there was no room for is over: it takes the place of one that was quicker, or is only counted.
    fn settle(&mut self) {
        let Some(mut passing) = self.passing.take() else { return };
        let place = passing.launch.spans.apply;
        let here = self.launches.iter_mut().filter(|timed| timed.launch.spans.apply == place);
        let quickest = here.skip(FIRST).min_by(|a, b| a.recorder.time().total_cmp(&b.recorder.time()));
        if let Some(quickest) = quickest.filter(|quickest| quickest.recorder.time() < passing.recorder.time()) {
            std::mem::swap(quickest, &mut passing);
        }
        let at = self.left_out.iter().position(|left| left.apply == place).unwrap_or_else(|| {
            // Places without end come from programs that write programs: their last ones share an entry.
            if self.left_out.len() < MOST_PLACES {
                self.left_out.push(LeftOut::new(&passing.launch));
            }
            self.left_out.len() - 1
        });
        self.left_out[at].add(&passing.recorder);
    }

    pub(crate) fn program(&mut self, event: &ProgramEvent<'_>) {
        let Some(timed) = self.running() else { return };
        let Some(times) = event.times else { return };
        let (done, programs) = (event.number.saturating_add(1), timed.launch.programs());
        let name = timed.launch.kernel.name.clone();
        let copies = timed.copies(event.copies);
        timed.recorder.program(event.number, &copies, (times.compute, times.end));
        if timed.keeps_blocks {
            timed.recorder.blocks(event.number, event.blocks);
        }
        self.console.borrow_mut().progress(&name, done, programs.max(done));
    }

    pub(crate) fn written_back(&mut self, number: usize, copies: &[CopyTimes]) {
        if let Some(timed) = self.running() {
            let copies = timed.copies(copies);
            timed.recorder.written_back(number, &copies);
        }
    }

    pub(crate) fn wants_places(number: usize) -> bool {
        number < FIRST_PLACES || number.is_multiple_of(EVERY_PLACES)
    }

    pub(crate) fn places(&mut self, places: &[Location], ticks: &[u64]) {
        if let Some(timed) = self.running() {
            let lines = places.iter().zip(ticks).filter(|(_, ticks)| **ticks > 0);
            timed.recorder.lines(lines.map(|(place, &ticks)| (place.span, ticks)));
        }
    }

    /// The launches with what was measured of them, and what was left out.
    pub(crate) fn take(&mut self) -> (Vec<(Arc<Launch>, Recorder)>, Vec<LeftOut>) {
        self.settle();
        let launches = self.launches.drain(..).map(|timed| (timed.launch, timed.recorder)).collect();
        (launches, std::mem::take(&mut self.left_out))
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
    fn new(launch: &Launch, recorder: Recorder) -> Timed {
        let bytes = |operand| u64::try_from(block_bytes(operand)).unwrap_or(u64::MAX);
        Timed {
            launch: Arc::new(launch.clone()),
            recorder,
            bytes: launch.operands.iter().map(bytes).collect(),
            keeps_blocks: launch.operands.iter().any(|operand| !BlockMap::new(operand, launch.grid.len()).is_known()),
        }
    }

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
