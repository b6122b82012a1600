//! What the pieces of a source are to a reader: keywords, strings, numbers and the like, read off the grammar's tree. A file
//! with mistakes has them too, since the grammar keeps the words of what it cannot place. Picks no colours.

use crate::document::python_parser;
use crate::span::SourceFile;
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// What a piece of source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `# why`
    Comment,
    /// Text in quotes, with its prefix; in f-strings without what is computed.
    String,
    /// `1.5e3`
    Number,
    /// A word that Python keeps for itself, `None`, `True` and `False` among them; soft ones where they are meant.
    Keyword,
    /// `@jax.jit`, as far as its name.
    Decorator,
    /// The name after `def` or `class`.
    Definition,
    /// The name that is called.
    Call,
}

/// The pieces of a source that have a class, in order and apart from each other.
pub fn highlight(source: &SourceFile) -> Vec<(Range<usize>, Class)> {
    let mut pieces = Vec::new();
    if let Some(tree) = python_parser().parse(&*source.text, None) {
        let mut cursor = tree.walk();
        // Depth is the source's to choose: a loop over the cursor, not a call for each level.
        loop {
            let enters = visit(&cursor, &mut pieces);
            if enters && cursor.goto_first_child() || cursor.goto_next_sibling() {
                continue;
            }
            loop {
                if !cursor.goto_parent() {
                    return pieces;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }
    pieces
}

/// Takes in the node at the cursor, and says whether what is inside of it is to be looked at.
fn visit(cursor: &TreeCursor<'_>, pieces: &mut Vec<(Range<usize>, Class)>) -> bool {
    let node = cursor.node();
    let class = match node.kind() {
        "comment" => Class::Comment,
        // Of a string its parts: what an f-string computes is code.
        "string_start" | "string_content" | "string_end" => {
            return string(node, pieces);
        }
        "integer" | "float" => Class::Number,
        "none" | "true" | "false" => Class::Keyword,
        "@" => {
            if node.parent().is_some_and(|parent| parent.kind() == "decorator") {
                push(node.byte_range(), Class::Decorator, pieces);
            }
            return false;
        }
        "identifier" => match name(cursor, node) {
            Some(class) => class,
            None => return false,
        },
        kind if !node.is_named() && kind.starts_with(|c: char| c.is_ascii_alphabetic()) => Class::Keyword,
        _ => return true,
    };
    push(node.byte_range(), class, pieces);
    false
}

/// A part of a string. An escape is inside of its content, an interpolation too: it is left out.
fn string(node: Node<'_>, pieces: &mut Vec<(Range<usize>, Class)>) -> bool {
    push(node.byte_range(), Class::String, pieces);
    false
}

/// Adds a piece; one that goes on where the last of its class ends becomes part of that.
fn push(range: Range<usize>, class: Class, pieces: &mut Vec<(Range<usize>, Class)>) {
    match pieces.last_mut() {
        Some((last, of)) if *of == class && last.end == range.start => last.end = range.end,
        _ if range.is_empty() => {}
        _ => pieces.push((range, class)),
    }
}

/// What a name is, by where it stands.
fn name(cursor: &TreeCursor<'_>, node: Node<'_>) -> Option<Class> {
    let parent = node.parent()?;
    match (parent.kind(), cursor.field_name()) {
        ("function_definition" | "class_definition", Some("name")) => Some(Class::Definition),
        ("call", Some("function")) => called(parent),
        ("attribute", field) => {
            // `jax.jit` of `@jax.jit`, and `dot` of `jnp.dot(...)`.
            let mut outer = parent;
            while let Some(above) = outer.parent().filter(|above| above.kind() == "attribute") {
                outer = above;
            }
            let above = outer.parent()?;
            let is_function = above.child_by_field_name("function").is_some_and(|function| function == outer);
            match above.kind() {
                "decorator" => Some(Class::Decorator),
                "call" if is_function && above.parent().is_some_and(|up| up.kind() == "decorator") => {
                    Some(Class::Decorator)
                }
                "call" if is_function && field == Some("attribute") && outer == parent => Some(Class::Call),
                _ => None,
            }
        }
        ("decorator", _) => Some(Class::Decorator),
        _ => None,
    }
}

/// The name of a call; of a decorator's call it is part of the decorator.
fn called(call: Node<'_>) -> Option<Class> {
    let decorates = call.parent().is_some_and(|above| above.kind() == "decorator");
    Some(if decorates { Class::Decorator } else { Class::Call })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    fn classes(text: &str) -> Vec<(String, Class)> {
        let pieces = highlight(&SourceFile::new(FileId(0), "k.py", text));
        assert!(pieces.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "{pieces:?}");
        pieces.into_iter().map(|(range, class)| (text[range].to_string(), class)).collect()
    }

    fn of(text: &str, class: Class) -> Vec<String> {
        classes(text).into_iter().filter(|(_, of)| *of == class).map(|(text, _)| text).collect()
    }

    #[test]
    fn pieces_of_python() {
        let text = "@jax.jit\ndef f(x):  # why\n  return x @ 1.5e3 + jnp.sum(len(r'a\\'b'))\n";
        let expected = [
            ("@", Class::Decorator),
            ("jax", Class::Decorator),
            ("jit", Class::Decorator),
            ("def", Class::Keyword),
            ("f", Class::Definition),
            ("# why", Class::Comment),
            ("return", Class::Keyword),
            ("1.5e3", Class::Number),
            ("sum", Class::Call),
            ("len", Class::Call),
            ("r'a\\'b'", Class::String),
        ];
        let mut found = classes(text);
        // `@jax` may be one piece or two.
        if found[0].0 == "@jax" {
            found.splice(0..1, [("@".to_string(), Class::Decorator), ("jax".to_string(), Class::Decorator)]);
        }
        assert_eq!(found, expected.map(|(text, class)| (text.to_string(), class)));
    }

    #[test]
    fn what_an_f_string_computes_is_code() {
        let text = "print(f'{len(x)} of {y!r:>{width}} left')";
        assert!(of(text, Class::Call).contains(&"len".to_string()), "{:?}", classes(text));
        assert!(of(text, Class::String).iter().any(|piece| piece.contains(" of ")));
        assert!(!of(text, Class::String).iter().any(|piece| piece.contains("len")));
    }

    #[test]
    fn soft_keywords_are_keywords_where_they_are_meant() {
        assert_eq!(of("match = 1\nmatch x:\n  case 1:\n    pass\n", Class::Keyword), ["match", "case", "pass"]);
    }

    #[test]
    fn a_file_with_mistakes_has_classes_too() {
        let words = of("def f(x:\n  return (1,\nfor y in range(3): # c\n", Class::Keyword);
        assert!(["def", "return", "for", "in"].iter().all(|word| words.contains(&word.to_string())), "{words:?}");
        for text in ["", "é", "→ x", "\u{0}\"", "f", "@", "1_", "'''", "ünicode = 'ü'", "((((((("] {
            classes(text);
        }
    }

    #[test]
    fn no_depth_is_too_much() {
        assert_eq!(of(&format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000)), Class::Number), ["1"]);
    }
}
