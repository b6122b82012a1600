//! Saved reports: however large the file is, what it says of launches is there at once, and what it lists is summed up after that.

use crate::app::report::Report;
use pallas_engine::Cancel;
use pallas_engine::report::Report as Profile;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes between two words on how far it is.
const EVERY: u64 = 8 << 20;

/// Reads a report. Where it lists many events, `first` gets it without them; `tell` hears how many bytes of how many have been
/// read.
///
/// # Errors
/// A message: the file cannot be read, or is no report.
pub(crate) fn open(
    path: &Path,
    cancel: &Cancel,
    first: impl FnOnce(Report),
    tell: impl FnMut(u64, u64),
) -> Result<Report, String> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("{shown}: no such file"),
        _ => format!("{shown}: {error}"),
    })?;
    let all = file.metadata().map_or(0, |metadata| metadata.len());
    let counted = Counted { file, done: 0, told: 0, all, cancel, tell };
    let opening = Profile::open(counted).map_err(|error| format!("{shown}: {error}"))?;
    let opened = |profile| Report::opened(profile).map_err(|error| format!("{shown}: {error}"));
    if opening.unread() > 0 {
        first(opened(opening.report().clone())?);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    opened(opening.finish(threads).map_err(|error| format!("{shown}: {error}"))?)
}

/// A file of which it is known how much has been read.
struct Counted<'a, T> {
    file: File,
    done: u64,
    told: u64,
    all: u64,
    cancel: &'a Cancel,
    tell: T,
}

impl<T: FnMut(u64, u64)> Read for Counted<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("stopped"));
        }
        let count = self.file.read(buffer)?;
        self.done += count as u64;
        if self.done >= self.told + EVERY {
            self.told = self.done;
            (self.tell)(self.done, self.all);
        }
        Ok(count)
    }
}

impl<T> Seek for Counted<'_, T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.done = self.file.seek(to)?;
        self.told = self.done;
        Ok(self.done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;

    #[test]
    fn a_saved_report_is_opened_and_what_is_none_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("report.json");
        let live = samples::measured();
        let profile = live.with_run((**live.profile.as_ref().expect("a profile")).clone());
        std::fs::write(&file, profile.to_json().expect("it is written")).expect("written");
        let opened = open(&file, &Cancel::new(), |_| {}, |_, _| {}).expect("it is opened");
        assert!(opened.is_opened() && opened.launches[0].ran && !opened.launches[1].ran);
        assert_eq!(opened.ran.as_ref().map(|ran| ran.printed.as_str()), Some("done\n"));
        assert_eq!(opened.launches[0].launch.grid, [4, 2, 4]);
        std::fs::write(&file, "{\"version\": 99}").expect("written");
        let newer = open(&file, &Cancel::new(), |_| {}, |_, _| {}).expect_err("it is newer");
        assert!(newer.contains("of version 99"), "{newer}");
        std::fs::write(&file, "x = 1").expect("written");
        let wrong = open(&file, &Cancel::new(), |_| {}, |_, _| {}).expect_err("it is no report");
        assert!(wrong.contains("not a profile report"), "{wrong}");
        let missing =
            open(&folder.path().join("no.json"), &Cancel::new(), |_| {}, |_, _| {}).expect_err("it is not there");
        assert!(missing.contains("no such file"), "{missing}");
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(open(&file, &cancel, |_| {}, |_, _| {}).is_err());
    }
}
