//! Semaphores that are waited for in vain, or left above zero: what is said of them, and the search for them in kernels
//! whose control flow is known. A kernel that runs finds the same as it goes; both speak with the words that stand here.

mod machine;

use crate::checked::Checked;
use crate::refs::origin;
use crate::rule::Rule;
use crate::rules;
use crate::walk::{Source, Sources};
use machine::Machine;
use pallas_ir::{Certainty, CopyOp, Finding, Function, Label, Launch, OpData, OpId, OpKind, SemaphoreOp, ValueId};
use pallas_syntax::Span;

/// How waiting and signalling do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// A wait for a semaphore that nobody will signal enough.
    Wait {
        /// What is waited for.
        wanted: i64,
        /// What there is.
        count: i64,
    },
    /// A wait for so many bytes of a copy that is not under way.
    CopyWait {
        /// Bytes.
        wanted: i64,
    },
    /// A semaphore that counts so much when its life ends.
    Left(i64),
    /// A semaphore of copies that counts so many bytes when its life ends.
    CopyLeft(i64),
}

/// The finding, at the wait or at the last signal.
pub fn finding(mismatch: Mismatch, certainty: Certainty, name: &str, span: Span, program: &[usize]) -> Finding {
    let (rule, message, help) = match mismatch {
        Mismatch::Wait { wanted, count } => (
            &rules::WAIT_NEVER_SATISFIED,
            format!("this waits until {name} is {wanted}, but it is {count} and nobody will signal it"),
            DEADLOCK_HELP,
        ),
        Mismatch::CopyWait { wanted } => (
            &rules::WAIT_NEVER_SATISFIED,
            format!("this waits for a copy of {wanted} bytes, but no copy that {name} counts is under way"),
            DEADLOCK_HELP,
        ),
        Mismatch::Left(count) => (
            &rules::SEMAPHORE_NOT_DRAINED,
            format!("{name} is {count} when its life ends, and must be 0"),
            "wait for a semaphore as often as it is signalled",
        ),
        Mismatch::CopyLeft(bytes) => (
            &rules::COPY_NEVER_AWAITED,
            format!("nothing waits for this copy: {name} still counts {bytes} bytes when its life ends"),
            AWAIT_HELP,
        ),
    };
    let mut finding = rule.finding(certainty, span, message);
    finding.help = Some(help.to_string());
    if !program.is_empty() {
        finding.evidence = Some(crate::words::program(program));
    }
    finding
}

/// Why threads, cores or devices that run at the same time stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All of them wait.
    Waiting,
    /// They wait for others in the launch that do not come there.
    Missing,
    /// They wait for devices that do not come to the launch.
    Absent,
    /// A barrier is out of step.
    OutOfStep,
}

impl Stop {
    fn rule(self) -> &'static Rule {
        match self {
            Stop::Waiting => &rules::WAIT_NEVER_SATISFIED,
            Stop::Missing | Stop::Absent => &rules::COLLECTIVE_MISMATCH,
            Stop::OutOfStep => &rules::BARRIER_OUT_OF_STEP,
        }
    }

    fn help(self) -> &'static str {
        match self {
            Stop::Waiting => DEADLOCK_HELP,
            Stop::Missing => rules::MISSING_HELP,
            Stop::Absent => rules::ABSENT_HELP,
            Stop::OutOfStep => rules::BARRIER_HELP,
        }
    }
}

/// The finding about agents that stop, with other places that have to do with it.
pub fn stopped(stop: Stop, message: &str, span: Span, others: Vec<Label>, program: &[usize]) -> Finding {
    let mut finding = stop.rule().finding(Certainty::Found, span, message.to_string());
    finding.help = Some(stop.help().to_string());
    finding.labels = others;
    if !program.is_empty() {
        finding.evidence = Some(crate::words::program(program));
    }
    finding
}

/// What to do about a copy that nobody waits for.
const AWAIT_HELP: &str = "wait for every copy that was started: `.wait()` on the same Refs and semaphore";

/// What to do about a wait in vain.
pub const DEADLOCK_HELP: &str =
    "start the copy, signal the semaphore or arrive at the barrier before the wait, as often as it is waited for";

/// A mismatch in a kernel.
struct Problem {
    mismatch: Mismatch,
    /// The semaphore's name.
    name: String,
    /// The wait, or the last signal.
    op: OpId,
    /// The program.
    program: Vec<usize>,
}

