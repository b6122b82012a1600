//! Documents that the server makes up: the kernel IR of a file's launches, and the code that is generated from them. A client of
//! LSP 3.18 asks for their text (`workspace/textDocumentContent`), and is told when it is another.
//!
//! The URI says all there is to know of one: `pallas-code:///work/a.py.ir?form=ir&kernel=product&source=file:///work/a.py`, with the
//! query encoded. Editors encode it anew in their own ways, so it is decoded as a whole, and what may hold anything stands last.

use crate::requests::{Refusal, Reply};
use crate::state::Snapshot;
use crate::uris;
use pallas_engine::generated::Form;
use pallas_ide as ide;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tower_lsp_server::ls_types::Uri;

/// The scheme of their URIs.
pub(crate) const SCHEME: &str = "pallas-code";

/// A document that is made up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// The file that it is made of.
    pub(crate) source: Uri,
    /// Which code; the kernel IR where it is none.
    pub(crate) form: Option<Form>,
    /// Only the launches of the kernel of this name.
    pub(crate) kernel: Option<String>,
}

impl Content {
    /// The document of this URI.
    pub(crate) fn read(uri: &Uri) -> Option<Content> {
        let (scheme, rest) = uri.as_str().split_once(':')?;
        let query = uris::decoded(rest.split_once('?')?.1);
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        let (head, source) = query.split_once("source=")?;
        let value = |name: &str| {
            let mut pairs = head.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
        };
        let form = match value("form")?.as_str() {
            "ir" => None,
            code => Some(Form::named(code)?),
        };
        Some(Content { source: Uri::from_str(source).ok()?, form, kernel: value("kernel") })
    }

    /// Its URI.
    pub(crate) fn uri(&self) -> Option<Uri> {
        let path = uris::path(&self.source);
        let kernel = self.kernel.as_ref().map_or(String::new(), |kernel| format!("kernel={kernel}&"));
        let query = format!("form={}&{kernel}source={}", self.ending(), self.source.as_str());
        let path = uris::encoded(&format!("/{}.{}", path.trim_start_matches('/'), self.ending()), "/");
        Uri::from_str(&format!("{SCHEME}://{path}?{}", uris::encoded(&query, "=&"))).ok()
    }

    /// How the names of such documents end.
    pub(crate) fn ending(&self) -> &'static str {
        self.form.map_or("ir", Form::name)
    }

    /// What it is, in words.
    pub(crate) fn what(&self) -> &'static str {
        if self.form.is_some() { "generated code" } else { "kernel IR" }
    }

    /// Its text; `None` where nothing is launched.
    pub(crate) fn text(&self, snapshot: &Snapshot) -> Option<String> {
        let analysis = &snapshot.analysed.analysis;
        let which = self.kernel.as_deref().map_or(ide::Which::All, ide::Which::Kernel);
        match self.form {
            None => ide::kernel_ir(analysis, which),
            Some(form) => ide::generated_code(analysis, which, form),
        }
    }

    /// The same, or why there is none: an editor shows it either way.
    pub(crate) fn shown(&self, snapshot: &Snapshot) -> String {
        self.text(snapshot).unwrap_or_else(|| match &self.kernel {
            Some(kernel) => format!("// nothing launches `{kernel}` any more\n"),
            None => "// no kernel is launched in this file\n".to_string(),
        })
    }

    /// What is shown while the file is not open.
    pub(crate) fn without_source(&self) -> String {
        let path = uris::path(&self.source);
        let name = path.rsplit('/').next().unwrap_or_default();
        format!("// {name} is not open; its {} is shown when it is\n", self.what())
    }
}

/// What a client shows of a document: a name of the text.
#[derive(Clone, Debug)]
pub(crate) struct Shown(Arc<AtomicU64>);

/// The client has been told that there is another text, and has not asked for it.
const TOLD: u64 = 0;
/// It has asked, and has no text yet.
const ASKED: u64 = 1;

impl Shown {
    /// Of a document that was asked for.
    pub(crate) fn asked() -> Shown {
        Shown(Arc::new(AtomicU64::new(ASKED)))
    }

    /// The client gets this text.
    pub(crate) fn set(&self, text: &str) {
        self.0.store(named(text), Ordering::SeqCst);
    }

    /// Whether the client waits for nothing, and does not look.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.0.load(Ordering::SeqCst) == TOLD
    }

    /// Whether the client shows another text, and has to be told.
    fn is_stale(&self, text: &str) -> bool {
        let shown = self.0.load(Ordering::SeqCst);
        shown != TOLD && shown != ASKED && shown != named(text)
    }
}

fn named(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().max(ASKED + 1)
}

/// A document that a client shows.
#[derive(Clone)]
pub(crate) struct Watched {
    /// Its URI, as the client writes it.
    pub(crate) uri: Uri,
    /// What it is.
    pub(crate) content: Content,
    /// What the client shows of it.
    pub(crate) shown: Shown,
}

/// Looks whether what is shown is still what there is, where answers are made, and says so if not.
pub(crate) struct Look<F> {
    /// What is looked at.
    pub(crate) watched: Watched,
    /// Called where the text is another.
    pub(crate) tell: F,
}

impl<F: FnOnce(Uri) + Send> Reply for Look<F> {
    fn answer(self: Box<Self>, outcome: Result<&Snapshot, Refusal>) {
        let Ok(snapshot) = outcome else { return };
        let Watched { uri, content, shown } = self.watched;
        // What cannot be made is told when it is asked for.
        let text = catch_unwind(AssertUnwindSafe(|| content.shown(snapshot))).unwrap_or_default();
        if shown.is_stale(&text) {
            shown.0.store(TOLD, Ordering::SeqCst);
            (self.tell)(uri);
        }
    }

    fn is_abandoned(&self) -> bool {
        self.watched.shown.is_forgotten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(source: &str, form: Option<Form>, kernel: Option<&str>) -> Content {
        Content { source: Uri::from_str(source).expect("valid"), form, kernel: kernel.map(str::to_string) }
    }

    #[test]
    fn a_uri_says_all() {
        for content in [
            content("file:///work/a.py", None, Some("product")),
            content("file:///my%20kernels/100%25/a&b=c.py", Some(Form::Cuda), None),
            content("untitled:Untitled-1", Some(Form::Ttir), Some("<lambda>")),
        ] {
            let uri = content.uri().expect("a URI");
            assert_eq!(Content::read(&uri), Some(content.clone()), "{}", uri.as_str());
            // VS Code encodes queries as a whole.
            let (head, query) = uri.as_str().split_once('?').expect("a query");
            let encoded = format!("{head}?{}", uris::encoded(&uris::decoded(query), ""));
            assert_eq!(Content::read(&Uri::from_str(&encoded).expect("valid")), Some(content), "{encoded}");
        }
        let uri = content("file:///work/a.py", None, Some("product")).uri().expect("a URI");
        assert!(
            uri.as_str().starts_with("pallas-code:///work/a.py.ir?form=ir&kernel=product&source="),
            "{}",
            uri.as_str()
        );
    }

    #[test]
    fn other_uris_are_not_ours() {
        for uri in [
            "file:///a.py?form=ir&source=file:///a.py",
            "pallas-code:///a.py",
            "pallas-code:///a?form=verse&source=file:///a",
        ] {
            assert_eq!(Content::read(&Uri::from_str(uri).expect("valid")), None, "{uri}");
        }
    }
}
