//! Semaphores that are waited for in vain, or left above zero: what is said of them, and the search for them in kernels
//! whose control flow is known. A kernel that runs finds the same as it goes; both speak with the words that stand here.

mod machine;

use crate::checked::Checked;
use crate::rule::Rule;
use crate::rules;
use machine::Machine;
use pallas_ir::{Certainty, CopyOp, Finding, Function, Label, Launch, OpId, OpKind, SemaphoreOp};
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
            "wait for every copy that was started: `.wait()` on the same Refs and semaphore",
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
    let mut findings: Vec<Finding> = Vec::new();
    for problem in problems(launch) {
        let span = launch.kernel.location(problem.op).span;
        let found = finding(problem.mismatch, Certainty::Proved, &problem.name, span, &problem.program);
        if !findings.iter().any(|known| known.code == found.code && known.span == span) {
            findings.push(found);
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
