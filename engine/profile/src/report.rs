//! The report as it is written. Fields are only ever added, with a default, while [`VERSION`] stays; a change of what a
//! field means is a new version, which still reads the old ones.

use crate::left_out::LeftOutReport;
use crate::measured::Measured;
use crate::modelled::Modelled;
use crate::place::Place;
use crate::values::ProgramValues;
use serde::{Deserialize, Serialize};

/// The version of reports that are written.
pub const VERSION: u32 = 1;

/// One run, or one analysis, of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// See [`VERSION`].
    pub version: u32,
    /// What wrote it.
    pub producer: Producer,
    /// What it is about.
    pub program: Program,
    /// Texts of the files that places lie in.
    pub sources: Vec<SourceText>,
    /// The machine of the modelled numbers; of the first launch, where launches are modelled on several.
    pub machine: MachineReport,
    /// All machines that launches are modelled on. Reports that do not list them have one for all.
    #[serde(default)]
    pub machines: Vec<MachineReport>,
    /// The launches, in the order in which they were first made.
    pub launches: Vec<LaunchReport>,
    /// Findings, errors first.
    pub findings: Vec<FindingReport>,
    /// Sums over launches.
    pub totals: Totals,
    /// Launches that ran and are not listed, by place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutReport>,
}

/// What wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// `pallas-workbench`
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The program that a report is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Its path as it was given.
    pub path: String,
    /// `sys.argv[1:]`
    pub arguments: Vec<String>,
    /// Its exit status, if it ran.
    pub exit: Option<i32>,
    /// Whether it was stopped before its end: the report holds what was finished until then.
    #[serde(default)]
    pub cancelled: bool,
    /// Seconds that the analysis took, where there was one.
    #[serde(default)]
    pub analysed: f64,
    /// How the run went, if it ran and that was kept.
    #[serde(default)]
    pub run: Option<RunReport>,
}

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// What the program has printed.
    pub printed: String,
    /// What it has left on standard error: a traceback.
    pub error: String,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Its number.
    pub file: u32,
    /// Its path.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The machine that a launch is modelled on, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchMachine {
    /// Its name: `NVIDIA H100`
    pub name: String,
    /// What `--machine` calls it.
    pub key: String,
    /// Whether somebody has named it. Otherwise it is one that the kernel is for.
    pub named: bool,
    /// Why it is this one, as what follows `because`.
    pub why: String,
}

/// A machine model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineReport {
    /// `TPU v5e`
    pub name: String,
    /// What `--machine` calls it.
    pub key: String,
    /// Cores that share a launch.
    pub cores: usize,
    /// Alpha, in seconds.
    pub latency: NumberReport,
    /// Beta, in bytes per second, of all cores.
    pub bandwidth: NumberReport,
    /// F of products of matrices.
    pub matrix: Vec<RateReport>,
    /// F of everything else, in operations per second.
    pub vector: NumberReport,
    /// Bytes on chip for one program.
    pub on_chip: NumberReport,
    /// What a copy or a signal to another device takes at least, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_latency: Option<NumberReport>,
    /// Bytes per second from one device to another, one way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_bandwidth: Option<NumberReport>,
}

/// A number with its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberReport {
    /// The number.
    pub value: f64,
    /// Where it comes from.
    pub source: String,
    /// Whether it is published or measured, and not just assumed.
    pub known: bool,
}

/// A rate of a dtype.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateReport {
    /// The operands' dtype: `bf16`.
    pub dtype: String,
    /// FLOP per second.
    pub rate: NumberReport,
}

/// One launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchReport {
    /// The kernel's name.
    pub kernel: String,
    /// What it is modelled on; the report's machine, where nothing is said.
    #[serde(default)]
    pub machine: LaunchMachine,
    /// The `pallas_call` expression.
    pub call: Option<Place>,
    /// The kernel's `def`.
    pub definition: Option<Place>,
    /// Extents; 1 where an axis is [`LaunchReport::dynamic`].
    pub grid: Vec<usize>,
    /// Axes whose extent depends on data.
    pub dynamic: Vec<usize>,
    /// How programs along each axis may run: `parallel` or `arbitrary`; empty where the launch does not say.
    pub semantics: Vec<String>,
    /// Programs of the grid.
    pub programs: usize,
    /// Its operands, in the order of the kernel's parameters.
    pub operands: Vec<OperandReport>,
    /// Its scratch Refs.
    pub scratch: Vec<ScratchReport>,
    /// Aliased operands: an input and an output, by position in `operands`.
    pub aliases: Vec<(usize, usize)>,
    /// The launch in the text form of the kernel IR, which can be read back.
    pub ir: String,
    /// Findings about it, by position in the report's findings.
    pub findings: Vec<usize>,
    /// Programs that findings name.
    pub marks: Vec<Mark>,
    /// What the machine's model says.
    pub modelled: Modelled,
    /// What was measured, if it ran with a clock.
    pub measured: Option<Measured>,
    /// What the Refs of programs held, of those that somebody has looked at.
    #[serde(default)]
    pub values: Vec<ProgramValues>,
    /// Whether it ran; launches of an analysis alone did not.
    #[serde(default)]
    pub ran: bool,
    /// Whether what was measured is from before the last edit of the file.
    #[serde(default)]
    pub stale: bool,
}

