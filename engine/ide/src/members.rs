//! What Pallas's modules offer, behind their name and a dot: `pl.`, `pltpu.`. For editors whose other servers have no JAX to
//! read; where JAX is installed, they know all of it, and more.

use crate::calls;
use crate::completion::{Completion, CompletionKind};
use crate::imports::Imports;
use pallas_engine::catalogue::{self, Member, MemberKind};
use pallas_engine::{Analysis, Span};

/// The members at a byte offset, by name.
pub fn members(analysis: &Analysis, offset: u32) -> Vec<Completion> {
    if !analysis.speaks_of_jax() {
        return Vec::new();
    }
    let text = &*analysis.source.text;
    let Some(before) = text.get(..offset as usize) else { return Vec::new() };
    let open = calls::open(text, offset as usize);
    if open.comment || open.string.is_some() {
        return Vec::new();
    }
    let word = calls::word_before(text, offset as usize);
    let start = before.len() - word.len();
    let Some(owner) = before[..start].strip_suffix('.') else { return Vec::new() };
    let owner = calls::dotted_before(owner);
    let Some(module) = Imports::new(&analysis.module).module(owner) else { return Vec::new() };
    let replaces = Span::new(analysis.source.id, start, before.len());
    let item = |member: &Member| Completion {
        label: member.name.clone(),
        replaces,
        text: member.name.clone(),
        kind: match member.kind {
            MemberKind::Function => CompletionKind::Function,
            MemberKind::Class => CompletionKind::Class,
            MemberKind::Constant => CompletionKind::Value,
        },
        detail: member.signature.clone().unwrap_or_default(),
        documentation: member.doc.clone(),
    };
    let offered = catalogue::members().iter().filter(|member| member.module == module);
    // What only older programs have is understood, not offered.
    offered.filter(|member| !pallas_engine::is_moved(module, &member.name)).map(item).collect()
}
