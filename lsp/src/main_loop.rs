//! The main loop: one thread owns the state, and takes one event after the other.
//!
//! Notifications are applied here, in the order in which they came. Everything slow is elsewhere: analyses run on
//! [`AnalysisWorkers`], answers are made on [`RequestWorkers`], messages to the client are sent by the transport.

use crate::analysis_worker::{Analysed, AnalysisWorkers, Done, Job, Turn, result_id};
use crate::capabilities::Client;
use crate::contents::Look;
use crate::events::{Event, Outgoing, Overview};
use crate::requests::{Kind, Refusal, Reply, RequestWorkers};
use crate::state::{Document, Snapshot, State};
use crate::surroundings::{Known, is_settings_file};
use crate::testing::Tested;
use crate::{to_proto, uris};
use pallas_engine::Cancel;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use tokio::sync::mpsc::UnboundedSender;
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// Threads for each kind of worker. More would not make one file faster, and few people type in many at once.
const WORKERS: usize = 2;

/// Starts the main loop and its workers.
pub(crate) fn start(outgoing: UnboundedSender<Outgoing>, known: Known) -> std::io::Result<Sender<Event>> {
    let (events, receiver) = channel();
    let results = events.clone();
    let analyses = AnalysisWorkers::start(WORKERS, known, move |done| {
        // Fails only when the main loop has stopped.
        let _ = results.send(Event::Analysed(done));
    })?;
    let requests = RequestWorkers::start(WORKERS)?;
    let main_loop = MainLoop { state: State::default(), analyses, requests, outgoing };
    thread::Builder::new().name("main-loop".to_string()).spawn(move || main_loop.run(&receiver))?;
    Ok(events)
}

fn is_settings(uri: &Uri) -> bool {
    is_settings_file(&uris::path(uri))
}

struct MainLoop {
    state: State,
    analyses: AnalysisWorkers,
    requests: RequestWorkers,
    outgoing: UnboundedSender<Outgoing>,
}

impl MainLoop {
    fn run(mut self, events: &Receiver<Event>) {
        for event in events {
            if matches!(event, Event::Stop) {
                self.stop();
                continue; // requests that still come are refused, so that nobody waits
            }
            // An event that panics is lost, which is bad, but the editor's other documents live on.
            let _ = catch_unwind(AssertUnwindSafe(|| self.handle(event)));
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Initialize(client) => self.state.client = Arc::new(client),
            Event::Open { uri, text, .. } if is_settings(&uri) => {
                self.state.set_settings_text(&uri, Some(text));
                self.settings_changed();
            }
            Event::Change { uri, edits, .. } if is_settings(&uri) => {
                if self.state.change_settings_text(&uri, &edits) {
                    self.settings_changed();
                }
            }
            Event::Close(uri) if is_settings(&uri) => {
                self.state.set_settings_text(&uri, None);
                self.settings_changed();
            }
            Event::Open { uri, version, text } => {
                self.forget(&uri, Refusal::Modified);
                self.state.open(uri.clone(), version, text);
                self.analyse(&uri, Turn::Next);
                self.analyse_dependents(&uri);
            }
            Event::Change { uri, version, edits } => {
                if self.state.change(&uri, version, &edits).is_some() {
                    self.edited(&uri, version);
                }
            }
            Event::OpenNotebook { uri, version, notebook } => {
                self.forget(&uri, Refusal::Modified);
                self.state.open_notebook(uri.clone(), version, notebook);
                self.analyse(&uri, Turn::Next);
            }
            Event::ChangeNotebook { uri, version, change } => {
                let Some(gone) = self.state.change_notebook(&uri, version, change) else { return };
                self.nothing_found(gone);
                self.edited(&uri, version);
            }
            Event::Save(uri) => self.saved(&uri),
            Event::Close(uri) => {
                let (cells, tested) = match self.state.document(&uri) {
                    Some(document) => (document.cells.uris().cloned().collect(), document.tested.is_some()),
                    None => (Vec::new(), false),
                };
                self.nothing_found(cells);
                if self.forget(&uri, Refusal::NotOpen) && (tested || !self.state.client.pulls_diagnostics) {
                    self.send(Outgoing::Publish { uri: uri.clone(), diagnostics: Vec::new(), version: None });
                }
                self.analyse_dependents(&uri);
            }
            Event::Request(uri, kind, reply) => self.request(&uri, kind, reply),
            Event::Content(watched, reply) => {
                let source = watched.content.source.clone();
                self.state.contents.retain(|other| other.uri != watched.uri);
                if self.state.client.contents {
                    self.state.contents.push(watched);
                }
                self.request(&source, Kind::Newest, reply);
            }
            Event::Analysed(done) => self.analysed(done),
            Event::Tested(uri, version, tested) => self.tested(&uri, version, tested),
            Event::Configure(settings) => {
                let client = Client { settings, ..(*self.state.client).clone() };
                if client != *self.state.client {
                    self.state.client = Arc::new(client);
                    self.settings_changed();
                    if self.state.client.refreshes_lenses {
                        self.send(Outgoing::RefreshLenses);
                    }
                }
            }
            Event::FilesChanged(paths) => {
                self.analyses.forget_surroundings();
                for uri in self.state.dependents_of_files(&paths) {
                    self.analyse(&uri, Turn::Last);
                }
            }
            Event::Trace(traces) => self.state.traces = traces,
            Event::Overview(reply) => {
                let client = self.state.client.clone();
                let document = |d: &mut Document| (d.uri.clone(), d.version, d.lines.text().clone());
                let documents = self.state.documents().map(document).collect();
                let of =
                    |d: &mut Document| d.cells.uris().map(|cell| (cell.clone(), d.uri.clone())).collect::<Vec<_>>();
                let cells = self.state.documents().flat_map(of).collect();
                // Fails only when nobody waits any more.
                let _ = reply.send(Overview { client, documents, cells });
            }
            Event::Stop => {}
        }
    }

