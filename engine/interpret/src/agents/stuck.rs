//! What is said when nobody can go on: who waits for what, and who should have signalled.

use super::agent::Agent;
use super::meeting::Away;
use super::world::World;
use crate::error::{Others, RunError, RunErrorKind};
use crate::tape::{Action, Block};
use pallas_ir::function::Location;
use pallas_ir::{AgentOp, CopyOp, SemaphoreOp};
use std::fmt::Write;

/// The most places that are told besides the first.
const MOST_OTHERS: usize = 4;

impl World<'_, '_> {
    /// The error of agents that all wait.
    pub(crate) fn deadlock(&self) -> RunError {
        let waiting: Vec<&Agent<'_>> = self.agents.iter().filter(|agent| agent.waits.is_some()).collect();
        let mut lines: Vec<String> = Vec::new();
        let mut places = Vec::new();
        for agent in &waiting {
            let Some(waits) = &agent.waits else { continue };
            if waits.place.is_none() {
                continue;
            }
            let line = format!("{} waits for {}", self.name(agent), waits.what);
            // Threads that wait for the same are one; devices are told apart.
            if lines.len() < 8 && !lines.contains(&line) {
                lines.push(line);
            }
            places.extend(waits.place);
        }
        let mut message = format!("deadlock: {}", lines.join("; "));
        let names: Vec<String> = self.names_of(&places);
        let signals = signalling(&self.tape.body, &names);
        let absent = self.absent();
        let meeting = if absent.is_empty() { self.meeting() } else { None };
        match signals {
            _ if !absent.is_empty() => {
                message = message.replacen("deadlock", "collective mismatch", 1);
                let plural = if absent.len() == 1 { "does" } else { "do" };
                let _ = write!(
                    message,
                    ". {} {plural} not come to this launch: another branch is taken there, or a loop left before",
                    absent.join(", ")
                );
            }
            _ if meeting.is_some() => message = message.replacen("deadlock", "collective mismatch", 1),
            0 => message.push_str(". Nothing in the kernel arrives there"),
            _ => message.push_str(". Whoever would arrive there has ended, waits itself, or has taken another branch"),
        }
        for away in meeting.iter().flat_map(|meeting| &meeting.away) {
            let place = self.tape.locations.get(away.location as usize).and_then(|place| self.hooks.place(place));
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            let _ = write!(message, ". {}{place}, and {} not come there", away.verb(), away.does());
        }
        let mut error = RunError::new(match &meeting {
            _ if !absent.is_empty() => RunErrorKind::Absent(message),
            Some(_) => RunErrorKind::Missing(message),
            None => RunErrorKind::Deadlock(message),
        });
        let location = |number: u32| self.tape.locations.get(number as usize);
        let waits_there = |agent: &&&Agent<'_>| agent.waits.as_ref().is_some_and(|waits| waits.place.is_some());
        let first = match &meeting {
            Some(meeting) => self.agents.get(meeting.first),
            None => waiting.iter().find(waits_there).copied(),
        };
        let at = first.and_then(|agent| location(agent.waits.as_ref()?.location));
        let places = match (&meeting, first.and_then(|agent| agent.waits.as_ref())) {
            (Some(meeting), _) => {
                let places = |away: &Away| [Some((away.location, away.verb() + " here")), away.elsewhere.clone()];
                let places = meeting.away.iter().flat_map(places).flatten();
                places.filter_map(|(at, text)| Some((location(at)?.clone(), text))).collect()
            }
            (None, Some(waits)) => self.others(&waiting, waits.location),
            (None, None) => Vec::new(),
        };
        if !places.is_empty() {
            error.others = Some(Box::new(Others { places }));
        }
        let error = match at {
            Some(location) => error.at(pallas_ir::OpId(0), location),
            None => error,
        };
        match first.or(waiting.first().copied()) {
            Some(agent) => error.in_program(&agent.ids),
            None => error,
        }
    }

