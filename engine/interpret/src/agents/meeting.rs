//! Agents that wait for others which do not come: who they are, and where they went another way.
//!
//! A wait and an arrival at what it waits for, in one branch or loop, are a meeting of all that go in there. Whoever takes
//! another branch, or leaves the loop sooner, is missing. Where waits and arrivals are in different branches, one side
//! produces and the other consumes: nobody is missing there, and nothing is said here.

use super::agent::{Agent, Frame, Kind};
use super::world::World;
use crate::tape::{Action, Block, Step};
use pallas_ir::{CopyOp, SemaphoreOp};
use std::iter::once;

/// How many are named before the others are only counted.
const NAMED: usize = 4;

/// A meeting to which not all come.
pub(super) struct Meeting {
    /// The agent that waits first.
    pub(super) first: usize,
    /// Those who are missing, together where they went another way at the same place.
    pub(super) away: Vec<Away>,
}

/// Agents that went another way.
pub(super) struct Away {
    who: Vec<String>,
    /// Where: a condition, or a loop.
    pub(super) location: u32,
    leaves: bool,
    /// Where the first of them waits meanwhile, in words too.
    pub(super) elsewhere: Option<(u32, String)>,
}

impl Away {
    /// `thread 1 takes another branch`
    pub(super) fn verb(&self) -> String {
        let is_one = self.who.len() == 1;
        let verb = match (self.leaves, is_one) {
            (false, true) => "takes another branch",
            (false, false) => "take another branch",
            (true, true) => "leaves the loop before",
            (true, false) => "leave the loop before",
        };
        format!("{} {verb}", self.names())
    }

    /// `does`, or `do` for several.
    pub(super) fn does(&self) -> &'static str {
        if self.who.len() == 1 { "does" } else { "do" }
    }

    fn names(&self) -> String {
        match self.who.len().checked_sub(NAMED + 1) {
            None => self.who.join(", "),
            Some(more) => format!("{} and {} others", self.who[..NAMED].join(", "), more + 1),
        }
    }
}

impl<'t> World<'t, '_> {
    /// The first meeting that somebody waits in for others.
    pub(super) fn meeting(&self) -> Option<Meeting> {
        (0..self.agents.len()).find_map(|number| {
            let away = self.missing(number)?;
            Some(Meeting { first: number, away })
        })
    }

    /// Who is missing where an agent waits.
    fn missing(&self, number: usize) -> Option<Vec<Away>> {
        let agent = &self.agents[number];
        let waits = agent.waits.as_ref()?;
        let place = waits.place?;
        let meets = |frame: &&Frame<'t>| arrives(frame.block, &waits.name);
        let together: Vec<&Frame<'t>> = agent.frames.iter().filter(meets).collect();
        let others = |of_block: bool| {
            let is_peer =
                move |other: &&Agent<'t>| other.parent == agent.parent && (!of_block || other.block == agent.block);
            self.agents.iter().filter(is_peer)
        };
        // A barrier is first of all that of a block.
        let nearest = self.barriers.contains_key(&place).then(|| self.away(waits.location, &together, others(true)));
        let away = nearest.filter(|away| !away.is_empty());
        let away = away.unwrap_or_else(|| self.away(waits.location, &together, others(false)));
        (!away.is_empty()).then_some(away)
    }

    /// Those of the others that went another way than these branches and loops, outermost first.
    fn away<'a>(
        &'a self,
        wait: u32,
        together: &[&Frame<'t>],
        others: impl Iterator<Item = &'a Agent<'t>>,
    ) -> Vec<Away> {
        let mut away: Vec<Away> = Vec::new();
        for other in others {
            if other.waits.as_ref().is_some_and(|waits| waits.location == wait) {
                continue;
            }
            let Some((location, leaves)) = together.iter().find_map(|frame| parting(other, frame)) else { continue };
            let who = self.name(other);
            match away.iter_mut().find(|known| (known.location, known.leaves) == (location, leaves)) {
                Some(known) => known.who.push(who),
                None => {
                    let waits = other.waits.as_ref().filter(|waits| waits.place.is_some());
                    let elsewhere = waits.map(|waits| (waits.location, format!("{who} waits here for {}", waits.what)));
                    away.push(Away { who: vec![who], location, leaves, elsewhere });
                }
            }
        }
        away
    }
}

/// Where an agent went another way than into a branch or loop that others are in, and whether it was a loop.
fn parting(other: &Agent<'_>, frame: &Frame<'_>) -> Option<(u32, bool)> {
    if other.frames.iter().any(|own| std::ptr::eq(own.block, frame.block)) {
        return None;
    }
    match frame.kind {
        Kind::Branch { step } => {
            let other_way = other.chosen(step.op.0)? != branch(step, frame.block)?;
            other_way.then_some((step.location, false))
        }
        Kind::For { step, .. } | Kind::Test { step, .. } | Kind::While { step, .. } => {
            other.frames.is_empty().then_some((step.location, true))
        }
        Kind::Body | Kind::Scope { .. } => None,
    }
}

/// Which branch of a condition a block is.
fn branch(step: &Step, block: &Block) -> Option<usize> {
    match &step.action {
        Action::Cond(branches) => branches.iter().position(|branch| std::ptr::eq(branch, block)),
        _ => None,
    }
}

/// Whether something in a block arrives at a barrier with a name, or signals a semaphore with it.
fn arrives(block: &Block, name: &str) -> bool {
    block.steps.iter().any(|step| match &step.action {
        Action::Agent(act) => super::stuck::arrives(act.op) && *act.name == *name,
        Action::Semaphore(semaphore) => semaphore.op == SemaphoreOp::Signal && *semaphore.name == *name,
        Action::Copy(copy) => copy.op == CopyOp::Start && copy.names.iter().any(|own| **own == *name),
        Action::For(body) | Action::Scoped(body, ..) => arrives(body, name),
        Action::While { condition, body } => once(condition).chain([body]).any(|block| arrives(block, name)),
        Action::Cond(branches) => branches.iter().any(|branch| arrives(branch, name)),
        Action::Pipeline(pipeline) => arrives(&pipeline.body, name),
        _ => false,
    })
}
