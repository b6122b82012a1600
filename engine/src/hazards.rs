//! What a run shows of accesses that race, and of copies that nobody waited for, as findings.

use pallas_check::rules;
use pallas_interpret::{EngineKind, Hazard, MissingEdge, RacingAccess};
use pallas_ir::{Certainty, CopyOp, Finding, Label, Launch, OpData, OpKind};
use pallas_syntax::Span;

/// The finding: at the later access, or at the copy.
pub(crate) fn finding(hazard: &Hazard) -> Finding {
    match hazard {
        Hazard::Unawaited { location, who } => {
            let mut finding = rules::COPY_NEVER_AWAITED.finding(
                Certainty::Found,
                location.span,
                format!("{who} ends while this copy may still be reading its source"),
            );
            finding.help = Some(
                "end with `plgpu.wait_smem_to_gmem(0)`, or with `wait_read_only=True` if nothing reads the result here"
                    .to_string(),
            );
            finding
        }
        Hazard::Early { location, who, other, is_copy } => {
            let verb = if *is_copy { "copies to" } else { "signals" };
            let message = format!(
                "{who} {verb} {other}, which may not have begun the kernel: no signal that was waited for comes from there"
            );
            let mut finding = rules::REMOTE_WRITE_WITHOUT_BARRIER.finding(Certainty::Found, location.span, message);
            finding.help = Some(rules::MEETING_HELP.to_string());
            finding
        }
        Hazard::Unwritten { name, access } => {
            let message = match access.engine {
                Some(EngineKind::Copy | EngineKind::Reduction) => {
                    format!("this copy reads {name}, which nobody has written")
                }
                Some(EngineKind::Product) => format!("this product reads {name}, which nobody has written"),
                _ => format!("this reads {name}, which nobody has written"),
            };
            let mut finding = rules::GPU_READ_BEFORE_WRITE.finding(Certainty::Found, access.location.span, message);
            finding.evidence = Some(format!("{} reads{}", made_by(access), part(access, name)));
            finding.help = Some(match access.engine {
                Some(EngineKind::Product) => {
                    "fill a factor before, by a copy that is waited for or by a store; let the first product replace what an \
                     accumulator holds: `accumulate=False`, or `accumulate=(step > 0)`"
                        .to_string()
                }
                _ => "fill it before: by a copy that is waited for, or by a store".to_string(),
            });
            finding
        }
        Hazard::Race { name, accesses, missing, on_chip } => {
            let [first, second] = &**accesses;
            let rule = match missing {
                MissingEdge::Commit => &rules::WRITE_NOT_COMMITTED,
                // What an engine still reads, or is about to be filled by one, is a slot.
                MissingEdge::Wait | MissingEdge::Order
                    if *on_chip && !first.writes && second.writes && is_slot(first, second) =>
                {
                    &rules::SLOT_OVERWRITTEN
                }
                _ => &rules::DATA_RACE,
            };
            let (verb, noun) = (action(second), action(first));
            let other = match (first.location.span == second.location.span, missing) {
                (true, MissingEdge::Programs) => "the same of another program".to_string(),
                (true, _) if first.who != second.who => format!("the same of {}", first.who),
                (true, _) => "itself, one time and the next".to_string(),
                (false, _) => noun_of(first, noun),
            };
            let message = format!("{} races with {other}", verb_of(second, name, verb));
            let mut finding = rule.finding(Certainty::Found, second.location.span, message);
            if first.location.span != second.location.span {
                let text = format!("{} {}{} here", made_by(first), action(first), part(first, name));
                finding.labels.push(Label { span: first.location.span, text });
            }
            finding.evidence = Some(format!(
                "{} {}{}; {} {}{}",
                made_by(first),
                action(first),
                part(first, name),
                made_by(second),
                action(second),
                part(second, name)
            ));
            finding.help = Some(advice(first, second, *missing));
            finding
        }
    }
}

/// Whether an engine copies or multiplies on either side.
fn is_slot(first: &RacingAccess, second: &RacingAccess) -> bool {
    let moves = |access: &RacingAccess| {
        matches!(access.engine, Some(EngineKind::Copy | EngineKind::Reduction | EngineKind::Product))
    };
    moves(first) || moves(second)
}

fn action(access: &RacingAccess) -> &'static str {
    if access.writes { "writes" } else { "reads" }
}

/// ` x_gmem[0, 0:64] of device 3`
fn part(access: &RacingAccess, name: &str) -> String {
    let owner = [" of device ", " of core "].iter().filter_map(|of| name.find(of)).min().unwrap_or(name.len());
    let (name, owner) = name.split_at(owner);
    format!(" {name}{}{owner}", access.part)
}