/// All that is certain. Kernels that talk to other devices or cores are left alone.
fn problems(launch: &Launch) -> Vec<Problem> {
    let kernel = &launch.kernel;
    let waits = kernel.ops.iter().any(|op| matches!(op.op.kind, OpKind::Copy(_) | OpKind::Semaphore(_)));
    if !waits || speaks_to_others(kernel) || !launch.dynamic.is_empty() || launch.has_agents() {
        return Vec::new();
    }
    Machine::new(launch).run()
}

/// What is said of a launch, each place once, by all rules.
pub(crate) fn findings(launch: &Launch) -> Vec<Finding> {
    let mut findings: Vec<Finding> = never_awaited(&launch.kernel);
    for problem in problems(launch) {
        let span = launch.kernel.location(problem.op).span;
        let found = finding(problem.mismatch, Certainty::Proved, &problem.name, span, &problem.program);
        if !findings.iter().any(|known| known.code == found.code && known.span == span) {
            findings.push(found);
        }
    }
    findings
}

/// Copies of kernels that talk to others, on semaphores that nothing in the kernel ever waits for or reads: every device runs it, so
/// that nobody does.
fn never_awaited(kernel: &Function) -> Vec<Finding> {
    if !speaks_to_others(kernel) {
        return Vec::new();
    }
    let sources = Sources::new(kernel);
    let root = |value: ValueId| match sources.of(value) {
        Source::Result(op, _) if matches!(kernel.op(op).op.kind, OpKind::Semaphore(SemaphoreOp::Barrier)) => {
            Some(value)
        }
        _ => origin(kernel, &sources, value).map(|origin| origin.value),
    };
    let semaphores = |op: &OpData| -> Vec<ValueId> {
        let is_semaphore =
            |&&operand: &&ValueId| kernel.ty(operand).as_ref_type().is_some_and(|r| r.space.is_semaphore());
        op.operands.iter().filter(is_semaphore).copied().collect()
    };
    let starts = |op: &&OpData| matches!(op.op.kind, OpKind::Copy(CopyOp::Start));
    // What else takes a semaphore, a function within the kernel, calls it something else.
    let is_plain = |op: &OpData| matches!(op.op.kind, OpKind::Copy(_) | OpKind::Semaphore(_) | OpKind::Memory(_));
    if kernel.ops.iter().any(|op| !is_plain(op) && !semaphores(op).is_empty()) {
        return Vec::new();
    }
    let waits = kernel.ops.iter().filter(|op| !starts(op) && !matches!(op.op.kind, OpKind::Memory(_)));
    // A wait for a copy is for one of its two ends.
    let awaited = |op: &OpData| -> Vec<ValueId> {
        match op.op.kind {
            OpKind::Copy(CopyOp::Wait) => {
                op.operands.get(if op.attributes.flag("send") { 3 } else { 2 }).copied().into_iter().collect()
            }
            _ => semaphores(op),
        }
    };
    let known: Vec<Option<ValueId>> = waits.flat_map(awaited).map(root).collect();
    if known.contains(&None) {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = Vec::new();
    for op in kernel.ops.iter().filter(starts) {
        let forgotten =
            semaphores(op).into_iter().find_map(|semaphore| root(semaphore).filter(|r| !known.contains(&Some(*r))));
        let Some(forgotten) = forgotten else { continue };
        let name = kernel.value(forgotten).name.as_deref().unwrap_or("its semaphore");
        let place = &kernel.locations[op.location.0 as usize];
        let message = format!("nothing waits for this copy: no wait of the kernel is for {name}");
        let mut finding = rules::COPY_NEVER_AWAITED.finding(Certainty::Proved, place.span, message);
        finding.help = Some(AWAIT_HELP.to_string());
        finding.called_from(&place.calls);
        if !findings.iter().any(|known| known.span == finding.span) {
            findings.push(finding);
        }
    }
    findings
}

/// Adds the findings of one rule.
pub(crate) fn report(launch: &Checked<'_>, code: &str, findings: &mut Vec<Finding>) {
    findings.extend(launch.waits().iter().filter(|found| found.code == code).cloned());
}

fn speaks_to_others(kernel: &Function) -> bool {
    kernel.ops.iter().any(|op| match op.op.kind {
        OpKind::Copy(CopyOp::Start | CopyOp::Wait) => op.attributes.flag("remote"),
        OpKind::Semaphore(SemaphoreOp::Signal) => op.operands.len() > 2,
        OpKind::Semaphore(SemaphoreOp::Barrier) => true,
        _ => false,
    })
}
