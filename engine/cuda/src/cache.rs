//! What was compiled, kept in a folder: one file for each source, architecture, options and compiler. A file that is not
//! whole is found out, taken away, and made again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of compiled kernels.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What a compiled kernel depends on, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u128);

/// The first bytes of a file: what it is, and in which form.
const MAGIC: &[u8; 8] = b"PALLASK1";
/// Magic, key, length, checksum.
const HEADER: usize = 8 + 16 + 8 + 16;
/// How many bytes are kept; beyond, the oldest files go.
const MOST: u64 = 512 << 20;

impl Key {
    /// The key of what all of these parts say, in order.
    pub fn new<'a>(parts: impl IntoIterator<Item = &'a str>) -> Key {
        let mut hash = Hash::new();
        for part in parts {
            // Lengths keep the borders of parts apart.
            hash.add(&(part.len() as u64).to_le_bytes());
            hash.add(part.as_bytes());
        }
        Key(hash.0)
    }

    /// The key of what parts say, and of what was compiled where that is no text.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a str>, content: &[u8]) -> Key {
        let mut hash = Hash(Key::new(parts).0);
        hash.add(content);
        Key(hash.0)
    }
}

/// FNV-1a: the same on every machine and in every version, and good enough where nobody attacks: a wrong file would have to
/// collide in 128 bits.
struct Hash(u128);

impl Hash {
    fn new() -> Hash {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
        }
    }
}

impl Cache {
    /// A cache in a folder, which is made when something is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: folder.into() }
    }

    /// Where it keeps its files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, key: Key) -> PathBuf {
        self.folder.join(format!("{:032x}.kernel", key.0))
    }

    /// What is kept under a key. A file that is broken is taken away.
    pub fn get(&self, key: Key) -> Option<Vec<u8>> {
        let file = self.file(key);
        let bytes = fs::read(&file).ok()?;
        let content = whole(key, &bytes);
        if content.is_none() {
            // It would only be found out again.
            let _ = fs::remove_file(&file);
        }
        content
    }

    /// Keeps what a key stands for.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn put(&self, key: Key, content: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut bytes = Vec::with_capacity(HEADER + content.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&key.0.to_le_bytes());
        bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&checksum(content).to_le_bytes());
        bytes.extend_from_slice(content);
        // Another process may read at any time: what it finds under the name is whole.
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let part = self.folder.join(format!("{:032x}.{:x}.{number}.part", key.0, unique()));
        fs::write(&part, bytes)?;
        fs::rename(&part, self.file(key))?;
        self.shrink(MOST)
    }

    /// Takes the oldest files away until no more than `most` bytes are left.
    fn shrink(&self, most: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|e| e == "kernel")
                && let Ok(about) = entry.metadata()
            {
                files.push((about.modified().ok(), about.len(), entry.path()));
            }
        }
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        files.sort();
        for (_, bytes, file) in files {
            if total <= most {
                break;
            }
            // Another process may have taken it.
            let _ = fs::remove_file(file);
            total -= bytes;
        }
        Ok(())
    }
}

/// Leaves a text in a file, for somebody to read. Whether it could be written.
pub fn leave(file: &Path, text: &str) -> bool {
    file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) && fs::write(file, text).is_ok()
}

/// A number that other processes do not have: the address of something that is placed at random, which is enough for the name
/// of a file that lives for a moment.
fn unique() -> usize {
    let place = Box::new(0_u8);
    std::ptr::from_ref(&*place) as usize ^ std::ptr::from_ref(MAGIC) as usize
}

fn checksum(content: &[u8]) -> u128 {
    let mut hash = Hash::new();
    hash.add(content);
    hash.0
}

/// The content of a file, if it is what was written.
fn whole(key: Key, bytes: &[u8]) -> Option<Vec<u8>> {
    let (header, content) = bytes.split_at_checked(HEADER)?;
    let (magic, rest) = header.split_at(8);
    let (stored, rest) = rest.split_at(16);
    let (length, sum) = rest.split_at(8);
    let fits = magic == MAGIC
        && stored == key.0.to_le_bytes()
        && length == (content.len() as u64).to_le_bytes()
        && sum == checksum(content).to_le_bytes();
    fits.then(|| content.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(folder.path().join("kernels"));
        let key = Key::new(["source", "sm_90a"]);
        assert_eq!(cache.get(key), None);
        cache.put(key, b"machine code").expect("kept");
        assert_eq!(cache.get(key).as_deref(), Some(&b"machine code"[..]));
        assert_eq!(cache.get(Key::new(["source", "sm_80"])), None);
        assert_ne!(Key::new(["ab", "c"]), Key::new(["a", "bc"]));
    }

    #[test]
    fn a_broken_file_is_found_out_and_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(folder.path());
        let key = Key::new(["x"]);
        cache.put(key, b"machine code").expect("kept");
        let file = cache.file(key);
        let good = fs::read(&file).expect("read");
        let mut flipped = good.clone();
        *flipped.last_mut().expect("a byte") ^= 1;
        for bad in [&flipped[..], &good[..good.len() - 1], &good[..7], b""] {
            fs::write(&file, bad).expect("written");
            assert_eq!(cache.get(key), None);
            assert!(!file.exists(), "a broken file stays");
        }
        cache.put(key, b"machine code").expect("kept");
        assert!(cache.get(key).is_some());
        // A file of another key under this name.
        let other = Key::new(["y"]);
        fs::copy(&file, cache.file(other)).expect("copied");
        assert_eq!(cache.get(other), None);
    }

    #[test]
    fn the_oldest_go_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(folder.path());
        let keys: Vec<Key> = ["a", "b", "c"].iter().map(|&part| Key::new([part])).collect();
        for (age, &key) in keys.iter().enumerate() {
            cache.put(key, &[0; 100]).expect("kept");
            let file = fs::File::options().write(true).open(cache.file(key)).expect("opened");
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age as u64 + 1);
            file.set_modified(time).expect("dated");
        }
        cache.shrink(2 * (100 + HEADER as u64)).expect("shrunk");
        assert_eq!(keys.iter().map(|&key| cache.get(key).is_some()).collect::<Vec<_>>(), [false, true, true]);
    }
}