    /// What follows an edit of a document: requests about the text before it are refused, and it is analysed again.
    fn edited(&mut self, uri: &Uri, version: i32) {
        let Some(document) = self.state.document(uri) else { return };
        let tested = document.tested.take().is_some();
        let (keep, refuse) =
            std::mem::take(&mut document.waiting).into_iter().partition(|(kind, ..)| *kind == Kind::Newest);
        document.waiting = keep;
        for (kind, _, reply) in refuse {
            if kind == Kind::Hints && !reply.is_abandoned() {
                document.hints_shown = Some(0);
            }
            reply.answer(Err(Refusal::Modified));
        }
        // What became of tests was about another text. Others get the next list with its analysis.
        if tested && self.state.client.pulls_diagnostics {
            self.send(Outgoing::Publish { uri: uri.clone(), diagnostics: Vec::new(), version: Some(version) });
        }
        self.analyse(uri, Turn::Next);
        self.analyse_dependents(uri);
    }

    /// Takes back what was pushed of cells that are gone.
    fn nothing_found(&self, cells: Vec<Uri>) {
        if !self.state.client.pulls_diagnostics {
            for uri in cells {
                self.send(Outgoing::Publish { uri, diagnostics: Vec::new(), version: None });
            }
        }
    }

    /// Closes a document, and refuses what waits for it. Whether it was open.
    fn forget(&mut self, uri: &Uri, refusal: Refusal) -> bool {
        let Some(document) = self.state.close(uri) else { return false };
        document.cancel.cancel();
        self.analyses.withdraw(uri);
        for (.., reply) in document.waiting {
            reply.answer(Err(refusal));
        }
        true
    }

    /// Begins an analysis of a document; one that is under way is cancelled.
    fn analyse(&mut self, uri: &Uri, turn: Turn) {
        let generation = self.state.next_generation();
        let (texts, open, client) = (self.state.texts(), self.state.open_paths(), self.state.client.clone());
        let Some(document) = self.state.document(uri) else { return };
        document.cancel.cancel();
        if turn == Turn::Last {
            // Its own text has not changed, so something around it has.
            document.memory.look_again();
        }
        document.cancel = Cancel::new();
        document.generation = generation;
        document.is_fresh = false;
        let job = Job {
            uri: uri.clone(),
            path: document.path.clone(),
            generation,
            lines: document.lines.clone(),
            cells: document.cells.clone(),
            texts,
            open,
            client,
            memory: Some(document.memory.clone()),
            cancel: document.cancel.clone(),
        };
        self.analyses.submit(job, turn);
    }

