//! PL425.

use crate::alike::alike;
use crate::checked::Checked;
use crate::refs::origin;
use crate::rule::Rule;
use crate::walk::{Sources, walk};
use pallas_ir::op::{ControlOp, MemoryOp};
use pallas_ir::{Certainty, CopyOp, Finding, Function, Label, OpId, OpKind, RegionId, Severity, ValueId};

/// A semaphore of copies that counts what a wait is not for.
pub(super) static RULE: Rule = Rule {
    code: "PL425",
    name: "semaphore-of-two-copies",
    severity: Severity::Warning,
    summary: "a wait for a copy to or from another device may be satisfied by another copy",
    doc: r#"
## What it does
Reports, in kernels that copy to other devices, a semaphore that counts two things at once, of which one is waited for while the
other may be what has arrived:

- one semaphore as both the send and the receive semaphore of a copy, if the copy is started again and again or memory is used
  between the two waits;
- one semaphore for two copies that are under way, if memory of a copy is used after the first of the two waits.

One copy on one semaphore whose two waits follow each other is not reported: behind both, both ends are done. Kernels that do not
copy to other devices are followed, and what a wait did not wait for is PL410 there.

## Why is this bad?
A DMA semaphore counts bytes, and does not know of which copy they are. Waiting takes as many bytes off as the copy has: if those
of another one have come first, the wait ends early, and what is read is what was there before. It depends on which link is
faster, so that it works until it does not. Interpreters copy at once, and do not show it.

## Example
```python
copy = pltpu.make_async_remote_copy(x_ref, o_ref, sem, sem, device_id=(right,))
copy.start()
copy.wait_recv()            # satisfied by what was sent, too
o_ref[...] += x_ref[...]
copy.wait_send()
```

## Use instead
```python
copy = pltpu.make_async_remote_copy(x_ref, o_ref, send_sem, recv_sem, device_id=(right,))
```
Copies that are under way at the same time have a semaphore each: `pltpu.SemaphoreType.DMA((2,))`, and `recv_sem.at[slot]`.
"#,
    check: Some(check),
};

/// What a kernel does that has to do with memory, in the order of the text.
struct Effect {
    op: OpId,
    region: RegionId,
    /// Whether it is in a loop.
    repeats: bool,
}

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    let effects = effects(kernel);
    let is_remote = |effect: &&Effect| {
        let op = kernel.op(effect.op);
        matches!(op.op.kind, OpKind::Copy(CopyOp::Start)) && op.attributes.flag("remote") && op.operands.len() > 3
    };
    let axes = launch.device_axes().min(launch.grid.len());
    let again = launch.grid[axes..].iter().product::<usize>() > 1;
    let sources = Sources::new(kernel);
    let known = findings.len();
    let seen = |findings: &[Finding], span| findings[known..].iter().any(|finding| finding.span == span);
    for start in effects.iter().filter(is_remote) {
        let found = both_ends(kernel, &sources, &effects, start, again);
        if let Some(finding) = found.filter(|finding| !seen(findings, finding.span)) {
            findings.push(finding);
        }
    }
    let starts: Vec<usize> =
        effects.iter().enumerate().filter(|(_, effect)| is_remote(effect)).map(|(number, _)| number).collect();
    for (number, &first) in starts.iter().enumerate() {
        for &second in &starts[number + 1..] {
            let found = under_way(kernel, &sources, &effects, first, second);
            if let Some(finding) = found.filter(|finding| !seen(findings, finding.span)) {
                findings.push(finding);
            }
        }
    }
}

fn effects(kernel: &Function) -> Vec<Effect> {
    let mut effects = Vec::new();
    walk(kernel, |id, path| {
        let touches = match kernel.op(id).op.kind {
            OpKind::Memory(memory) => !matches!(memory, MemoryOp::View | MemoryOp::Reinterpret),
            OpKind::Copy(_) | OpKind::Semaphore(_) => true,
            _ => false,
        };
        if touches {
            let is_loop = |op: OpId| {
                matches!(
                    kernel.op(op).op.kind,
                    OpKind::Control(ControlOp::For | ControlOp::While | ControlOp::Pipeline)
                )
            };
            let region = path.last().and_then(|inner| kernel.op(inner.op).regions.get(inner.region).copied());
            let repeats = path.iter().any(|enclosing| is_loop(enclosing.op));
            effects.push(Effect { op: id, region: region.unwrap_or(kernel.body), repeats });
        }
    });
    effects
}

