//! The watcher on real files, saved in the ways in which editors save.

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
    fixture._watcher.set_read(vec![(fixture.file.clone(), None), (module.clone(), None)], Vec::new());
    std::thread::sleep(Duration::from_millis(100));
    fs::write(&module, "b").expect("written");
    let notice = fixture.notices.recv_timeout(Duration::from_secs(5));
    assert_eq!(notice, Ok(Notice::Changed(vec![module])));
}

#[test]
fn only_writes_count() {
    use notify::event::{CreateKind, DataChange, MetadataKind, RenameMode};
    let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    assert!(!is_write(data, Kind::Closes) && is_write(data, Kind::Writes) && is_write(data, Kind::Polls));
    let metadata = EventKind::Modify(ModifyKind::Metadata(MetadataKind::WriteTime));
    assert!(!is_write(metadata, Kind::Closes) && !is_write(metadata, Kind::Writes) && is_write(metadata, Kind::Polls));
    assert!(!is_write(EventKind::Access(AccessKind::Open(AccessMode::Any)), Kind::Polls));
    assert!(is_write(EventKind::Access(AccessKind::Close(AccessMode::Write)), Kind::Closes));
    assert!(is_write(EventKind::Modify(ModifyKind::Name(RenameMode::To)), Kind::Closes));
    assert!(is_write(EventKind::Create(CreateKind::File), Kind::Closes));
}

/// Runs a program on the file; `false` where the machine has none of that name.
fn with(program: &str, arguments: &[&str], file: &Path) -> bool {
    use std::process::{Command, Stdio};
    let quiet = || Stdio::null();
    let status =
        Command::new(program).args(arguments).arg(file).stdin(quiet()).stdout(quiet()).stderr(quiet()).status();
    match status {
        Ok(status) => {
            assert!(status.success(), "{program} {arguments:?}: {status}");
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{program}: {error}");
            false
        }
    }
}

#[test]
fn the_programs_themselves_save_once() {
    let fixture = watched();
    if with("sed", &["-i", "s/one/two/"], &fixture.file) {
        fixture.expect_one("sed -i");
    }
    // Vim keeps no backups of what is in /tmp unless it is told to, and saves another way then.
    let save = ["-u", "NONE", "-es", "--cmd", "set nocompatible backupskip= writebackup"];
    for (way, text) in [("auto", "three"), ("no", "four"), ("yes", "five")] {
        let (set, put) = (format!("set backupcopy={way}"), format!("normal! cc{text}"));
        let arguments = [&save[..], &["--cmd", &set, "-c", &put, "-c", "wq"]].concat();
        if with("vim", &arguments, &fixture.file) {
            assert_eq!(fs::read_to_string(&fixture.file).expect("read"), format!("{text}\n"));
            fixture.expect_one(&format!("vim with backupcopy={way}"));
        }
    }
    if with("touch", &[], &fixture.file) {
        fixture.expect_none("touch");
    }
}

#[test]
fn a_save_in_two_chunks_is_seen_when_it_is_whole() {
    use std::io::Write;
    let fixture = watched();
    let pause = || std::thread::sleep(4 * QUIET);
    let in_place = fs::File::create(&fixture.file);
    // As emacs saves: the old file becomes the backup, so that the new one is made and not only written.
    let anew = || {
        fs::rename(&fixture.file, fixture.folder.path().join("kernel.py~")).expect("renamed");
        fs::File::create(&fixture.file)
    };
    let write = |file: std::io::Result<fs::File>, text: &str| {
        let mut file = file.expect("created");
        file.write_all(text.as_bytes()).expect("written");
        pause();
        file.write_all(b", and more").expect("written");
    };
    // Where the system does not say that a file was closed, a pause looks like the end.
    if RecommendedWatcher::kind() == WatcherKind::Inotify {
        write(in_place, "two");
        fixture.expect_one("two chunks in place");
        write(anew(), "three");
        fixture.expect_one("two chunks of a new file");
    }
}

#[test]
fn what_was_saved_while_it_was_read_is_not_lost() {
    let fixture = watched();
    let module = fixture.folder.path().join("module.py");
    fs::write(&module, "\u{feff}new").expect("written");
    // The program read the module before it was saved, and is done only now.
    fixture._watcher.set_read(vec![(fixture.file.clone(), Some("one")), (module.clone(), Some("old"))], Vec::new());
    let notice = fixture.notices.recv_timeout(Duration::from_secs(5));
    assert_eq!(notice, Ok(Notice::Changed(vec![module.clone()])));
    fixture._watcher.set_read(vec![(fixture.file.clone(), Some("one")), (module, Some("new"))], Vec::new());
    fixture.expect_none("what was read is what is there, but for the mark at its beginning");
}

#[test]
fn a_file_that_was_missing_and_is_there_before_it_is_watched_is_not_lost() {
    let fixture = watched();
    let module = fixture.folder.path().join("sizes.py");
    // A run has looked for it in vain, and it is saved before the watcher hears of it.
    fs::write(&module, "new").expect("written");
    fixture._watcher.set_read(vec![(fixture.file.clone(), Some("one"))], vec![module.clone()]);
    let notice = fixture.notices.recv_timeout(Duration::from_secs(5));
    assert_eq!(notice, Ok(Notice::Changed(vec![module.clone()])));
    // It is told once.
    fixture._watcher.set_read(vec![(fixture.file.clone(), Some("one")), (module, Some("new"))], Vec::new());
    fixture.expect_none("it has been told");
}

#[test]
fn polling_sees_a_save_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kernel.py");
    fs::write(&file, "one").expect("written");
    let (sender, notices) = channel();
    let _watcher = FileWatcher::start_as(vec![file.clone()], true, move |notice| {
        let _ = sender.send(notice);
    })
    .expect("a watcher");
    std::thread::sleep(POLL);
    fs::write(&file, "two").expect("written");
    assert_eq!(notices.recv_timeout(Duration::from_secs(20)), Ok(Notice::Changed(vec![file])));
}

#[test]
fn a_file_that_is_gone_for_good_is_news_once_and_so_is_its_return() {
    let fixture = watched();
    fs::remove_file(&fixture.file).expect("removed");
    fixture.expect_none("it may come back");
    fixture.expect_one("it did not");
    fs::write(&fixture.file, "one").expect("written");
    fixture.expect_one("as it was before, and there again");
}