    /// Where else somebody waits, and where somebody would arrive or signal.
    fn others(&self, waiting: &[&Agent<'_>], first: u32) -> Vec<(Location, String)> {
        let mut told: Vec<u32> = vec![first];
        let mut others = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        let mut tell = |location: u32, words: String| {
            if !told.contains(&location) && others.len() < MOST_OTHERS {
                told.push(location);
                others.extend(self.tape.locations.get(location as usize).map(|place| (place.clone(), words)));
            }
        };
        for agent in waiting {
            let Some(waits) = agent.waits.as_ref().filter(|waits| waits.place.is_some()) else { continue };
            tell(waits.location, format!("{} waits here", self.name(agent)));
            if !waits.name.is_empty() && !names.contains(&&*waits.name) {
                names.push(&waits.name);
            }
        }
        let mut reached = Vec::new();
        reaching(&self.tape.body, &names, &mut reached);
        for (location, words) in reached {
            tell(location, words);
        }
        others
    }

    /// Devices that do not take part in the launch.
    fn absent(&self) -> Vec<String> {
        self.sequence.as_ref().map_or_else(Vec::new, |sequence| sequence.absent(self.memory))
    }

    fn names_of(&self, places: &[crate::semaphores::Place]) -> Vec<String> {
        let mut names: Vec<String> = places
            .iter()
            .filter_map(|place| self.barriers.get(place))
            .map(|barrier| barrier.name.to_string())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// `thread 1 of block (0, 2)`, and of which device where there are several.
    pub(crate) fn name(&self, agent: &Agent<'_>) -> String {
        if let Some(sequence) = &self.sequence {
            return sequence.who(agent.block);
        }
        let thread = match agent.thread.warp {
            Some(warp) => format!("warp {warp} of thread {}", agent.thread.number),
            None => format!("thread {}", agent.thread.number),
        };
        match self.owner(agent).as_str() {
            "" => thread,
            owner => format!("{thread} of {owner}"),
        }
    }

    /// Whose memory an agent has: `block (0, 2) of device 1`, or whatever of it tells it from others.
    pub(crate) fn owner(&self, agent: &Agent<'_>) -> String {
        let threads = self.topology.threads_axis();
        let ids: Vec<String> = agent.ids.iter().take(threads).skip(self.devices.axes()).map(usize::to_string).collect();
        let mut parts = Vec::new();
        if !ids.is_empty() {
            parts.push(format!("block ({})", ids.join(", ")));
        }
        match self.devices.place(self.devices.of(agent.block)).as_slice() {
            [] => {}
            [device] => parts.push(format!("device {device}")),
            place => {
                let place: Vec<String> = place.iter().map(usize::to_string).collect();
                parts.push(format!("device ({})", place.join(", ")));
            }
        }
        parts.join(" of ")
    }
}

/// The ops that arrive at barriers or signal semaphores with one of these names.
fn reaching(block: &Block, names: &[&str], reached: &mut Vec<(u32, String)>) {
    let known = |name: &str| names.contains(&name);
    let plain = |name: &str| {
        let array = ["a barrier of ", "a semaphore of "].iter().find_map(|prefix| name.strip_prefix(prefix));
        array.unwrap_or(name).to_string()
    };
    for step in &block.steps {
        match &step.action {
            Action::Agent(act) if arrives(act.op) && known(&act.name) => {
                reached.push((step.location, format!("this arrives at {}, where it is reached", plain(&act.name))));
            }
            Action::Semaphore(semaphore) if semaphore.op == SemaphoreOp::Signal && known(&semaphore.name) => {
                reached.push((step.location, format!("this signals {}, where it is reached", plain(&semaphore.name))));
            }
            Action::Copy(copy) if copy.op == CopyOp::Start && copy.names.iter().any(|name| known(name)) => {
                let names: Vec<String> = copy.names.iter().filter(|name| known(name)).map(|name| plain(name)).collect();
                reached.push((step.location, format!("this copy counts at {}, where it is reached", names[0])));
            }
            Action::For(body) | Action::Scoped(body, ..) => reaching(body, names, reached),
            Action::While { condition, body } => {
                reaching(condition, names, reached);
                reaching(body, names, reached);
            }
            Action::Cond(branches) => branches.iter().for_each(|branch| reaching(branch, names, reached)),
            _ => {}
        }
    }
}

/// Whether an op arrives at the barrier, or signals the semaphore, that it names.
pub(super) fn arrives(op: AgentOp) -> bool {
    matches!(
        op,
        AgentOp::Arrive
            | AgentOp::CopyIn
            | AgentOp::Mma
            | AgentOp::MmaCommit
            | AgentOp::StoreAcross
            | AgentOp::SignalEverywhere
            | AgentOp::Cancel
    )
}

/// How many ops arrive at barriers with one of these names.
fn signalling(block: &Block, names: &[String]) -> usize {
    let mut count = 0;
    for step in &block.steps {
        match &step.action {
            Action::Agent(act) => {
                count += usize::from(arrives(act.op) && names.iter().any(|name| **name == *act.name));
            }
            Action::Semaphore(_) | Action::Copy(_) => count += 1,
            Action::For(body) | Action::Scoped(body, ..) => count += signalling(body, names),
            Action::While { condition, body } => count += signalling(condition, names) + signalling(body, names),
            Action::Cond(branches) => {
                count += branches.iter().map(|branch| signalling(branch, names)).sum::<usize>();
            }
            _ => {}
        }
    }
    count
}
