//! Words that are almost a name: `pallas-tui chekc k.py`, which would otherwise be taken for a file.

use crate::args::{Cli, Command};
use clap::{CommandFactory, Subcommand};
use std::path::Path;

/// The subcommand that clap adds.
const HELP: &str = "help";
/// Words with more changed, missing, added or exchanged letters than this are not compared.
const MOST_EDITS: usize = 2;

/// The subcommand that is meant by the first argument, where that is neither a subcommand nor a file.
pub(crate) fn subcommand(first: &str) -> Option<String> {
    let is_known = Command::has_subcommand(first) || first == HELP;
    if is_known || first.starts_with('-') || first.contains(['.', '/', '\\']) || Path::new(first).exists() {
        return None;
    }
    let cli = Cli::command();
    let names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).chain([HELP]).collect();
    nearest(first, names).map(ToString::to_string)
}

/// The name that a word almost is.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let edits = |name: &&str| strsim::osa_distance(word, name);
    // A short word may not be made of anew.
    let most = MOST_EDITS.min(word.chars().count() / 2);
    names.into_iter().min_by_key(edits).filter(|nearest| edits(nearest) <= most)
}

#[cfg(test)]
mod tests {
    use super::subcommand;

    #[test]
    fn what_is_almost_a_subcommand_is_meant_for_it() {
        let meant = |word: &str| subcommand(word);
        assert_eq!(meant("chekc").as_deref(), Some("check"));
        assert_eq!(meant("profil").as_deref(), Some("profile"));
        assert_eq!(meant("rnu").as_deref(), Some("run"));
        for word in ["run", "check", "help", "kernels", "run.py", "./chekc", "--help", "", "x"] {
            assert_eq!(meant(word), None, "{word}");
        }
    }
}
