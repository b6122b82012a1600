//! The simulator of the SIMT IR as a device: what the threads of a GPU would do, in lockstep, on the CPU. Slow, and needs nothing.

use super::timed::{Known, times};
use super::undefined::{self, Trial};
use super::{Accelerator, NotRun, Ran, told};
use pallas_ir::{Finding, Launch, Role};
use pallas_simt::ir::Doubt;
use pallas_simt::lower::grid::plan;
use pallas_simt::{Architecture, Garbage, Options, Program, Tuning, compile_with, sim};
use pallas_syntax::Span;
use pallas_tensor::{Array, ops};

/// How many instructions a launch may take, each counted once for a block.
const FUEL: u64 = 2_000_000_000;

/// A GPU that is simulated: an H100.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator {
    /// Whether kernels tell of positions outside of their Refs, of races, and of what they leave to memory that nobody has written.
    pub checked: bool,
    /// Whether kernels tell of NaN that they store to outputs.
    pub traps_nan: bool,
    /// What is not left to the lowering.
    pub tuning: Tuning,
}

impl Accelerator for Simulator {
    fn name(&self) -> String {
        "the simulator".to_string()
    }

    fn run(&mut self, launch: &Launch, inputs: &[Array]) -> Result<Ran, NotRun> {
        self.simulate(launch, inputs, false)
    }

    fn profile(&mut self, launch: &Launch, inputs: &[Array], _: &dyn Fn() -> bool) -> Result<Ran, NotRun> {
        self.simulate(launch, inputs, true)
    }
}

impl Simulator {
    fn simulate(self, launch: &Launch, inputs: &[Array], timed: bool) -> Result<Ran, NotRun> {
        let options = Options { checked: self.checked, traps_nan: self.traps_nan, timed, ..self.options(launch) };
        let (program, outputs, report) = run(launch, inputs, options)?;
        let mut again = |garbage, watched| {
            let options = Options { garbage: Some(garbage), watched, ..self.options(launch) };
            let (_, outputs, report) = run(launch, inputs, options).ok()?;
            Some(Trial { outputs, stores: report.stores })
        };
        let undefined = match self.checked {
            true => undefined::undefined(launch, inputs, &outputs, &mut again),
            false => Vec::new(),
        };
        let (mut findings, mut seen) = (Vec::new(), Vec::new());
        // What a finding says with both programs is not said again with blocks.
        let is_told = |span: Span| {
            let mut races = report.complaints.iter().filter(|other| other.kind == sim::Kind::ProgramRace);
            races.any(|race| race.span == span)
        };
        let complaints = report.complaints.iter();
        for complaint in complaints.filter(|one| one.kind != sim::Kind::BlockRace || !is_told(one.span)) {
            match self.told(launch, &report, complaint) {
                Ok(finding) => findings.push(finding),
                Err(words) => seen.push(words),
            }
        }
        let timed =
            timed.then(|| Box::new(times(launch, &program, Known { notes: &report.notes, ..Known::default() })));
        Ok(Ran { seen, findings, undefined, printed: report.printed, timed, ..Ran::new(outputs) })
    }

    fn options(self, launch: &Launch) -> Options {
        let garbage = self.checked.then(Garbage::default);
        Options { tuning: self.tuning, garbage, ..Options::new(Architecture::meant_by(launch)) }
    }

    /// A complaint as a finding, if it is one of what is looked for, and in words otherwise.
    fn told(
        self,
        launch: &Launch,
        report: &sim::Report,
        complaint: &sim::Complaint,
    ) -> Result<Finding, (String, Span)> {
        let (kind, memory, block) = (complaint.kind, &complaint.memory, complaint.block);
        let program = usize::try_from(complaint.element).unwrap_or(0);
        let doubt = match kind {
            sim::Kind::Outside => Doubt::Outside,
            sim::Kind::NotANumber => Doubt::NotANumber,
            sim::Kind::ProgramRace => Doubt::Race,
            _ => {
                let other = complaint.other.map_or(String::new(), |other| format!(" and {}", programs(launch, other)));
                let here = programs(launch, block);
                let words = format!("{}: {memory} at element {} in {here}{other}", kind.words(), complaint.element);
                return Err((words, complaint.span));
            }
        };
        let (words, span, count) = (memory.as_str(), complaint.span, report.count(kind));
        told::finding(launch, &told::Told { doubt, words, span, program, count, met: complaint.met })
    }
}

/// Compiles a launch, and runs it.
fn run(launch: &Launch, inputs: &[Array], options: Options) -> Result<(Program, Vec<Array>, sim::Report), NotRun> {
    let program = compile_with(launch, options).map_err(|refusal| NotRun {
        message: refusal.message,
        span: Some(refusal.span),
        help: refusal.help,
    })?;
    let stopped = |message: String, span| NotRun { message, span, help: None };
    let (flat, report) =
        sim::run(&program, inputs, FUEL).map_err(|fault| stopped(fault.message.clone(), Some(fault.span)))?;
    let mut outputs = Vec::new();
    for ((_, operand), array) in launch.with_role(Role::Output).zip(flat) {
        let shaped = ops::reshape(&array, operand.array.shape.clone());
        outputs.push(shaped.map_err(|error| stopped(error.to_string(), None))?);
    }
    if outputs.len() != launch.with_role(Role::Output).count() {
        return Err(stopped("the program has no memory for one of the outputs".to_string(), None));
    }
    Ok((program, outputs, report))
}

/// The programs that a block runs: ``program (1, 0)``, or ``programs (1, *)`` where they are a loop.
fn programs(launch: &Launch, block: usize) -> String {
    let ids = plan(launch).ids_of(&launch.grid, block);
    let text: Vec<String> = ids.iter().map(|id| id.map_or("*".to_string(), |id| id.to_string())).collect();
    let several = if ids.contains(&None) { "s" } else { "" };
    match text.as_slice() {
        [] => format!("block {block}"),
        [only] => format!("program{several} ({only},)"),
        text => format!("program{several} ({})", text.join(", ")),
    }
}
