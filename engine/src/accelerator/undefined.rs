//! What a launch on an accelerator leaves to memory that nobody has written and to what lies past the end of an array: found as a
//! strict run finds it in interpret mode, by running again with other garbage. Kernels are not instrumented for it, so that what
//! runs is what runs otherwise; only where something is found, stores to one element are noted, to say which brought it there.

use super::told::ids;
use pallas_interpret::{Cause, LaunchPlan, Undefined, alike, differing};
use pallas_ir::{Launch, Location, Role};
use pallas_simt::{Garbage, Initial, Stored, Watched, initial_with, other};
use pallas_tensor::Array;

/// A run of a launch with other garbage.
pub(super) struct Trial {
    pub(super) outputs: Vec<Array>,
    /// What was stored to the element that was watched, in order.
    pub(super) stores: Vec<Stored>,
}

/// Runs the launch again with this garbage, and watches an element.
pub(super) type Again<'a> = &'a mut dyn FnMut(Garbage, Option<Watched>) -> Option<Trial>;

/// What a launch left undefined that gave these outputs. What cannot be run again is not known.
pub(super) fn undefined(launch: &Launch, inputs: &[Array], outputs: &[Array], again: Again<'_>) -> Vec<Undefined> {
    // Nothing is proved of what warpgroups hand each other, however they are interpreted.
    if !launch.has_agents() && !LaunchPlan::new(launch).is_ok_and(|plan| plan.may_leak()) {
        return Vec::new();
    }
    let Some(others) = again(Garbage::EVERYWHERE, None) else { return Vec::new() };
    let differ = |others: &Trial| -> Vec<bool> {
        let pairs = outputs.iter().zip(&others.outputs);
        pairs.map(|(output, other)| differing(output, other).is_some()).collect()
    };
    let suspects = differ(&others);
    if !suspects.contains(&true) {
        return Vec::new();
    }
    // Sums in no certain order give other digits each time.
    let Some(same) = again(Garbage::default(), None) else { return Vec::new() };
    let uncertain = differ(&same);
    let beyond = again(Garbage { padding: true, ..Garbage::default() }, None);
    let padding = beyond.as_ref().map_or(vec![false; suspects.len()], differ);
    let mut found = Vec::new();
    for (position, (number, operand)) in launch.with_role(Role::Output).enumerate() {
        let is = |flags: &[bool]| flags.get(position).copied().unwrap_or(false);
        let pair = outputs.get(position).zip(others.outputs.get(position)).filter(|_| !is(&uncertain));
        let Some((output, other_output)) = pair else { continue };
        let Some((element, count)) = differing(output, other_output) else { continue };
        let at = element.iter().zip(&output.shape().strides()).map(|(place, stride)| place * stride).sum();
        let watched = Watched { operand: number, element: at };
        let kept = other_output.get(at).is_some_and(|value| alike(value, other(other_output.dtype())));
        let before = |garbage| before(launch, watched, inputs, garbage);
        let store = brings(watched, &before, again).map(|store| {
            let locations = &launch.kernel.locations;
            let known = locations.iter().find(|location| location.span == store.span).cloned();
            let location = known.unwrap_or(Location { span: store.span, calls: Vec::new() });
            (location, ids(launch, store.program))
        });
        let name = operand.name.to_string();
        let cause = if is(&padding) { Cause::Padding } else { Cause::Memory };
        found.push(Undefined { name, element, count, cause, kept, store });
    }
    found
}

/// What an element of an output holds before the launch.
fn before(launch: &Launch, watched: Watched, inputs: &[Array], garbage: Garbage) -> Option<u64> {
    match initial_with(launch, watched.operand, garbage) {
        Initial::CopyOf(input) => inputs.get(input)?.get(watched.element).map(Stored::bits),
        Initial::Fill(value) => Some(Stored::bits(value)),
        Initial::Given | Initial::GivenInPairs => None,
    }
}

/// The first store that brings garbage to an element: it differs with the garbage, and changes the element with some.
fn brings(watched: Watched, before: &dyn Fn(Garbage) -> Option<u64>, again: Again<'_>) -> Option<Stored> {
    // Where what is stored is as undefined as what was there, it changes something where the two are not alike.
    let elsewhere = Garbage { outputs: false, ..Garbage::EVERYWHERE };
    let mut runs = Vec::new();
    for garbage in [Garbage::default(), Garbage::EVERYWHERE, elsewhere] {
        runs.push((before(garbage), again(garbage, Some(watched))?.stores));
    }
    let count = runs.iter().map(|(_, stores)| stores.len()).min().unwrap_or(0);
    (0..count).find_map(|number| {
        let changes = runs.iter().any(|(before, stores)| {
            let held = number.checked_sub(1).map_or(*before, |last| Some(stores[last].bits));
            held != Some(stores[number].bits)
        });
        let store = runs[0].1[number];
        (store.bits != runs[1].1[number].bits && changes).then_some(store)
    })
}
