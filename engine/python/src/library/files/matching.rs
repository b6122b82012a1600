//! Patterns of names, as shells have them: `*`, `?`, `[a-z]`, `[!a-z]`.

/// Whether a pattern means a name.
pub(super) fn matches(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    // Where to go on when what follows the last star does not fit: one character later.
    let (mut at, mut next, mut star) = (0, 0, None);
    while at < name.len() {
        match pattern.get(next) {
            Some('*') => {
                star = Some((next + 1, at));
                next += 1;
                continue;
            }
            Some(_) => {
                if let Some(length) = fits(name[at], &pattern[next..]) {
                    at += 1;
                    next += length;
                    continue;
                }
            }
            None => {}
        }
        let Some((after, taken)) = star else { return false };
        star = Some((after, taken + 1));
        at = taken + 1;
        next = after;
    }
    pattern[next..].iter().all(|letter| *letter == '*')
}

/// How many characters of the pattern stand for a character, if they do.
fn fits(character: char, pattern: &[char]) -> Option<usize> {
    let is_set = pattern[0] == '[';
    // A bracket that is first in a set is one of its characters.
    let end = if is_set { pattern.iter().skip(2).position(|letter| *letter == ']').map(|at| at + 2) } else { None };
    let Some(end) = end else {
        return (pattern[0] == '?' || pattern[0] == character).then_some(1);
    };
    let (is_not, mut set) = match pattern[1] {
        '!' if end > 2 => (true, &pattern[2..end]),
        _ => (false, &pattern[1..end]),
    };
    let mut is_in = false;
    while let Some((first, rest)) = set.split_first() {
        set = match rest {
            ['-', last, after @ ..] => {
                is_in |= (*first..=*last).contains(&character);
                after
            }
            _ => {
                is_in |= *first == character;
                rest
            }
        };
    }
    (is_in != is_not).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_mean_what_shells_take_them_for() {
        let yes = [
            ("a.py", "*.py"),
            ("a.py", "a.??"),
            ("", "*"),
            ("abcabd", "*ab?"),
            ("b", "[a-c]"),
            ("]", "[]]"),
            ("z", "[!a-c]"),
        ];
        for (name, pattern) in yes.into_iter().chain([("[", "["), ("a-", "a[-x]"), ("*", "*")]) {
            assert!(matches(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in
            [("a.pyc", "*.py"), ("ab", "?"), ("d", "[a-c]"), ("b", "[!a-c]"), ("", "?"), ("ab", "*a")]
        {
            assert!(!matches(name, pattern), "{name} {pattern}");
        }
    }
}
