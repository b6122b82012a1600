//! From document URIs to the paths that the engine knows, and back.
//!
//! Paths are text with `/` between their parts, on Windows too (`C:/kernels/add.py`; its file functions take both):
//! the engine finds the folder of a script by them. A document that is no file (`untitled:Untitled-1`) is known under its
//! URI without the scheme. Touches no files.

use std::str::FromStr;
use tower_lsp_server::ls_types::Uri;

/// The path of a document.
pub(crate) fn path(uri: &Uri) -> String {
    path_on(uri.as_str(), cfg!(windows))
}

/// The URI of an absolute path; `None` for others, which have none.
pub(crate) fn uri(path: &str) -> Option<Uri> {
    Uri::from_str(&uri_text(path)?).ok()
}

/// [`path`] for either kind of system.
fn path_on(uri: &str, windows: bool) -> String {
    let Some((scheme, rest)) = uri.split_once(':') else {
        return decoded(uri);
    };
    // What follows `?` and `#` is no part of a path; a `#` in a name comes encoded.
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("file") {
        return decoded(rest);
    }
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let path = decoded(path);
    if !windows {
        return path;
    }
    let path = path.replace('\\', "/");
    let mut characters = path.chars();
    match (characters.next(), characters.next(), characters.next()) {
        // Editors write the drive's letter small or large: one file must have one path.
        (Some('/'), Some(drive), Some(':')) if drive.is_ascii_alphabetic() => {
            format!("{}{}", drive.to_ascii_uppercase(), &path[2..])
        }
        _ if host.is_empty() || host.eq_ignore_ascii_case("localhost") => path,
        _ => format!("//{}{path}", decoded(host)),
    }
}

/// [`uri`] as text.
fn uri_text(path: &str) -> Option<String> {
    let path = path.replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    let prefix = match path.as_bytes() {
        [b'/', b'/', ..] if cfg!(windows) => "file:",
        [b'/', ..] => "file://",
        _ if drive => "file:///",
        _ => return None,
    };
    Some(format!("{prefix}{}", encoded(&path, "/")))
}

/// Percent-encoded, but for what RFC 3986 leaves unreserved and for some separators.
pub(crate) fn encoded(text: &str, separators: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || separators.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Percent-encoding undone. What is not UTF-8 afterwards stays encoded, so that no two documents fall together.
pub(crate) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        let digits = (byte == b'%').then(|| text.get(index + 1..index + 3)).flatten();
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                index += 3;
            }
            None => {
                out.push(byte);
                index += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_paths() {
        for (uri, path) in [
            ("file:///home/a/add.py", "/home/a/add.py"),
            ("file:///home/my%20kernels/add%23%3F.py", "/home/my kernels/add#?.py"),
            ("file:///tmp/%E4%B8%AD%F0%9F%99%82.py", "/tmp/中🙂.py"),
            ("file://localhost/tmp/a.py", "/tmp/a.py"),
            ("FILE:///tmp/a.py", "/tmp/a.py"),
            ("file:/tmp/a.py", "/tmp/a.py"),
            ("file:///tmp/100%.py", "/tmp/100%.py"),
            ("file:///tmp/%FF.py", "/tmp/%FF.py"),
            ("file:///tmp/a.py?version=3#L4", "/tmp/a.py"),
        ] {
            assert_eq!(path_on(uri, false), path);
        }
    }

    #[test]
    fn other_documents_have_names() {
        assert_eq!(path_on("untitled:Untitled-1", false), "Untitled-1");
        assert_eq!(path_on("vscode-notebook-cell:/a/b.ipynb#W0", false), "/a/b.ipynb");
        assert_eq!(path_on("nonsense", false), "nonsense");
    }

    #[test]
    fn drives_and_shares_on_windows() {
        for (uri, path) in [
            ("file:///c%3A/Users/me/add.py", "C:/Users/me/add.py"),
            ("file:///C:/Users/me/add.py", "C:/Users/me/add.py"),
            ("file://server/share/add.py", "//server/share/add.py"),
        ] {
            assert_eq!(path_on(uri, true), path);
        }
        assert_eq!(uri_text("C:/my kernels/add.py").as_deref(), Some("file:///C%3A/my%20kernels/add.py"));
    }

    #[test]
    fn absolute_paths_have_uris_that_lead_back() {
        for path in ["/a/b.py", "/a b/c#d?e%f.py", "/中/🙂.py", "/a\\b.py"] {
            let text = uri_text(path).expect("absolute");
            assert_eq!(path_on(&text, false), path);
            assert_eq!(uri(path).expect("valid").as_str(), text);
        }
        assert_eq!(uri_text("helper.py"), None);
        assert_eq!(uri_text(""), None);
    }
}