    /// Analyses again what imports a document.
    fn analyse_dependents(&mut self, uri: &Uri) {
        let path = uris::path(uri);
        for dependent in self.state.dependents(&path) {
            self.analyse(&dependent, Turn::Last);
        }
    }

    /// All documents are analysed again, with what is set now.
    fn settings_changed(&mut self) {
        self.analyses.forget_surroundings();
        let uris: Vec<Uri> = self.state.documents().map(|document| document.uri.clone()).collect();
        for uri in uris {
            self.analyse(&uri, Turn::Last);
        }
    }

    /// Tells what is wrong with the settings file of an analysis, where that is news; and that nothing is any more, where no
    /// document has it.
    fn tell_of_settings(&mut self, before: Option<&Analysed>, now: &Analysed) {
        let path = |analysed: &Analysed| analysed.settings_file.as_ref().map(|file| file.source.path.to_string());
        let mut news: Vec<(String, Vec<Diagnostic>)> = Vec::new();
        if let Some(file) = &now.settings_file {
            let problems = to_proto::settings_diagnostics(file, &self.state.client);
            news.push((file.source.path.to_string(), problems));
        }
        if let Some(old) = before.and_then(path).filter(|old| path(now).as_ref() != Some(old)) {
            let has = |d: &mut Document| d.analysed.as_ref().is_some_and(|a| path(a).as_ref() == Some(&old));
            if !self.state.documents().any(has) {
                news.push((old, Vec::new()));
            }
        }
        for (path, diagnostics) in news {
            let name = if diagnostics.is_empty() { None } else { Some(result_id(&diagnostics)) };
            if self.state.settings_shown.get(&path) == name.as_ref() {
                continue;
            }
            let uri = self.state.open_paths().get(path.as_str()).cloned().or_else(|| uris::uri(&path));
            match name {
                Some(name) => drop(self.state.settings_shown.insert(path, name)),
                None => drop(self.state.settings_shown.remove(&path)),
            }
            if let Some(uri) = uri {
                self.send(Outgoing::Publish { uri, diagnostics, version: None });
            }
        }
    }

    /// Files that are not open are not watched by all clients; a save is a good time to look at them again.
    fn saved(&mut self, uri: &Uri) {
        if is_settings(uri) {
            self.settings_changed();
            return;
        }
        let Some(analysed) = self.state.document(uri).and_then(|document| document.analysed.clone()) else { return };
        let open = self.state.open_paths();
        let depends = analysed.asked.iter().any(|path| !open.contains_key(path.as_str()));
        if depends {
            if let Some(document) = self.state.document(uri) {
                document.memory.look_again();
            }
            self.analyse(uri, Turn::Next);
        }
    }

    fn request(&mut self, uri: &Uri, kind: Kind, reply: Box<dyn Reply>) {
        if let Some(snapshot) = self.state.snapshot(uri) {
            self.answer(kind, reply, snapshot);
            return;
        }
        let owner = self.state.owner(uri).map(|document| document.uri.clone());
        match owner.and_then(|owner| self.state.document(&owner)) {
            Some(document) => document.waiting.push((kind, uri.clone(), reply)),
            None => reply.answer(Err(Refusal::NotOpen)),
        }
    }

    fn answer(&mut self, kind: Kind, reply: Box<dyn Reply>, snapshot: Arc<Snapshot>) {
        if kind == Kind::Hints
            && !reply.is_abandoned()
            && let Some(document) = self.state.document(&snapshot.uri)
        {
            document.hints_shown = Some(snapshot.analysed.hints);
        }
        self.requests.submit(reply, snapshot);
    }

