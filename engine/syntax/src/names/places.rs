//! Where a name stands that the tree knows without its place: behind `as`, behind a star in a pattern, in `global a, b`.

use crate::span::{SourceFile, Span};
use crate::token::{Token, TokenKind, tokens};

/// The name tokens of a part of the text that are `name`, each with the token before it.
fn occurrences<'a>(source: &'a SourceFile, within: Span, name: &'a str) -> Vec<(Option<&'a str>, Span)> {
    let text = &*source.text;
    let (start, end) = (within.start as usize, (within.end as usize).min(text.len()));
    let all: Vec<Token> = tokens(text, start.min(end), end);
    let mut found = Vec::new();
    for (index, token) in all.iter().enumerate() {
        if token.kind == TokenKind::Name && token.text(text) == name {
            let before = index.checked_sub(1).map(|before| all[before].text(text));
            found.push((before, Span::new(source.id, token.start, token.end)));
        }
    }
    found
}

/// The first mention of a name.
pub(super) fn first(source: &SourceFile, within: Span, name: &str) -> Option<Span> {
    occurrences(source, within, name).first().map(|(_, span)| *span)
}

/// The mention of a name behind one of these words or signs.
pub(super) fn behind(source: &SourceFile, within: Span, signs: &[&str], name: &str) -> Option<Span> {
    let all = occurrences(source, within, name);
    all.into_iter().find(|(before, _)| before.is_some_and(|before| signs.contains(&before))).map(|(_, span)| span)
}
