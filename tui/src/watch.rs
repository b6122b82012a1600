//! Says when one of a set of files has new content: once for each save, however the editor saves.
//!
//! Editors replace files: they write beside them and rename, or remove and create. A watch on the file itself would be
//! lost with the first save, so the parent folders are watched. Events are only a reason to look: what counts is whether
//! the content changed, so that `touch`, a mere read, or two events for one save do nothing.

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// A save is over when nothing happened for so long.
const QUIET: Duration = Duration::from_millis(30);
/// But after so long it is looked at in any case.
const LATEST: Duration = Duration::from_millis(500);
/// How often a file system without events is asked.
const POLL: Duration = Duration::from_secs(1);

/// What the watcher has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// These files have new content.
    Changed(Vec<PathBuf>),
    /// Changes are seen late, or not at all, for this reason.
    Problem(String),
}

/// What the watching thread is told.
enum Order {
    Event(notify::Result<Event>),
    Files(Vec<PathBuf>),
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
        let (orders, inbox) = channel();
        let events = orders.clone();
        std::thread::Builder::new()
            .name("watcher".to_string())
            .spawn(move || {
                let mut state = State::new(events, notice);
                state.set(files);
                state.run(&inbox);
            })
            .map_err(|error| format!("cannot watch files: {error}"))?;
        Ok(FileWatcher { orders })
    }

    /// Watches these files instead.
    pub(crate) fn set(&self, files: Vec<PathBuf>) {
        // A watcher that is gone has said why.
        let _ = self.orders.send(Order::Files(files));
    }
}

/// The watching thread.
struct State<N> {
    notice: N,
    events: Sender<Order>,
    watcher: Option<Box<dyn Watcher + Send>>,
    /// Whether the end of a write is an event of its own, so that the writes before it can be passed over.
    closes: bool,
    folders: Vec<PathBuf>,
    /// Files as named, by their real folder and name, with a hash of their content.
    files: HashMap<PathBuf, (PathBuf, Option<u64>)>,
    /// A problem is said once.
    troubled: bool,
}

impl<N: FnMut(Notice)> State<N> {
    fn new(events: Sender<Order>, notice: N) -> Self {
        State {
            notice,
            events,
            watcher: None,
            closes: false,
            folders: Vec::new(),
            files: HashMap::new(),
            troubled: false,
        }
    }

    fn problem(&mut self, text: String) {
        if !self.troubled {
            self.troubled = true;
            (self.notice)(Notice::Problem(text));
        }
    }

