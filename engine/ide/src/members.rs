//! What Pallas's modules offer, behind their name and a dot: `pl.`, `pltpu.`. For editors whose other servers have no JAX to
//! read; where JAX is installed, they know all of it, and more.

use crate::calls;
use crate::completion::{Completion, CompletionKind};
use crate::cursor::Cursor;
use crate::imports::Imports;
use pallas_engine::Analysis;
use pallas_engine::catalogue::{self, Member, MemberKind};

/// The members at a byte offset, by name.
pub fn members(analysis: &Analysis, offset: u32) -> Vec<Completion> {
    let Some(cursor) = Cursor::at(analysis, offset).filter(|cursor| cursor.open.string.is_none()) else {
        return Vec::new();
    };
    let Some(owner) = cursor.owner().map(calls::dotted_before) else { return Vec::new() };
    let Some(module) = Imports::new(&analysis.module).module(owner) else { return Vec::new() };
    let item = |member: &Member| Completion {
        label: member.name.clone(),
        replaces: cursor.replaces,
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
