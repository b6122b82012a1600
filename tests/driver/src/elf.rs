//! A CUBIN as far as a driver has to know it: how long it is, and how many registers its functions take; and the PTX that NVRTC's
//! look-alike has put behind it.

/// Before the PTX, with its length in eight bytes.
const MARK: &[u8; 16] = b"PTX OF THE CUBIN";

/// An image: machine code, and the same as PTX.
pub(crate) struct Image<'a> {
    elf: &'a [u8],
    /// The text.
    pub(crate) ptx: Option<&'a str>,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let mut word = [0; 8];
    word[..N].copy_from_slice(bytes.get(at..at.checked_add(N)?)?);
    usize::try_from(u64::from_le_bytes(word)).ok()
}

/// How many bytes an ELF file has, by its header: its tables and sections.
fn length(at: *const u8) -> Option<usize> {
    // SAFETY: the caller of `cuModuleLoadData` gives an image; what is no ELF file has at least four bytes, with the zero of a text.
    if unsafe { std::slice::from_raw_parts(at, 4) } != b"\x7fELF" {
        return None;
    }
    // SAFETY: the header of an ELF file of 64 bits.
    let header = unsafe { std::slice::from_raw_parts(at, 64) };
    let programs = number::<8>(header, 32)? + number::<2>(header, 54)? * number::<2>(header, 56)?;
    let (table, size, count) = (number::<8>(header, 40)?, number::<2>(header, 58)?, number::<2>(header, 60)?);
    let end = table + size * count;
    // SAFETY: the file has the table that its header names.
    let file = unsafe { std::slice::from_raw_parts(at, end) };
    let sections = (0..count).filter_map(|section| {
        let at = table + section * size;
        // Sections of the kind "no bits" have no bytes in the file.
        let bytes = if number::<4>(file, at + 4)? == 8 { 0 } else { number::<8>(file, at + 32)? };
        Some(number::<8>(file, at + 24)? + bytes)
    });
    sections.chain([programs, end]).max()
}

impl<'a> Image<'a> {
    /// Of what `cuModuleLoadData` is given; none if it is no ELF file.
    pub(crate) fn of(at: *const u8) -> Option<Image<'a>> {
        let length = length(at)?;
        // SAFETY: an ELF file is as long as it says.
        let elf = unsafe { std::slice::from_raw_parts(at, length) };
        // SAFETY: what has no mark behind it is a CUBIN of somebody else, whose buffer may end here: the tests have none such.
        let behind = unsafe { std::slice::from_raw_parts(at.add(length), MARK.len() + 8) };
        let ptx = behind.strip_prefix(MARK).and_then(|bytes| number::<8>(bytes, 0)).and_then(|bytes| {
            // SAFETY: the mark says that so many bytes of text follow.
            std::str::from_utf8(unsafe { std::slice::from_raw_parts(at.add(length + MARK.len() + 8), bytes) }).ok()
        });
        Some(Image { elf, ptx })
    }

    /// Where a section begins among the headers, and its bytes, by its name.
    fn section(&self, wanted: &str) -> Option<(usize, &[u8])> {
        let (table, size, count) = (number::<8>(self.elf, 40)?, number::<2>(self.elf, 58)?, number::<2>(self.elf, 60)?);
        let names = number::<8>(self.elf, table + number::<2>(self.elf, 62)? * size + 24)?;
        let wanted = [wanted.as_bytes(), b"\0"].concat();
        (0..count).map(|section| table + section * size).find_map(|at| {
            let name = names + number::<4>(self.elf, at)?;
            let content = number::<8>(self.elf, at + 24)?;
            let is_it = self.elf.get(name..)?.starts_with(&wanted);
            is_it.then_some((at, self.elf.get(content..content + number::<8>(self.elf, at + 32)?)?))
        })
    }

    /// Registers of a thread of a function: `.nv.info` has a list of attributes, one of which names a symbol and says how many it takes.
    pub(crate) fn registers(&self, entry: &str) -> Option<u32> {
        /// An attribute with so many bytes behind it; others have two.
        const SIZED: u8 = 4;
        const REGISTERS: u8 = 0x2f;
        let (text, _) = self.section(&format!(".text.{entry}"))?;
        // What a section of instructions says of itself is the symbol of its function.
        let symbol = number::<4>(self.elf, text + 44)? & 0x00ff_ffff;
        let (_, mut list) = self.section(".nv.info")?;
        while let [format, attribute, rest @ ..] = list {
            let length = if *format == SIZED { number::<2>(rest, 0)? } else { 0 };
            let content = rest.get(2..2 + length)?;
            if (*format, *attribute) == (SIZED, REGISTERS) && number::<4>(content, 0) == Some(symbol) {
                return number::<4>(content, 4).and_then(|count| u32::try_from(count).ok());
            }
            list = &rest[2 + length..];
        }
        None
    }
}