/// `this copy writes x_smem and`
fn verb_of(access: &RacingAccess, name: &str, verb: &str) -> String {
    let whole = |what: &str| format!("this {what}, which {verb} {name},");
    match access.engine {
        Some(EngineKind::Copy | EngineKind::Reduction) => whole("copy"),
        Some(EngineKind::Product) => whole("product"),
        Some(EngineKind::Store | EngineKind::TensorMemory) | None => match access.writes {
            true => format!("this write to {name}"),
            false => format!("this read of {name}"),
        },
    }
}

fn noun_of(access: &RacingAccess, verb: &str) -> String {
    match access.engine {
        Some(EngineKind::Copy | EngineKind::Reduction) => format!("a copy that {verb} it"),
        Some(EngineKind::Product) => format!("a product that {verb} it"),
        _ => match access.writes {
            true => "a write to it".to_string(),
            false => "a read of it".to_string(),
        },
    }
}

/// `thread 1`, `a copy that thread 1 started`
fn made_by(access: &RacingAccess) -> String {
    match access.engine {
        Some(EngineKind::Copy | EngineKind::Reduction) => format!("a copy that {} started", access.who),
        Some(EngineKind::Product) => format!("a product that {} started", access.who),
        _ => access.who.clone(),
    }
}

fn advice(first: &RacingAccess, second: &RacingAccess, missing: MissingEdge) -> String {
    match (missing, first.engine) {
        (MissingEdge::Programs, _) => {
            "programs of a grid run in any order or at the same time: give each elements of its \
                                       own, or combine them atomically"
                .to_string()
        }
        (MissingEdge::Commit, _) => {
            "engines do not see what threads have written to shared memory: call `plgpu.commit_smem()` between the two"
                .to_string()
        }
        (MissingEdge::Wait, Some(EngineKind::TensorMemory)) => match first.writes {
            true => "wait for stores to tensor memory before: `plgpu.commit_tmem()`".to_string(),
            false => "wait for loads of tensor memory before: `plgpu.wait_load_tmem()`".to_string(),
        },
        (MissingEdge::Wait, Some(EngineKind::Product)) => {
            "wait for the product before: `plgpu.wgmma_wait`, or the barrier that `tcgen05_commit_arrive` arrives at"
                .to_string()
        }
        (MissingEdge::Wait, Some(EngineKind::Copy | EngineKind::Reduction)) => {
            "wait for the copy before: `copy.wait()`, its barrier or semaphore, or `plgpu.wait_smem_to_gmem`"
                .to_string()
        }
        _ => format!(
            "let {} arrive at a barrier or signal a semaphore after its access, and {} wait for it before its own",
            first.who, second.who
        ),
    }
}

/// What to do about a race with a copy that is waited for, on a semaphore that counts others of the launch, too: the wait was
/// satisfied by one of those.
pub(crate) fn counted_together(launch: &Launch, finding: &Finding) -> Option<String> {
    if finding.code != rules::DATA_RACE.code {
        return None;
    }
    let kernel = &launch.kernel;
    let is_named = |span: Span| span == finding.span || finding.labels.iter().any(|label| label.span == span);
    let copies =
        |kind: CopyOp| kernel.ops.iter().filter(move |op| matches!(op.op.kind, OpKind::Copy(of) if of == kind));
    let raced = copies(CopyOp::Start).find(|op| is_named(kernel.locations[op.location.0 as usize].span))?;
    let semaphore = *raced.operands.get(2)?;
    // One of an array of semaphores may be another each time.
    if kernel.definition(semaphore).is_some() {
        return None;
    }
    let started = copies(CopyOp::Start).filter(|op| op.operands.get(2) == Some(&semaphore)).count();
    // A neighbour may be a program ahead.
    let comes_again =
        raced.attributes.flag("remote") && launch.grid[launch.device_axes()..].iter().any(|&extent| extent > 1);
    let waits = |op: &&OpData| op.operands.get(2) == Some(&semaphore) && !op.attributes.flag("send");
    if !copies(CopyOp::Wait).any(|op| waits(&op)) || started < 2 && !comes_again {
        return None;
    }
    let name = kernel.value(semaphore).name.as_deref().unwrap_or("one semaphore");
    Some(format!(
        "{name} counts several copies that may be under way at the same time, and a wait for one ends with whichever comes first: give \
         each a semaphore of its own, `pltpu.SemaphoreType.DMA((2,))` and `{name}.at[slot]`; else wait for all of them before"
    ))
}
