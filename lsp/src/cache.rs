//! Files that the server writes for editors to open: pages of rules, results of runs. They lie in the user's cache folder;
//! without one there are none.

use std::path::PathBuf;
use tower_lsp_server::ls_types::Uri;

/// Writes a file below the server's cache folder, if it does not hold this text already, and gives its URI.
pub(crate) fn write(folder: &str, name: &str, text: &str) -> Option<Uri> {
    let folder = user_folder()?.join("pallas").join(folder);
    let path = folder.join(name);
    if !std::fs::read_to_string(&path).is_ok_and(|there| there == text) {
        std::fs::create_dir_all(&folder).ok()?;
        // Another server may be writing the same file: a rename is seen whole or not at all.
        let partial = folder.join(format!("{name}.{}", std::process::id()));
        std::fs::write(&partial, text).ok()?;
        std::fs::rename(&partial, &path).ok()?;
    }
    crate::uris::uri(&pallas_engine::path_text(&path))
}

fn user_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let found = match cfg!(windows) {
        true => folder("LOCALAPPDATA"),
        false => folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(in_home))),
    };
    found.filter(|folder| folder.is_absolute())
}
