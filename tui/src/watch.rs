//! Says when one of a set of files has new content: once for each save, however the editor saves.
//!
//! Editors replace files: they write beside them and rename, or remove and create. A watch on the file itself would be
//! lost with the first save, so the parent folders are watched. Events are only a reason to look: what counts is whether
//! the content changed, so that `touch`, a mere read, or two events for one save do nothing.

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// A save is over when nothing happened for so long.
const QUIET: Duration = Duration::from_millis(30);
/// But after so long it is looked at in any case.
const LATEST: Duration = Duration::from_millis(500);
/// A file that is not there is waited for so long: editors remove before they create.
const GONE: Duration = Duration::from_secs(1);
/// How often a file system without events is asked.
const POLL: Duration = Duration::from_secs(1);

/// What the watcher has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// These files have new content, or are gone.
    Changed(Vec<PathBuf>),
    /// Changes are seen late, or not at all, for this reason.
    Problem(String),
}

/// What the watching thread is told.
enum Order {
    Event(notify::Result<Event>),
    /// These files, with a hash of what was read of them, where that is known.
    Files(Vec<(PathBuf, Seen)>),
}

/// A running watcher. Dropping it ends its thread.
pub(crate) struct FileWatcher {
    orders: Sender<Order>,
}

impl FileWatcher {
    /// Starts watching these files, and calls `notice` from a thread of its own.
    ///
    /// # Errors
    /// A message where no thread can be started.
    pub(crate) fn start(files: Vec<PathBuf>, notice: impl FnMut(Notice) + Send + 'static) -> Result<Self, String> {
        FileWatcher::start_as(files, false, notice)
    }

    /// The same, asking the files themselves every second if `polls`: for file systems that send no events.
    ///
    /// # Errors
    /// A message where no thread can be started.
    pub(crate) fn start_as(
        files: Vec<PathBuf>,
        polls: bool,
        notice: impl FnMut(Notice) + Send + 'static,
    ) -> Result<Self, String> {
        let (orders, inbox) = channel();
        let events = orders.clone();
        std::thread::Builder::new()
            .name("watcher".to_string())
            .spawn(move || {
                let mut state = State::new(events, polls, notice);
                state.set(files.into_iter().map(|file| (file, Seen::Nothing)).collect());
                state.run(&inbox);
            })
            .map_err(|error| format!("cannot watch files: {error}"))?;
        Ok(FileWatcher { orders })
    }

    /// Watches these files instead, of which this has been read: what was saved since then is new, too. Files that were missing
    /// are waited for; what is there of them by now is new.
    pub(crate) fn set_read(&self, files: Vec<(PathBuf, Option<&str>)>, missing: Vec<PathBuf>) {
        let seen = |text: Option<&str>| text.map_or(Seen::Nothing, |text| Seen::Text(hash(text.as_bytes())));
        let files = files.into_iter().map(|(file, text)| (file, seen(text)));
        let missing = missing.into_iter().map(|file| (file, Seen::Missing));
        let _ = self.orders.send(Order::Files(files.chain(missing).collect()));
    }
}

/// What somebody has seen of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Nobody has looked: what it holds now is no news.
    Nothing,
    /// It was not there: if it is now, it was saved since.
    Missing,
    /// A text with this hash.
    Text(u64),
}

/// What a watcher says of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// When the file is closed after it; the writes before that can be passed over.
    Closes,
    /// That content changed.
    Writes,
    /// That something about the file changed: a new time may be all that it tells of new content.
    Polls,
}

/// The watching thread.
struct State<N> {
    notice: N,
    events: Sender<Order>,
    watcher: Option<Box<dyn Watcher + Send>>,
    /// What its events mean.
    kind: Kind,
    /// Whether the system's own events are not to be used.
    polls: bool,
    /// Files that somebody has created, and has not closed yet.
    open: HashSet<PathBuf>,
    folders: Vec<PathBuf>,
    /// Files as named, by their real folder and name, with a hash of their content.
    files: HashMap<PathBuf, (PathBuf, Option<u64>)>,
    /// A problem is said once.
    troubled: bool,
    /// Since when a file is not there that was.
    gone: Option<Instant>,
}