    fn analysed(&mut self, done: Done) {
        let client = self.state.client.clone();
        let Some(document) = self.state.document(&done.uri) else { return };
        if document.generation != done.generation {
            return; // the text, or a file that it imports, has changed since
        }
        let waiting = std::mem::take(&mut document.waiting);
        let Some(mut analysed) = done.analysed else {
            for (.., reply) in waiting {
                reply.answer(Err(Refusal::Failed));
            }
            return;
        };
        // What was not evaluated depends on what it depended on when it was. Nobody else has it yet.
        if analysed.analysis.spared
            && let Some(before) = &document.analysed
            && let Some(analysed) = Arc::get_mut(&mut analysed)
        {
            analysed.asked.extend(before.asked.iter().cloned());
        }
        let before = document.analysed.replace(analysed.clone());
        document.is_fresh = true;
        let version = document.version;
        let hints_asked = waiting.iter().any(|(kind, ..)| *kind == Kind::Hints);
        let hints_differ = document.hints_shown.is_some_and(|shown| shown != analysed.hints);
        // The client asks again after its own edits; only what changed without one it has to be told of.
        let old = before.clone();
        let same_text = before.as_ref().is_some_and(|before| Arc::ptr_eq(&before.lines, &analysed.lines));
        let differ = before.is_some_and(|before| before.result_id != analysed.result_id);
        for (kind, uri, reply) in waiting {
            match self.state.snapshot(&uri) {
                Some(snapshot) => self.answer(kind, reply, snapshot),
                // A cell that is gone.
                None => reply.answer(Err(Refusal::NotOpen)),
            }
        }
        if let Some(snapshot) = self.state.snapshot(&done.uri) {
            self.look_at_contents(&snapshot);
        }
        self.tell_of_settings(old.as_deref(), &analysed);
        if self.state.traces {
            let (count, launches) = (analysed.diagnostics.len(), analysed.analysis.launches.len());
            let file = done.uri.as_str();
            self.send(Outgoing::LogTrace(format!(
                "analysed {file} version {version} in {:.1} ms: {launches} launches, {count} findings",
                done.took.as_secs_f64() * 1e3
            )));
        }
        let snapshot = self.state.snapshot(&done.uri);
        if let Some(snapshot) = snapshot.filter(|shown| !client.pulls_diagnostics || shown.tested.is_some()) {
            let cells: Vec<Uri> = analysed.cells.uris().cloned().collect();
            for cell in cells.iter().filter_map(|cell| self.state.snapshot(cell)) {
                let (uri, version) = (cell.shown_uri().clone(), cell.cell.as_ref().map(|cell| cell.version));
                self.send(Outgoing::Publish { uri, diagnostics: cell.pushed(), version });
            }
            if cells.is_empty() {
                self.send(Outgoing::Publish { uri: done.uri, diagnostics: snapshot.pushed(), version: Some(version) });
            }
        }
        if client.pulls_diagnostics && client.refreshes_diagnostics && same_text && differ {
            self.send(Outgoing::RefreshDiagnostics);
        }
        if client.refreshes_hints && hints_differ && !hints_asked {
            self.send(Outgoing::RefreshHints);
        }
    }

    /// Keeps what became of tests, unless the text has changed since, and has the client show it.
    fn tested(&mut self, uri: &Uri, version: i32, tested: Tested) {
        let client = self.state.client.clone();
        let Some(document) = self.state.document(uri).filter(|document| document.version == version) else { return };
        let all = match &document.tested {
            Some(before) => before.with(tested),
            None => tested,
        };
        document.tested = Some(Arc::new(all));
        if client.refreshes_lenses {
            self.send(Outgoing::RefreshLenses);
        }
        // Without a fresh analysis they are shown with the next one. Not all clients that ask for diagnostics can be told to ask
        // again, so these are pushed to all.
        if let Some(snapshot) = self.state.snapshot(uri) {
            self.send(Outgoing::Publish { uri: uri.clone(), diagnostics: snapshot.pushed(), version: Some(version) });
        }
    }

    /// Has the documents that are made of a file compared with what the client shows of them, behind the answers that it waits for.
    fn look_at_contents(&mut self, snapshot: &Arc<Snapshot>) {
        self.state.contents.retain(|watched| !watched.shown.is_forgotten());
        for watched in self.state.contents.iter().filter(|watched| watched.content.source == snapshot.uri) {
            let outgoing = self.outgoing.clone();
            // Fails only when the transport has ended.
            let tell = move |uri| drop(outgoing.send(Outgoing::RefreshContent(uri)));
            self.requests.submit(Box::new(Look { watched: watched.clone(), tell }), snapshot.clone());
        }
    }

    /// Cancels everything, and refuses whoever waits.
    fn stop(&mut self) {
        let uris: Vec<Uri> = self.state.documents().map(|document| document.uri.clone()).collect();
        for uri in uris {
            self.forget(&uri, Refusal::NotOpen);
        }
    }

    fn send(&self, message: Outgoing) {
        // Fails only when the transport has ended.
        let _ = self.outgoing.send(message);
    }
}
