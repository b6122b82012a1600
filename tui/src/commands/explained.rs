//! Which rules a person means who gives words: those whose page has all of them, or else most of them.

use pallas_engine::check::{Rule, rules::ALL};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Rules that are shown at most.
const MOST: usize = 8;
/// Words that say nothing about a rule.
const COMMON: [&str; 31] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "has", "have", "how", "i", "in", "is", "it",
    "my", "of", "on", "or", "the", "this", "to", "use", "what", "when", "why", "with", "not",
];

/// The rules that words are about, the likeliest first; none where no page has more than half of them.
pub(super) fn by_words(text: &str) -> Vec<&'static Rule> {
    let asked: HashSet<String> = words(text).filter(|word| !COMMON.contains(&word.as_str())).collect();
    let mut found: Vec<(usize, usize, &'static Rule)> = ALL
        .iter()
        .map(|&rule| {
            let title: HashSet<String> = words(rule.name).chain(words(rule.summary)).collect();
            let page: HashSet<String> = words(rule.doc).collect();
            let count = |has: &dyn Fn(&String) -> bool| asked.iter().filter(|word| has(word)).count();
            let all = count(&|word| title.contains(word) || page.contains(word));
            (all, count(&|word| title.contains(word)), rule)
        })
        .collect();
    let best = found.iter().map(|(all, ..)| *all).max().unwrap_or_default();
    if best * 2 <= asked.len() {
        return Vec::new();
    }
    found.retain(|(all, ..)| *all == best);
    found.sort_by_key(|(_, titled, rule)| (Reverse(*titled), rule.code));
    found.into_iter().map(|(_, _, rule)| rule).take(MOST).collect()
}

/// The words of a text in lower case, without endings that differ between people.
fn words(text: &str) -> impl Iterator<Item = String> {
    let split = |c: char| !c.is_alphanumeric() && c != '_';
    text.split(split).filter(|word| word.chars().any(char::is_alphanumeric)).map(|word| {
        let word = word.to_lowercase();
        let stem =
            ["ing", "ed", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() > 3));
        stem.map_or(word.clone(), ToString::to_string)
    })
}

#[cfg(test)]
mod tests {
    use super::by_words;

    fn codes(text: &str) -> Vec<&'static str> {
        by_words(text).iter().map(|rule| rule.code).collect()
    }

    #[test]
    fn words_lead_to_the_rules_whose_pages_have_them() {
        for (asked, code) in [
            ("padding", "PL204"),
            ("scratch memory unwritten", "PL203"),
            ("race", "PL410"),
            ("128 multiples", "PL501"),
            ("integer overflow", "PL206"),
            ("dimension_semantics parallel", "PL125"),
            ("why is my output never written", "PL122"),
        ] {
            assert!(codes(asked).contains(&code), "{asked}: {:?}", codes(asked));
        }
        assert_eq!(codes("padding").first(), Some(&"PL204"));
    }

    #[test]
    fn what_no_page_speaks_of_leads_nowhere() {
        for asked in ["", "the of and", "frobnicate", "PL999", "PL12X", "padding frobnicate"] {
            assert!(by_words(asked).is_empty(), "{asked}: {:?}", codes(asked));
        }
    }
}
