//! The profile report: everything that a screen shows of a run, in one immutable, versioned, serialisable value.
//!
//! What was modelled and what was measured stand apart and are never added up. A grid of millions is not written down
//! program by program: the report holds what its schedule follows from, and [`LaunchReport::timing`] answers for any
//! program; measured times are kept in bins of neighbours. The JSON schema is in `schema/`.

mod brief;
mod build;
mod clip;
mod compare;
mod device;
mod lanes;
mod left_out;
mod listed;
mod measured;
mod modelled;
mod open;
mod place;
mod read;
mod report;
mod sift;
mod timeline;
mod trace;
mod values;

pub use build::{Observed, ObservedLaunch};
pub use compare::{Change, Comparison, Incomparable, compare};
pub use device::{Ceiling, DeviceEvent, DeviceTimes, OnDevice, Residency, Way};
pub use lanes::{Lane, LaneCause, LaneEvent, Lanes};
pub use left_out::{LeftOut, LeftOutReport};
pub use measured::{Bins, Copied, LineTime, Measured, Recorder, StageTime};
pub use modelled::{
    Advice, BlockChoice, Formulas, Line, Modelled, Moves, Schedule, SlotChoice, Stream, Unknown, WorkTerm,
};
pub use open::Opening;
pub use place::Place;
pub use read::ReadError;
pub use report::{
    BlockDim, Event, FindingReport, IndexForm, LabelReport, LaunchMachine, LaunchReport, MachineReport, Mark,
    NumberReport, OperandReport, Producer, Program, RateReport, Report, RunReport, ScratchReport, SourceText, Stage,
    Totals, TotalsMeasured, TotalsModelled, VERSION,
};
pub use timeline::{Piece, Row, Timeline, Window};
pub use trace::trace;
pub use values::{ArrayValues, Element, ProgramValues, RefValues, Stats, StoreValues};

/// The JSON schema of reports of version [`VERSION`].
pub const SCHEMA: &str = include_str!("../schema/profile-v1.json");
