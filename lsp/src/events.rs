//! What comes to the main loop, and what goes from it to the client. What is done with either is not decided here.

use crate::analysis_worker::Done;
use crate::capabilities::Client;
use crate::contents::Watched;
use crate::from_proto::Edit;
use crate::notebooks::Notebook;
use crate::requests::{Kind, Reply};
use crate::settings::EditorSettings;
use crate::testing::Tested;
use std::sync::Arc;
use tokio::sync::oneshot;
use tower_lsp_server::ls_types::{Diagnostic, NotebookDocumentCellChange, Uri};

/// Something that the main loop reacts to.
pub(crate) enum Event {
    /// The client has said what it can do.
    Initialize(Client),
    /// A document was opened.
    Open {
        /// Which.
        uri: Uri,
        /// Its version.
        version: i32,
        /// All of it.
        text: String,
    },
    /// A document was edited.
    Change {
        /// Which.
        uri: Uri,
        /// The version after the edits.
        version: i32,
        /// The edits, each relative to the one before.
        edits: Vec<Edit>,
    },
    /// A notebook was opened.
    OpenNotebook {
        /// Which.
        uri: Uri,
        /// Its version.
        version: i32,
        /// Its cells.
        notebook: Notebook,
    },
    /// Cells of a notebook were changed.
    ChangeNotebook {
        /// Which.
        uri: Uri,
        /// The version after the change.
        version: i32,
        /// What has changed.
        change: NotebookDocumentCellChange,
    },
    /// A document was saved.
    Save(Uri),
    /// A document was closed.
    Close(Uri),
    /// The user's settings are these now.
    Configure(EditorSettings),
    /// Files changed that may not be open.
    FilesChanged(Vec<String>),
    /// Whether the client wants to hear what the server does.
    Trace(bool),
    /// A question about everything.
    Overview(oneshot::Sender<Overview>),
    /// A request about a document.
    Request(Uri, Kind, Box<dyn Reply>),
    /// The text of a document that the server makes up; the client has to be told when it is another.
    Content(Watched, Box<dyn Reply>),
    /// An analysis has ended.
    Analysed(Done),
    /// Tests of a version of a document have run.
    Tested(Uri, i32, Tested),
    /// The client has gone, or is about to go: nothing more is to be done.
    Stop,
}

/// Everything, as it was when it was asked.
pub(crate) struct Overview {
    /// What the client can do, and what the user set.
    pub(crate) client: Arc<Client>,
    /// The open documents: which, their version, their text.
    pub(crate) documents: Vec<(Uri, i32, Arc<str>)>,
    /// The cells of notebooks, each with the notebook.
    pub(crate) cells: Vec<(Uri, Uri)>,
}

/// A message to the client.
pub(crate) enum Outgoing {
    /// What the server did, for clients that trace it.
    LogTrace(String),
    /// Ask again for lenses.
    RefreshLenses,
    /// Ask again for the text of a document that the server makes up.
    RefreshContent(Uri),
    /// The diagnostics of a document.
    Publish {
        /// Which document.
        uri: Uri,
        /// All of them.
        diagnostics: Vec<Diagnostic>,
        /// The version that they are of; `None` for a document that was closed.
        version: Option<i32>,
    },
    /// Ask again for inlay hints.
    RefreshHints,
    /// Ask again for diagnostics.
    RefreshDiagnostics,
}