impl<N: FnMut(Notice)> State<N> {
    fn new(events: Sender<Order>, polls: bool, notice: N) -> Self {
        State {
            notice,
            events,
            watcher: None,
            kind: Kind::Writes,
            polls,
            open: HashSet::new(),
            folders: Vec::new(),
            files: HashMap::new(),
            troubled: false,
            gone: None,
        }
    }

    fn problem(&mut self, text: String) {
        if !self.troubled {
            self.troubled = true;
            (self.notice)(Notice::Problem(text));
        }
    }

    /// Watches the folders of these files. Content that is known stays known, so that a save between two sets counts. Whether
    /// one has other content now than was read of it.
    fn set(&mut self, files: Vec<(PathBuf, Seen)>) -> bool {
        let mut known = std::mem::take(&mut self.files);
        let mut missed = false;
        for (file, read) in files {
            let Some(real) = real(&file) else { continue };
            let entry = known.remove(&real).unwrap_or_else(|| {
                let now = stamp(&real);
                let read = match read {
                    Seen::Nothing => now,
                    Seen::Missing => None,
                    Seen::Text(hash) => Some(hash),
                };
                missed |= now.is_some() && read != now;
                (file, read)
            });
            self.files.insert(real, entry);
        }
        let mut folders: Vec<PathBuf> =
            self.files.keys().filter_map(|file| file.parent().map(Path::to_path_buf)).collect();
        folders.sort();
        folders.dedup();
        if folders != self.folders || self.watcher.is_none() {
            self.folders = folders;
            self.arm();
        }
        missed
    }

    /// Makes a watcher for the folders: the system's own, or one that polls where that fails.
    fn arm(&mut self) {
        self.watcher = None;
        let folders = self.folders.clone();
        let watch = |mut watcher: Box<dyn Watcher + Send>| -> notify::Result<Box<dyn Watcher + Send>> {
            for folder in &folders {
                watcher.watch(folder, RecursiveMode::NonRecursive)?;
            }
            Ok(watcher)
        };
        if !self.polls {
            let events = self.events.clone();
            let native = notify::recommended_watcher(move |event| {
                let _ = events.send(Order::Event(event));
            });
            match native.and_then(|watcher| watch(Box::new(watcher))) {
                Ok(watcher) => {
                    let is_inotify = RecommendedWatcher::kind() == WatcherKind::Inotify;
                    self.kind = if is_inotify { Kind::Closes } else { Kind::Writes };
                    self.watcher = Some(watcher);
                    return;
                }
                Err(error) => self.problem(format!("no file events ({}), asking every second", reason(&error))),
            }
        }
        let events = self.events.clone();
        let config = Config::default().with_poll_interval(POLL).with_compare_contents(true);
        let poll = PollWatcher::new(
            move |event| {
                let _ = events.send(Order::Event(event));
            },
            config,
        );
        self.kind = Kind::Polls;
        match poll.and_then(|watcher| watch(Box::new(watcher))) {
            Ok(watcher) => self.watcher = Some(watcher),
            Err(error) => {
                self.troubled = false;
                self.problem(format!("cannot watch: {}; press r after a save", reason(&error)));
            }
        }
    }