/// A program that a finding names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Its ids.
    pub ids: Vec<usize>,
    /// The finding, by position in the report's findings.
    pub finding: usize,
}

/// An array with the way it is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperandReport {
    /// The kernel's parameter.
    pub name: String,
    /// `prefetch`, `input` or `output`.
    pub role: String,
    /// `bf16`
    pub dtype: String,
    /// The array's shape.
    pub shape: Vec<usize>,
    /// One entry per dimension.
    pub block: Vec<BlockDim>,
    /// Where blocks are put.
    pub space: String,
    /// `pl.Buffered(n)`, where the launch says.
    pub buffers: Option<usize>,
    /// The index map as a formula: `(i, k)`.
    pub formula: String,
    /// The index map, one form per dimension.
    pub map: Vec<IndexForm>,
    /// The `BlockSpec`.
    pub spec: Option<Place>,
    /// Its index map.
    pub index_map: Option<Place>,
    /// The kernel's parameter.
    pub parameter: Option<Place>,
}

/// How a dimension is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BlockDim {
    /// Blocks of so many elements.
    Blocked {
        /// Elements.
        size: usize,
    },
    /// One element; the dimension is not there in the kernel.
    Squeezed,
    /// So many elements, at an element's index.
    Element {
        /// Elements.
        size: usize,
        /// Virtual elements before the array.
        low: usize,
        /// Virtual elements after it.
        high: usize,
    },
}

/// A block index as a function of the program ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IndexForm {
    /// `constant + sum of coefficients[axis] * id[axis]`
    Affine {
        /// The constant.
        constant: i64,
        /// One per axis of the grid.
        coefficients: Vec<i64>,
    },
    /// Another function of the ids; the launch's IR has it.
    General,
    /// Depends on data.
    Data,
}

/// Memory that lives across programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchReport {
    /// `f32`
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Where it lives.
    pub space: String,
}

/// Something that took time, or would take it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The program's number, in row-major order of the grid.
    pub program: usize,
    /// The stage.
    pub stage: Stage,
    /// The operand, by position; `None` for compute.
    pub operand: Option<usize>,
    /// The buffer slot; 0 for compute.
    pub slot: usize,
    /// The core or worker; from 0.
    pub lane: usize,
    /// Begin in nanoseconds from the launch's.
    pub start: f64,
    /// End in nanoseconds.
    pub end: f64,
    /// Bytes that were copied.
    pub bytes: u64,
    /// FLOPs that were computed.
    pub flops: u64,
    /// Where in the source: the operand's `BlockSpec`, or the kernel.
    pub place: Option<Place>,
}

/// A stage of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A block on its way in.
    CopyIn,
    /// The kernel.
    Compute,
    /// A block on its way back.
    CopyOut,
    /// Nothing is computed until a copy is done.
    Wait,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingReport {
    /// `PL120`
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// `proved`, `found` or `possible`.
    pub certainty: String,
    /// One sentence.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// Other places.
    pub labels: Vec<LabelReport>,
    /// A concrete case.
    pub evidence: Option<String>,
    /// What to do.
    pub help: Option<String>,
}

/// A second place of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelReport {
    /// Where.
    pub place: Option<Place>,
    /// What it has to do with it.
    pub text: String,
}

/// Sums over launches; modelled and measured are never added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Of the models. Launches that ran more than once count as often.
    pub modelled: TotalsModelled,
    /// Of the clocks, if there was one.
    pub measured: Option<TotalsMeasured>,
}

/// Sums of models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TotalsModelled {
    /// Nanoseconds.
    pub time: f64,
    /// Bytes of all copies.
    pub bytes: u64,
    /// FLOPs.
    pub flops: u64,
}

/// Sums of measurements, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TotalsMeasured {
    /// In all stages.
    pub time: f64,
    /// In copies to the kernel.
    pub copy_in: f64,
    /// In the kernel.
    pub compute: f64,
    /// In copies back.
    pub copy_out: f64,
}

impl LaunchMachine {
    /// `NVIDIA H100 because the kernel is one for Mosaic GPU`; nothing where somebody has asked for it.
    pub fn reason(&self) -> Option<String> {
        (!self.named && !self.why.is_empty()).then(|| format!("{} because {}", self.name, self.why))
    }
}

impl Report {
    /// The machine that a launch is modelled on.
    pub fn machine_of(&self, launch: &LaunchReport) -> &MachineReport {
        self.machines.iter().find(|machine| machine.key == launch.machine.key).unwrap_or(&self.machine)
    }

    /// As JSON, with a final newline.
    ///
    /// # Errors
    /// None that is known: the report holds text, numbers and lists of them.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|mut text| {
            text.push('\n');
            text
        })
    }
}

impl Stage {
    /// As it is written: `copy_in`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::CopyIn => "copy_in",
            Stage::Compute => "compute",
            Stage::CopyOut => "copy_out",
            Stage::Wait => "wait",
        }
    }
}