/// The semaphore that a wait of a copy takes from.
fn waited(kernel: &Function, effect: &Effect) -> Option<ValueId> {
    let op = kernel.op(effect.op);
    match op.op.kind {
        OpKind::Copy(CopyOp::Wait) if op.attributes.flag("send") => op.operands.get(3).copied(),
        OpKind::Copy(CopyOp::Wait) => op.operands.get(2).copied(),
        _ => None,
    }
}

/// A copy that counts what was sent and what has arrived on one semaphore.
fn both_ends(kernel: &Function, sources: &Sources, effects: &[Effect], start: &Effect, again: bool) -> Option<Finding> {
    let op = kernel.op(start.op);
    let [_, _, arrived, sent, ..] = op.operands[..] else { return None };
    if !alike(kernel, arrived, sent) {
        return None;
    }
    let is_wait = |effect: &Effect| waited(kernel, effect).is_some_and(|semaphore| alike(kernel, semaphore, arrived));
    let waits: Vec<usize> = (0..effects.len()).filter(|&number| is_wait(&effects[number])).collect();
    let follow = matches!(waits[..], [first, second]
        if second == first + 1 && effects[first].region == effects[second].region);
    if waits.len() < 2 || (follow && !again && !start.repeats) {
        return None;
    }
    let name = name(kernel, sources, arrived);
    let place = kernel.location(start.op);
    let message = format!("{name} counts both what this copy has sent and what has arrived here");
    let mut finding = RULE.finding(Certainty::Possible, place.span, message);
    finding.evidence = Some(match start.repeats || again {
        true => "a neighbour that is one copy ahead satisfies the wait for what this device has sent".to_string(),
        false => "the first of the two waits is satisfied by either, whichever comes first".to_string(),
    });
    finding.help = Some(
        "give the copy two semaphores, one for what is sent and one for what arrives: \
         `scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA]`"
            .to_string(),
    );
    let wait = kernel.location(effects[waits[0]].op).span;
    if wait != place.span {
        finding.labels.push(Label { span: wait, text: "this may end too early".to_string() });
    }
    finding.called_from(&place.calls);
    Some(finding)
}

/// Two copies under way on one semaphore, of which one is used after the first wait.
fn under_way(kernel: &Function, sources: &Sources, effects: &[Effect], first: usize, second: usize) -> Option<Finding> {
    let region = effects[first].region;
    if effects[second].region != region {
        return None;
    }
    let (one, other) = (kernel.op(effects[first].op), kernel.op(effects[second].op));
    // What arrives may be used when it has, what was sent when it was sent.
    let shared = [2, 3].into_iter().find(|&end| alike(kernel, one.operands[end], other.operands[end]))?;
    let semaphore = one.operands[shared];
    let is_wait = |effect: &Effect| {
        effect.region == region && waited(kernel, effect).is_some_and(|wait| alike(kernel, wait, semaphore))
    };
    let waits: Vec<usize> = (first..effects.len()).filter(|&number| is_wait(&effects[number])).collect();
    let [wait, next, ..] = waits[..] else { return None };
    if wait < second {
        return None;
    }
    let memory = if shared == 2 { 1 } else { 0 };
    let of = |value: ValueId| origin(kernel, sources, value).map(|origin| origin.value);
    let roots = [of(one.operands[memory])?, of(other.operands[memory])?];
    let uses = effects[wait + 1..next].iter().find(|effect| {
        let op = kernel.op(effect.op);
        let touched = match op.op.kind {
            OpKind::Memory(_) => &op.operands[..1],
            OpKind::Copy(CopyOp::Start) => &op.operands[..2],
            _ => &[],
        };
        touched.iter().any(|&value| of(value).is_some_and(|root| roots.contains(&root)))
    })?;
    let place = kernel.location(effects[wait].op);
    let name = name(kernel, sources, semaphore);
    let message = format!("this wait is satisfied by either of two copies that {name} counts");
    let mut finding = RULE.finding(Certainty::Possible, place.span, message);
    finding.help =
        Some("give each copy that is under way a semaphore of its own: `pltpu.SemaphoreType.DMA((2,))`".to_string());
    let label = |op: OpId, text: &str| Label { span: kernel.location(op).span, text: text.to_string() };
    finding.labels = vec![
        label(effects[first].op, "the one"),
        label(effects[second].op, "the other"),
        label(uses.op, "used here, before both have come"),
    ];
    finding.called_from(&place.calls);
    Some(finding)
}

fn name(kernel: &Function, sources: &Sources, semaphore: ValueId) -> String {
    let root = origin(kernel, sources, semaphore).map(|origin| origin.value).unwrap_or(semaphore);
    kernel.value(root).name.as_deref().unwrap_or("one semaphore").to_string()
}
