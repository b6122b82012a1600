//! What launches are lowered to, as text to read: Triton IR, SIMT IR, CUDA C++, CUDA Tile IR. Nothing is compiled further or launched.

use crate::Analysis;
use pallas_ir::Launch;
use pallas_simt::ir::Note;
use pallas_simt::{Architecture, Program};
use pallas_syntax::Span;

/// A form of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Triton IR.
    Ttir,
    /// What each thread of a GPU does.
    Simt,
    /// CUDA C++, with the Pallas line that each part comes from.
    Cuda,
    /// CUDA Tile IR, with the same.
    TileIr,
}

impl Form {
    /// The form with this name.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// All forms.
    pub const ALL: [Form; 4] = [Form::Cuda, Form::Simt, Form::Ttir, Form::TileIr];

    /// Its name, which is also how files with it end.
    pub fn name(self) -> &'static str {
        match self {
            Form::Ttir => "ttir",
            Form::Simt => "simt",
            Form::Cuda => "cuda",
            Form::TileIr => "tileir",
        }
    }
}

/// Why a launch has no such code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotGenerated {
    /// The Pallas source.
    pub span: Span,
    /// What is wrong, and what to do.
    pub message: String,
}

/// The code of a launch that an analysis has found.
///
/// # Errors
/// What the launch uses and the form has no words for.
pub fn generated(analysis: &Analysis, launch: &Launch, form: Form) -> Result<String, NotGenerated> {
    generated_with(launch, form, |span| place(analysis, span))
}

/// The code of a launch; `place` says where something stands in the source, as `file.py:3:5`.
///
/// # Errors
/// What the launch uses and the form has no words for.
pub fn generated_with(launch: &Launch, form: Form, place: impl Fn(Span) -> String) -> Result<String, NotGenerated> {
    generated_for(launch, form, Architecture::meant_by(launch), place)
}

/// The same for another device than the one that the launch is meant for, in forms that differ by that.
///
/// # Errors
/// As [`generated_with`], and what the device does not have.
pub fn generated_for(
    launch: &Launch,
    form: Form,
    architecture: Architecture,
    place: impl Fn(Span) -> String,
) -> Result<String, NotGenerated> {
    let in_order = || -> String {
        let lines = pallas_simt::lower::grid::plan(launch).words(launch, &place);
        lines.iter().map(|line| format!("// {line}\n")).collect()
    };
    if form == Form::Ttir {
        return match pallas_ttir::lower(launch) {
            Ok(module) => Ok(module.to_string()),
            Err(refusal) => {
                let span = refusal.location.as_ref().map_or(launch.spans.call, |location| location.span);
                Err(NotGenerated { span, message: format!("`{}` has no Triton IR: {refusal}", launch.kernel.name) })
            }
        };
    }
    if form == Form::TileIr {
        return match pallas_tileir::compile(launch) {
            Ok(program) => Ok(in_order() + &program.text(&place)),
            Err(refusal) => Err(refused(launch, "has no CUDA Tile IR", &refusal)),
        };
    }
    let told = |program: &Program| -> String {
        let line = |note: &Note| format!("// {}: {}\n", place(note.span), note.message);
        in_order() + &program.kernel.notes.iter().map(line).collect::<String>()
    };
    match pallas_simt::compile(launch, architecture) {
        Ok(program) if form == Form::Simt => Ok(told(&program) + &program.kernel.to_string()),
        Ok(program) => Ok(told(&program) + &annotated(&program, &place)),
        Err(refusal) => Err(refused(launch, "is not compiled for a GPU", &refusal)),
    }
}

fn refused(launch: &Launch, what: &str, refusal: &pallas_simt::Refusal) -> NotGenerated {
    let help = refusal.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    NotGenerated { span: refusal.span, message: format!("`{}` {what}: {refusal}{help}", launch.kernel.name) }
}

/// `file.py:3:5`, or `?` where the text is not known.
pub fn place(analysis: &Analysis, span: Span) -> String {
    let span = analysis.place(span);
    let own = (analysis.source.id == span.file).then_some(&analysis.source);
    match own.or_else(|| analysis.sources.iter().find(|source| source.id == span.file)) {
        Some(source) => source.place(span.start),
        None => "?".to_string(),
    }
}

/// The source, with a comment where another line of the Pallas source begins.
fn annotated(program: &Program, place: impl Fn(Span) -> String) -> String {
    let mut text = String::new();
    let mut last = String::new();
    let mut entries = program.lines.iter().peekable();
    for (number, line) in (1..).zip(program.source.lines()) {
        if let Some(entry) = entries.next_if(|entry| entry.line == number) {
            let at = place(entry.span);
            // Without the column: neighbours come from one line.
            let at = at.rsplit_once(':').map_or(at.as_str(), |(line, _)| line);
            if at != last {
                let indent = &line[..line.len() - line.trim_start().len()];
                text.push_str(&format!("{indent}// {at}\n"));
                last = at.to_string();
            }
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}
