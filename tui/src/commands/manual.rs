//! `pallas-tui manual`: the pages of the manual, made of the definition of the command line and its examples.

use crate::args::{self, EXAMPLES, ManualArgs};
use crate::exit::Exit;
use crate::output;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::path::Path;
use std::{fs, io};

pub(super) fn manual(args: &ManualArgs) -> Exit {
    let pages = match pages() {
        Ok(pages) => pages,
        Err(error) => {
            output::error(&format!("the manual cannot be made: {error}"));
            return Exit::Usage;
        }
    };
    let Some(folder) = &args.into else {
        // The program's own page names all commands.
        output::stdout(pages.first().map_or("", |(_, page)| page));
        return Exit::Success;
    };
    match write(&pages, folder) {
        Ok(()) => {
            output::stdout(&format!("{} pages are in {}\n", pages.len(), folder.display()));
            Exit::Success
        }
        Err(error) => {
            output::error(&format!("{}: the manual cannot be written there: {error}", folder.display()));
            Exit::Usage
        }
    }
}

fn write(pages: &[(String, String)], folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    pages.iter().try_for_each(|(name, page)| fs::write(folder.join(format!("{name}.1")), page))
}

/// The name and the text of each page; the program's own is the first.
fn pages() -> io::Result<Vec<(String, String)>> {
    let mut program = args::command().disable_help_subcommand(true);
    program.build();
    let mut pages = vec![("pallas-tui".to_string(), page(&program, "pallas-tui", "")?)];
    for command in program.get_subcommands() {
        let name = format!("pallas-tui-{}", command.get_name());
        let page = page(command, &name, command.get_name())?;
        pages.push((name, page));
    }
    Ok(pages)
}

fn page(command: &clap::Command, name: &str, subcommand: &str) -> io::Result<String> {
    let version = command.get_version().unwrap_or(env!("CARGO_PKG_VERSION"));
    let source = format!("pallas-tui {version}");
    // A page of a manual is found under its own name. Examples have a section here, and are no text below the options.
    let named = command.clone().name(name.to_string()).after_help("").after_long_help("");
    let man = Man::new(named).title(name.to_uppercase()).source(source).manual("Pallas Workbench");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if subcommand.is_empty() {
        man.render_subcommands_section(&mut text)?;
    }
    let mut examples = Roff::new();
    examples.control("SH", ["EXAMPLES"]);
    for (line, purpose) in EXAMPLES.iter().filter(|(of, _)| *of == subcommand).flat_map(|(_, examples)| *examples) {
        examples.control("TP", []);
        examples.text([bold(*line)]);
        examples.text([roman(format!("{purpose}."))]);
    }
    examples.to_writer(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
