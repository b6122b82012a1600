//! The signature of the Pallas call that is being typed, with the parameter at the cursor.

use crate::calls;
use crate::imports::Imports;
use pallas_engine::Analysis;

/// A signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// `pl.BlockSpec(block_shape=None, index_map=None)`
    pub label: String,
    /// Where the parameters stand in the label, in bytes.
    pub parameters: Vec<(usize, usize)>,
    /// The parameter at the cursor.
    pub active: Option<usize>,
    /// One line; may be empty.
    pub documentation: String,
}

/// The signature at a byte offset.
pub fn signature_help(analysis: &Analysis, offset: u32) -> Option<SignatureHelp> {
    if !analysis.speaks_of_jax() {
        return None;
    }
    let open = calls::open(&analysis.source.text, offset as usize);
    if open.comment {
        return None;
    }
    let imports = Imports::new(&analysis.module);
    // The innermost call; brackets without a name (a tuple, a list) belong to the call around them.
    let frame = open.frames.iter().rev().find(|frame| frame.callee.is_some())?;
    let callee = frame.callee?;
    let member = imports.member(callee)?;
    // A constant or a class without parameters has none to show.
    member.signature.as_ref()?;
    let known = member.parameters();
    let mut label = format!("{callee}(");
    let mut parameters = Vec::new();
    let mut only = false;
    for (number, parameter) in known.iter().enumerate() {
        if number > 0 {
            label.push_str(", ");
        }
        if parameter.keyword_only && !only {
            label.push_str("*, ");
            only = true;
        }
        parameters.push((label.len(), label.len() + parameter.text.len()));
        label.push_str(&parameter.text);
    }
    label.push(')');
    let active = match frame.keyword() {
        Some(keyword) => known.iter().position(|parameter| parameter.name == keyword),
        None => {
            let number = frame.positional().count();
            known.get(number).filter(|parameter| !parameter.keyword_only).map(|_| number)
        }
    };
    Some(SignatureHelp { label, parameters, active, documentation: member.doc.clone() })
}