    fn run(&mut self, inbox: &Receiver<Order>) {
        let mut since: Option<Instant> = None;
        loop {
            let order = match (since, self.gone) {
                (None, None) => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                (None, Some(first)) => inbox.recv_timeout(GONE.saturating_sub(first.elapsed())),
                (Some(first), _) => inbox.recv_timeout(QUIET.min(LATEST.saturating_sub(first.elapsed()))),
            };
            match order {
                Ok(Order::Files(files)) => {
                    // The watcher itself holds a sender: an empty set of files is the order to end.
                    if files.is_empty() {
                        return;
                    }
                    // It may be in the middle of a save: that one is over when nothing happens for a while, like any other.
                    if self.set(files) {
                        since.get_or_insert_with(Instant::now);
                    }
                    continue;
                }
                Ok(Order::Event(Ok(event))) => {
                    self.follow(&event);
                    if !self.concerns(&event) {
                        if since.is_none_or(|first| first.elapsed() < LATEST) {
                            continue;
                        }
                    } else if since.get_or_insert_with(Instant::now).elapsed() < LATEST {
                        continue;
                    }
                }
                Ok(Order::Event(Err(error))) => {
                    self.problem(format!("the watcher reports: {}", reason(&error)));
                    continue;
                }
                // A file that is being written is waited for, though not for ever: what is made as a link is never closed.
                Err(RecvTimeoutError::Timeout)
                    if !self.open.is_empty() && since.is_some_and(|first| first.elapsed() < LATEST) =>
                {
                    continue;
                }
                Err(RecvTimeoutError::Timeout) if since.is_none() => {
                    self.miss();
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.open.clear();
            if since.take().is_some() {
                self.compare();
            }
        }
    }

    /// Keeps account of watched files that were created and not yet closed.
    fn follow(&mut self, event: &Event) {
        if self.kind != Kind::Closes {
            return;
        }
        match event.kind {
            EventKind::Create(_) => {
                let watched = event.paths.iter().filter(|path| self.files.contains_key(*path));
                self.open.extend(watched.cloned());
            }
            EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Remove(_) => {
                for path in &event.paths {
                    self.open.remove(path);
                }
            }
            _ => {}
        }
    }

    /// Whether an event may be about new content of a watched file.
    fn concerns(&self, event: &Event) -> bool {
        event.need_rescan()
            || (is_write(event.kind, self.kind) && event.paths.iter().any(|path| self.files.contains_key(path)))
    }

    /// Says which files have new content. One that is not there is waited for.
    fn compare(&mut self) {
        let changed = self.changed(|now, seen| now.is_some() && now != seen);
        let is_gone = self.files.iter().any(|(real, (_, seen))| seen.is_some() && stamp(real).is_none());
        self.gone = is_gone.then(|| self.gone.unwrap_or_else(Instant::now));
        self.say(changed);
    }

    /// Says which files are gone for good.
    fn miss(&mut self) {
        self.gone = None;
        let changed = self.changed(|now, seen| now.is_none() && seen.is_some());
        self.say(changed);
    }

    /// The files of which this is so, by what they hold now and what was seen of them; that is seen from now on.
    fn changed(&mut self, is_so: impl Fn(Option<u64>, Option<u64>) -> bool) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (real, (named, seen)) in &mut self.files {
            let now = stamp(real);
            if is_so(now, *seen) {
                *seen = now;
                changed.push(named.clone());
            }
        }
        changed
    }

    fn say(&mut self, mut changed: Vec<PathBuf>) {
        if !changed.is_empty() {
            changed.sort();
            (self.notice)(Notice::Changed(changed));
        }
    }
}

impl Drop for FileWatcher {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::Files(Vec::new()));
    }
}

/// Whether an event of this kind can mean new content.
fn is_write(event: EventKind, kind: Kind) -> bool {
    match event {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        // Our own reading is an access: acting on it would never end.
        EventKind::Access(_) => false,
        EventKind::Modify(ModifyKind::Metadata(_)) => kind == Kind::Polls,
        EventKind::Modify(ModifyKind::Data(_)) => kind != Kind::Closes,
        _ => true,
    }
}

/// The path as events name it: the real folder and the file's name. The file itself may be missing, or be a link.
fn real(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(std::fs::canonicalize(folder).ok()?.join(name))
}

/// From so many bytes on, a file's length and time stand for its content: reports of a gigabyte are not read twice.
const LARGE: u64 = 16 << 20;

fn stamp(path: &Path) -> Option<u64> {
    let metadata = std::fs::metadata(path).ok()?;
    if metadata.len() >= LARGE {
        let mut hasher = DefaultHasher::new();
        (metadata.len(), metadata.modified().ok()).hash(&mut hasher);
        return Some(hasher.finish());
    }
    std::fs::read(path).ok().map(|bytes| hash(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes)))
}

/// A hash of a file's content, without the mark at its beginning that reading leaves out.
fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

/// An error with advice where there is any.
fn reason(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "the system's limit of watches is reached; raise fs.inotify.max_user_watches".to_string()
        }
        notify::ErrorKind::PathNotFound => "the folder is gone".to_string(),
        notify::ErrorKind::Io(error) => error.to_string(),
        notify::ErrorKind::Generic(text) => text.clone(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
