//! Machine code as text, by NVIDIA's disassembler where it is installed. Nothing else is made of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisassembleError {
    /// It could not be started, or its file not written.
    #[error("`{tool}` cannot be run: {why}")]
    Run {
        /// The program.
        tool: PathBuf,
        /// What the system said.
        why: String,
    },
    /// It refused the code.
    #[error("`{tool}` refuses the machine code: {said}")]
    Refused {
        /// The program.
        tool: PathBuf,
        /// What it said.
        said: String,
    },
}

/// The text of a CUBIN. The tool reads files only: one is put into the folder for as long as it takes.
///
/// # Errors
/// The tool cannot be run, or says no.
pub fn disassemble(tool: &Path, cubin: &[u8], folder: &Path) -> Result<String, DisassembleError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let failed = |error: std::io::Error| DisassembleError::Run { tool: tool.into(), why: error.to_string() };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = folder.join(format!("pallas-{}-{number}.cubin", std::process::id()));
    std::fs::write(&file, cubin).map_err(failed)?;
    let output = Command::new(tool).arg("-c").arg(&file).output().map_err(failed);
    // What is left there harms nobody.
    let _ = std::fs::remove_file(&file);
    let output = output?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(DisassembleError::Refused {
            tool: tool.into(),
            said: String::from_utf8_lossy(&output.stderr).trim().to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_not_there_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = disassemble(Path::new("/nowhere/nvdisasm"), b"code", folder.path()).expect_err("there is none");
        assert!(error.to_string().contains("/nowhere/nvdisasm"), "{error}");
    }
}
