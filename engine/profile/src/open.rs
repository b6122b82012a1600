//! A report, opened in two steps: everything but long lists of events first, which takes no longer than it takes to look at the
//! file, then the lists, which are summed up by several threads. What comes of it is what [`Report::read`] makes of it, and what
//! the quick way cannot read is read that way.

use crate::brief::{self, Told};
use crate::listed::Listed;
use crate::read::ReadError;
use crate::report::Report;
use crate::sift::Sift;
use std::collections::VecDeque;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Bytes of a list that a thread reads at once.
const PIECE: usize = 1 << 20;
/// The most threads: with more, the one that reads the file is the slowest.
const MOST_THREADS: usize = 6;

/// A report whose long lists of events have not been read.
pub struct Opening<R> {
    source: R,
    report: Report,
    sections: Vec<Range<u64>>,
}

/// A part of a list, and whom to tell what it says; `None` if that cannot be told.
type Job = (Vec<u8>, Sender<Option<Told>>);

impl Report {
    /// Opens a report.
    ///
    /// # Errors
    /// If it is none, or too new.
    pub fn open<R: Read + Seek>(mut source: R) -> Result<Opening<R>, ReadError> {
        let mut sift = Sift::new(&mut source);
        let read = Report::parse(&mut sift);
        let (_, sections) = sift.into_parts();
        match read {
            Ok(report) if numbers(&report).eq(0..sections.len()) => Ok(Opening { source, report, sections }),
            Err(error) if sections.is_empty() => Err(error),
            _ => {
                let report = slowly(&mut source)?;
                Ok(Opening { source, report, sections: Vec::new() })
            }
        }
    }
}

impl<R: Read + Seek> Opening<R> {
    /// What has been read of it.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Bytes that have not been read.
    pub fn unread(&self) -> u64 {
        self.sections.iter().map(|section| section.end - section.start).sum()
    }

    /// Reads the rest on so many threads. However many they are, the result is the same.
    ///
    /// # Errors
    /// If it is no report after all.
    pub fn finish(self, threads: usize) -> Result<Report, ReadError> {
        let Opening { mut source, mut report, sections } = self;
        if sections.is_empty() {
            return Ok(report);
        }
        for launch in &mut report.launches {
            let Some(measured) = &mut launch.measured else { continue };
            let Some(section) = measured.unread.take().and_then(|number| sections.get(number)) else { continue };
            match listed(&mut source, section.clone(), threads.clamp(1, MOST_THREADS)) {
                Some(events) => measured.take_in(events),
                None => return slowly(&mut source),
            }
        }
        Ok(report)
    }
}

/// The numbers of lists that were left out.
fn numbers(report: &Report) -> impl Iterator<Item = usize> {
    report.launches.iter().filter_map(|launch| launch.measured.as_ref()?.unread)
}

/// Reads a report from its beginning to its end.
fn slowly<R: Read + Seek>(source: &mut R) -> Result<Report, ReadError> {
    source.rewind().map_err(|error| ReadError::Malformed(error.to_string()))?;
    Report::read_from(std::io::BufReader::with_capacity(1 << 18, source))
}

/// Sums up a list; `None` if it cannot be read this way.
fn listed<R: Read + Seek>(source: &mut R, section: Range<u64>, threads: usize) -> Option<Listed> {
    source.seek(SeekFrom::Start(section.start)).ok()?;
    let mut source = source.take(section.end - section.start);
    let (jobs, inbox) = channel::<Job>();
    let inbox = Mutex::new(inbox);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&inbox));
        }
        // Moved in here, so that the threads end however this ends.
        let jobs = jobs;
        let mut listed = Listed::new();
        let mut under_way: VecDeque<Receiver<Option<Told>>> = VecDeque::new();
        let mut rest = Vec::new();
        loop {
            let piece = next_piece(&mut source, &mut rest)?;
            let ended = piece.is_empty();
            while under_way.len() >= 2 * threads || (ended && !under_way.is_empty()) {
                // In the order of the file, so that it does not matter who was done first.
                let told = under_way.pop_front()?.recv().ok()??;
                listed.take_in_all(told);
            }
            if ended {
                return Some(listed);
            }
            let (answer, answered) = channel();
            jobs.send((piece, answer)).ok()?;
            under_way.push_back(answered);
        }
    })
}

/// Reads pieces of lists until there are no more.
fn work(inbox: &Mutex<Receiver<Job>>) {
    loop {
        let job = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((piece, answer)) = job else { return };
        // Nobody waits where a piece before this one could not be read.
        let _ = answer.send(brief::read(&piece).ok());
    }
}

/// The next events of a list, as many as are in a piece; nothing at its end, `None` if it cannot be cut.
fn next_piece(source: &mut impl Read, rest: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut piece = std::mem::take(rest);
    loop {
        let begin = piece.len();
        piece.reserve(PIECE);
        let count = source.take(PIECE as u64).read_to_end(&mut piece).ok()?;
        if count < PIECE {
            return Some(piece);
        }
        // From one event to the next, over the comma between them.
        if let Some(comma) = last_comma(&piece) {
            rest.extend_from_slice(&piece[comma + 1..]);
            piece.truncate(comma);
            return Some(piece);
        }
        if begin > 16 * PIECE {
            return None;
        }
    }
}

/// The last comma between two objects.
fn last_comma(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    loop {
        let brace = memchr::memrchr(b'{', &text[..end])?;
        let before = text[..brace].trim_ascii_end();
        if let Some(front) = before.strip_suffix(b",")
            && front.trim_ascii_end().ends_with(b"}")
        {
            return Some(front.len());
        }
        end = brace;
    }
}
