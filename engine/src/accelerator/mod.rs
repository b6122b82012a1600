//! Where launches run instead of in interpret mode: a device behind one call. What it refuses runs in interpret mode, or stops
//! the program, as the caller wishes; what it computes is compared with interpret mode where that is asked for.

mod compare;
mod gpu;
mod simulator;
mod tiles;
mod timed;
mod told;
mod undefined;

pub use compare::{Difference, compare};
pub use gpu::Gpu;
pub use simulator::Simulator;
pub use tiles::{Backend, CompileTiles};

use pallas_interpret::Undefined;
use pallas_ir::{Finding, Launch};
use pallas_profile::DeviceTimes;
use pallas_syntax::Span;
use pallas_tensor::Array;
use std::sync::Arc;

/// Runs launches.
pub trait Accelerator {
    /// As it is called: `NVIDIA H200`.
    fn name(&self) -> String;

    /// Runs a launch whose grid is known, on the arrays of its prefetched scalars and inputs.
    ///
    /// # Errors
    /// What it cannot do, or what went wrong.
    fn run(&mut self, launch: &Launch, inputs: &[Array]) -> Result<Ran, NotRun>;

    /// The same, and measures it: many times, until `stop` says so.
    ///
    /// # Errors
    /// As [`Accelerator::run`].
    fn profile(&mut self, launch: &Launch, inputs: &[Array], stop: &dyn Fn() -> bool) -> Result<Ran, NotRun> {
        let _ = stop;
        self.run(launch, inputs)
    }
}

/// What a launch gave.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its outputs.
    pub outputs: Vec<Array>,
    /// For how many microseconds the device worked, where there is one.
    pub microseconds: Option<f64>,
    /// What it did that hardware forgives, sometimes: in words, and where.
    pub seen: Vec<(String, Span)>,
    /// What its checks found.
    pub findings: Vec<Finding>,
    /// What it left to memory that nobody has written.
    pub undefined: Vec<Undefined>,
    /// Lines that it printed.
    pub printed: Vec<String>,
    /// What was measured, where that was asked for.
    pub timed: Option<Box<DeviceTimes>>,
}

impl Ran {
    /// Outputs, of which nothing more is known.
    pub fn new(outputs: Vec<Array>) -> Ran {
        Ran {
            outputs,
            microseconds: None,
            seen: Vec::new(),
            findings: Vec::new(),
            undefined: Vec::new(),
            printed: Vec::new(),
            timed: None,
        }
    }
}

/// Why a launch did not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotRun {
    /// One sentence, without a final dot.
    pub message: String,
    /// The op that is to blame.
    pub span: Option<Span>,
    /// What to do.
    pub help: Option<String>,
}

/// Opens an accelerator, on the thread that will use it.
pub type Open = Box<dyn FnOnce() -> Result<Box<dyn Accelerator>, NotRun> + Send>;

/// What a run is to be accelerated by.
pub struct Acceleration {
    /// The accelerator.
    pub open: Open,
    /// Whether what it refuses runs in interpret mode.
    pub falls_back: bool,
    /// Whether each launch runs in interpret mode, too, and the outputs are compared.
    pub verifies: bool,
}

/// What became of one launch.
#[derive(Clone, Debug)]
pub struct Accelerated {
    /// The launch.
    pub launch: Arc<Launch>,
    /// Where it ran.
    pub by: String,
    /// How.
    pub end: End,
    /// How many launches of the place ended like this.
    pub count: usize,
}

/// Launches that end in other ways than all before them are kept so many times.
const MOST: usize = 1024;

impl Accelerated {
    /// Notes how a launch ended. Those of a place that end alike are one, so that a loop takes no more room than one round.
    pub(crate) fn note(all: &mut Vec<Accelerated>, launch: &Arc<Launch>, by: String, end: End) {
        let is_like = |known: &Accelerated| {
            known.launch.spans.apply == launch.spans.apply && known.by == by && known.end.is_like(&end)
        };
        let at = all.iter().position(is_like).or_else(|| (all.len() >= MOST).then(|| all.len() - 1));
        match at {
            Some(at) => {
                all[at].count += 1;
                if let (End::Ran { microseconds: Some(sum), .. }, End::Ran { microseconds: Some(more), .. }) =
                    (&mut all[at].end, &end)
                {
                    *sum += more;
                }
            }
            None => all.push(Accelerated { launch: launch.clone(), by, end, count: 1 }),
        }
    }
}

/// How a launch ended that was given to an accelerator.
#[derive(Clone, Debug)]
pub enum End {
    /// It ran.
    Ran {
        /// For how many microseconds the device worked.
        microseconds: Option<f64>,
        /// Where its outputs are not those of interpret mode; `None` where nobody compared.
        differences: Option<Vec<Difference>>,
        /// What it did that hardware forgives, sometimes.
        seen: Vec<(String, Span)>,
    },
    /// It ran in interpret mode instead.
    FellBack(NotRun),
}

impl End {
    /// Whether there is nothing more to say of both than of one, but for the time.
    fn is_like(&self, other: &End) -> bool {
        match (self, other) {
            (End::FellBack(one), End::FellBack(other)) => one == other,
            (
                End::Ran { microseconds: took, differences, seen },
                End::Ran { microseconds: also, differences: others, seen: more },
            ) => took.is_some() == also.is_some() && differences == others && seen == more,
            _ => false,
        }
    }
}

/// An accelerator at work: opened at its first launch.
pub(crate) struct Accelerating {
    open: Option<Open>,
    accelerator: Option<Box<dyn Accelerator>>,
    /// Why it could not be opened.
    broken: NotRun,
    pub(crate) falls_back: bool,
    pub(crate) verifies: bool,
    pub(crate) launches: Vec<Accelerated>,
}

impl Accelerating {
    pub(crate) fn new(acceleration: Acceleration) -> Accelerating {
        Accelerating {
            open: Some(acceleration.open),
            accelerator: None,
            broken: NotRun::default(),
            falls_back: acceleration.falls_back,
            verifies: acceleration.verifies,
            launches: Vec::new(),
        }
    }

    /// Runs a launch, and measures it if somebody says when to stop; the accelerator's name comes along.
    pub(crate) fn run(
        &mut self,
        launch: &Launch,
        arguments: &[Array],
        profile: Option<&dyn Fn() -> bool>,
    ) -> (String, Result<Ran, NotRun>) {
        if let Some(open) = self.open.take() {
            match open() {
                Ok(accelerator) => self.accelerator = Some(accelerator),
                Err(why) => self.broken = why,
            }
        }
        let Some(accelerator) = &mut self.accelerator else { return (String::new(), Err(self.broken.clone())) };
        let (known, inputs) = known(launch, arguments);
        let ran = match profile {
            Some(stop) => accelerator.profile(&known, inputs, stop),
            None => accelerator.run(&known, inputs),
        };
        (accelerator.name(), ran)
    }
}

/// The launch with the extents of its grid that were computed, and its arguments without them.
fn known<'a>(launch: &Launch, arguments: &'a [Array]) -> (Launch, &'a [Array]) {
    let mut launch = launch.clone();
    let count = launch.dynamic.len().min(arguments.len());
    let (extents, inputs) = arguments.split_at(count);
    for (&axis, extent) in launch.dynamic.iter().zip(extents) {
        let extent = extent.item().and_then(|extent| extent.as_int()).and_then(|n| usize::try_from(n).ok());
        if let (Some(slot), Some(extent)) = (launch.grid.get_mut(axis), extent) {
            *slot = extent;
        }
    }
    launch.dynamic.clear();
    (launch, inputs)
}
