//! Opening the user's editor at a line.

use std::path::Path;
use std::process::Command;

/// Opens a file at a line in `$VISUAL`, `$EDITOR` or `vi`, and waits until it is closed.
///
/// # Errors
/// A message where it cannot be started, or ends with an error.
pub(crate) fn open(path: &Path, line: u32) -> Result<(), String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_string());
    let Some((program, arguments)) = command(&editor, path, line) else { return Ok(()) };
    match Command::new(&program).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!("cannot start {program}: {error}; set $EDITOR")),
    }
}

/// The editor's program and arguments. Most take `+line`; a few have their own way.
fn command(editor: &str, path: &Path, line: u32) -> Option<(String, Vec<String>)> {
    let mut words = editor.split_whitespace().map(str::to_string);
    let program = words.next()?;
    let mut arguments: Vec<String> = words.collect();
    let file = path.display().to_string();
    let name = Path::new(&program).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.as_str() {
        "code" | "codium" | "code-insiders" => {
            arguments.extend(["--wait".into(), "--goto".into(), format!("{file}:{line}")])
        }
        "hx" | "helix" | "subl" | "zed" => arguments.push(format!("{file}:{line}")),
        _ => arguments.extend([format!("+{line}"), file]),
    }
    Some((program, arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_called_their_own_way() {
        let call = |editor: &str| {
            let (program, arguments) = command(editor, Path::new("a b.py"), 7).expect("a command");
            format!("{program} {}", arguments.join(" | "))
        };
        assert_eq!(call("vim"), "vim +7 | a b.py");
        assert_eq!(call("emacsclient -nw"), "emacsclient -nw | +7 | a b.py");
        assert_eq!(call("/usr/bin/hx"), "/usr/bin/hx a b.py:7");
        assert_eq!(call("code"), "code --wait | --goto | a b.py:7");
        assert_eq!(command("  ", Path::new("a.py"), 1), None);
    }
}