    /// Watches the folders of these files. Content that is known stays known, so that a save between two sets counts.
    fn set(&mut self, files: Vec<PathBuf>) {
        let mut known = std::mem::take(&mut self.files);
        for file in files {
            let Some(real) = real(&file) else { continue };
            let entry = known.remove(&real).unwrap_or_else(|| (file, stamp(&real)));
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
        let events = self.events.clone();
        let native = notify::recommended_watcher(move |event| {
            let _ = events.send(Order::Event(event));
        });
        let native = native.and_then(|watcher| watch(Box::new(watcher)));
        match native {
            Ok(watcher) => {
                self.closes = RecommendedWatcher::kind() == WatcherKind::Inotify;
                self.watcher = Some(watcher);
            }
            Err(error) => {
                self.problem(format!("no file events ({}), asking every second", reason(&error)));
                let events = self.events.clone();
                let config = Config::default().with_poll_interval(POLL).with_compare_contents(true);
                let poll = PollWatcher::new(
                    move |event| {
                        let _ = events.send(Order::Event(event));
                    },
                    config,
                );
                self.closes = false;
                match poll.and_then(|watcher| watch(Box::new(watcher))) {
                    Ok(watcher) => self.watcher = Some(watcher),
                    Err(error) => {
                        self.troubled = false;
                        self.problem(format!("cannot watch: {}; press r after a save", reason(&error)));
                    }
                }
            }
        }
    }

    fn run(&mut self, inbox: &Receiver<Order>) {
        let mut since: Option<Instant> = None;
        loop {
            let order = match since {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(first) => inbox.recv_timeout(QUIET.min(LATEST.saturating_sub(first.elapsed()))),
            };
            match order {
                Ok(Order::Files(files)) => {
                    // The watcher itself holds a sender: an empty set of files is the order to end.
                    if files.is_empty() {
                        return;
                    }
                    self.set(files);
                    continue;
                }
                Ok(Order::Event(Ok(event))) => {
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
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if since.take().is_some() {
                self.compare();
            }
        }
    }

    /// Whether an event may be about new content of a watched file.
    fn concerns(&self, event: &Event) -> bool {
        event.need_rescan()
            || (is_write(event.kind, self.closes) && event.paths.iter().any(|path| self.files.contains_key(path)))
    }

    /// Says which files have new content. A file that is missing is waited for: editors remove before they create.
    fn compare(&mut self) {
        let mut changed = Vec::new();
        for (real, (named, seen)) in &mut self.files {
            let now = stamp(real);
            if now.is_some() && now != *seen {
                *seen = now;
                changed.push(named.clone());
            }
        }
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
fn is_write(kind: EventKind, closes: bool) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        // Our own reading is an access: acting on it would never end.
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        EventKind::Modify(ModifyKind::Data(_)) => !closes,
        _ => true,
    }
}

/// The path as events name it: the real folder and the file's name. The file itself may be missing, or be a link.
fn real(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(std::fs::canonicalize(folder).ok()?.join(name))
}

fn stamp(path: &Path) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Some(hasher.finish())
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
mod tests {
    use super::*;
    use std::fs;

    struct Fixture {
        folder: tempfile::TempDir,
        file: PathBuf,
        notices: Receiver<Notice>,
        _watcher: FileWatcher,
    }

    fn watched() -> Fixture {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("kernel.py");
        fs::write(&file, "one").expect("written");
        let (sender, notices) = channel();
        let watcher = FileWatcher::start(vec![file.clone()], move |notice| {
            let _ = sender.send(notice);
        });
        let fixture = Fixture { folder, file, notices, _watcher: watcher.expect("a watcher") };
        // The watcher arms in its own thread; an order is answered after that.
        std::thread::sleep(Duration::from_millis(150));
        fixture
    }

    impl Fixture {
        /// One notice, and no second one for the same save.
        fn expect_one(&self, what: &str) {
            let notice = self.notices.recv_timeout(Duration::from_secs(5));
            assert_eq!(notice, Ok(Notice::Changed(vec![self.file.clone()])), "{what}");
            self.expect_none(what);
        }

        fn expect_none(&self, what: &str) {
            let more = self.notices.recv_timeout(Duration::from_millis(200));
            assert_eq!(more, Err(RecvTimeoutError::Timeout), "{what}");
        }
    }

    #[test]
    fn a_save_in_place_is_seen_once() {
        let fixture = watched();
        fs::write(&fixture.file, "two").expect("written");
        fixture.expect_one("in place, as VS Code and nano save");
        fs::write(&fixture.file, "three").expect("written");
        fixture.expect_one("in place, again");
    }

    #[test]
    fn a_save_by_rename_is_seen_each_time() {
        let fixture = watched();
        for text in ["two", "three"] {
            let beside = fixture.folder.path().join(".kernel.py.tmp");
            fs::write(&beside, text).expect("written");
            fs::rename(&beside, &fixture.file).expect("renamed");
            fixture.expect_one("a temporary file renamed, as helix and sed -i save");
        }
    }

    #[test]
    fn a_save_with_a_backup_as_vim_makes_it_is_seen_once() {
        let fixture = watched();
        let probe = fixture.folder.path().join("4913");
        let backup = fixture.folder.path().join("kernel.py~");
        for text in ["two", "three"] {
            fs::write(&probe, "").expect("written");
            fs::remove_file(&probe).expect("removed");
            fs::rename(&fixture.file, &backup).expect("renamed");
            std::thread::sleep(Duration::from_millis(5));
            fs::write(&fixture.file, text).expect("written");
            fs::remove_file(&backup).expect("removed");
            fixture.expect_one("backup renamed, file written anew, backup removed");
        }
    }

    #[test]
    fn a_save_as_emacs_makes_it_is_seen_once() {
        let fixture = watched();
        fs::rename(&fixture.file, fixture.folder.path().join("kernel.py~")).expect("renamed");
        fs::write(&fixture.file, "two").expect("written");
        fixture.expect_one("renamed to a backup that stays, file written anew");
    }

    #[test]
    fn a_file_removed_and_made_again_is_seen_when_it_is_there() {
        let fixture = watched();
        fs::remove_file(&fixture.file).expect("removed");
        fixture.expect_none("a missing file is waited for");
        fs::write(&fixture.file, "two").expect("written");
        fixture.expect_one("there again");
    }

    #[test]
    fn many_writes_of_one_save_are_seen_once() {
        use std::io::Write;
        let fixture = watched();
        let mut file = fs::File::create(&fixture.file).expect("created");
        for _ in 0..5 {
            file.write_all(b"piece").expect("written");
            file.flush().expect("flushed");
            std::thread::sleep(Duration::from_millis(3));
        }
        drop(file);
        fixture.expect_one("truncated, then written in pieces");
    }

    #[test]
    fn what_changes_nothing_is_not_seen() {
        let fixture = watched();
        fs::write(&fixture.file, "one").expect("written");
        fixture.expect_none("the same content");
        fs::read(&fixture.file).expect("read");
        fixture.expect_none("a read");
        fs::write(fixture.folder.path().join("other.py"), "x").expect("written");
        fixture.expect_none("another file");
    }

    #[test]
    fn other_files_can_be_watched_later() {
        let fixture = watched();
        let module = fixture.folder.path().join("module.py");
        fs::write(&module, "a").expect("written");
        fixture._watcher.set(vec![fixture.file.clone(), module.clone()]);
        std::thread::sleep(Duration::from_millis(100));
        fs::write(&module, "b").expect("written");
        let notice = fixture.notices.recv_timeout(Duration::from_secs(5));
        assert_eq!(notice, Ok(Notice::Changed(vec![module])));
    }

    #[test]
    fn only_writes_count() {
        use notify::event::{CreateKind, DataChange, MetadataKind, RenameMode};
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert!(!is_write(data, true) && is_write(data, false));
        assert!(!is_write(EventKind::Access(AccessKind::Open(AccessMode::Any)), false));
        assert!(!is_write(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)), false));
        assert!(is_write(EventKind::Access(AccessKind::Close(AccessMode::Write)), true));
        assert!(is_write(EventKind::Modify(ModifyKind::Name(RenameMode::To)), true));
        assert!(is_write(EventKind::Create(CreateKind::File), true));
    }
}
