//! What comments and docstrings say of an array: `q: jax.Array,  # bf16[tokens, heads, 128]`, or `q: Queries, [batch, heads, 128].`
//! among the arguments of a docstring. Reads text; what a dimension's name or formula comes to is said elsewhere ([`super::dims`]).

use pallas_tensor::DType;

/// An array as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Described {
    /// Its dimensions as they are written: `128`, `head_dim`, `max_num_seqs + 1`.
    pub(super) dims: Vec<String>,
    /// Its dtype, where it is said.
    pub(super) dtype: Option<DType>,
}

/// More dimensions are no shape.
const MOST_DIMS: usize = 6;
/// So far behind a parameter's name its shape is looked for, in characters.
const NEAR: usize = 160;

/// By the comment behind a parameter: the first of `text`, which reaches from the parameter to what follows it.
pub(super) fn comment(text: &str) -> Option<Described> {
    let line = text[text.find('#')? + 1..].lines().next()?;
    shape(line)
}

/// By the docstring: the shape soon after `name:`.
pub(super) fn docstring(text: &str, name: &str) -> Option<Described> {
    let is_whole = |at: &usize| !text[..*at].ends_with(is_word) && text[at + name.len()..].starts_with(':');
    let at = text.match_indices(name).map(|(at, _)| at).find(is_whole)? + name.len();
    let rest = &text[at + 1..];
    let end = rest.char_indices().nth(NEAR).map_or(rest.len(), |(end, _)| end);
    // The next parameter's description is not this one's.
    shape(rest[..end].split(":\n").next()?)
}

/// The first shape of a text, in brackets, or in parentheses if there are several dimensions.
fn shape(text: &str) -> Option<Described> {
    let open = text.find(['[', '('])?;
    let is_bracket = text[open..].starts_with('[');
    let length = closing(&text[open..])?;
    let (inside, behind) = (&text[open + 1..open + length], &text[open + length + 1..]);
    let dims: Vec<String> =
        top_level(inside).into_iter().map(str::trim).filter(|dim| !dim.is_empty()).map(str::to_string).collect();
    let is_shape = !dims.is_empty() && dims.len() <= MOST_DIMS && dims.iter().all(|dim| is_dim(dim));
    if !is_shape || !(is_bracket || dims.len() > 1 || inside.trim_end().ends_with(',')) {
        return None;
    }
    let before = text[..open].rsplit(|c: char| !is_word(c)).next().unwrap_or("");
    let after = behind.trim_start_matches([' ', ',', '`', ':', '.']).split(|c: char| !is_word(c)).next().unwrap_or("");
    Some(Described { dims, dtype: dtype(before).or_else(|| dtype(after)) })
}

/// Where what opens with the first character closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The parts between commas that stand in no parentheses.
fn top_level(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A number, a name, or a formula; not a phrase of two words.
fn is_dim(text: &str) -> bool {
    let is_part = |c: char| is_word(c) || " +-*/(),.".contains(c);
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_phrase = words.windows(2).any(|pair| pair.iter().all(|word| word.chars().all(is_word)));
    text.len() < 60 && text.chars().all(is_part) && text.chars().any(is_word) && !is_phrase
}

/// A dtype by numpy's name, or as jaxprs print it.
pub(super) fn dtype(word: &str) -> Option<DType> {
    DType::all().find(|dtype| dtype.name() == word || dtype.short_name() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(dims: &[&str], dtype: Option<DType>) -> Option<Described> {
        Some(Described { dims: dims.iter().map(|dim| dim.to_string()).collect(), dtype })
    }

    #[test]
    fn docstrings_say_shapes() {
        let text = "Attention.\n\nArgs:\n  q: Queries, [batch, heads, n, 64].\n  scale: a factor (optional, if given)\n  \
                    s: ``i32[n + 1]``, (a, b) pairs\n  x: (tokens, dim), bfloat16\n  y: a value (optional)\n";
        assert_eq!(docstring(text, "q"), described(&["batch", "heads", "n", "64"], None));
        assert_eq!(docstring(text, "s"), described(&["n + 1"], Some(DType::I32)));
        assert_eq!(docstring(text, "x"), described(&["tokens", "dim"], Some(DType::BF16)));
        assert_eq!(docstring(text, "scale"), None);
        assert_eq!(docstring(text, "y"), None);
        assert_eq!(docstring(text, "k"), None);
    }

    #[test]
    fn comments_say_shapes() {
        assert_eq!(comment(",  # [tokens, heads_x2 // packing, align_to(d, 128)]\n  k"), {
            described(&["tokens", "heads_x2 // packing", "align_to(d, 128)"], None)
        });
        assert_eq!(comment(",  # int32[3], (i, j, k)\n"), described(&["3"], Some(DType::I32)));
        assert_eq!(comment(",  # [3] float32 or None\n"), described(&["3"], Some(DType::F32)));
        assert_eq!(comment(",  # only along the head (so far)\n"), None);
        assert_eq!(comment(", k"), None);
    }
}
