//! What is summed up of an event, read from its JSON as fast as bytes go by. This knows the form in which reports list their
//! events and no other: for everything else it gives up, and the caller reads that event with a real parser.

use crate::measured::EVENT_PROGRAMS;
use crate::report::{Event, Stage};
use memchr::memchr;

/// What is summed up of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Brief {
    pub(crate) program: usize,
    pub(crate) stage: Stage,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl From<&Event> for Brief {
    fn from(event: &Event) -> Brief {
        Brief { program: event.program, stage: event.stage, start: event.start, end: event.end }
    }
}

/// Events that stood in a text, one behind the other, and those of the first programs as a whole.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Told {
    pub(crate) briefs: Vec<Brief>,
    pub(crate) kept: Vec<Event>,
}

/// Reads events with commas between them.
///
/// # Errors
/// If that is not what the text is.
pub(crate) fn read(text: &[u8]) -> Result<Told, serde_json::Error> {
    let mut told = Told { briefs: Vec::with_capacity(text.len() / 96), kept: Vec::new() };
    let mut reader = Reader { text, at: 0 };
    loop {
        reader.space();
        let begin = reader.at;
        let brief = match reader.event() {
            Some(brief) if brief.program >= EVENT_PROGRAMS => brief,
            _ => {
                let mut parsed = serde_json::Deserializer::from_slice(&text[begin..]).into_iter::<Event>();
                let Some(event) = parsed.next().transpose()? else {
                    return Err(serde::de::Error::custom("a list of events ends with a comma"));
                };
                reader.at = begin + parsed.byte_offset();
                let brief = Brief::from(&event);
                if event.program < EVENT_PROGRAMS {
                    told.kept.push(event);
                }
                brief
            }
        };
        told.briefs.push(brief);
        reader.space();
        if reader.at == text.len() {
            return Ok(told);
        }
        if reader.byte(b',').is_none() {
            return Err(serde::de::Error::custom("events have no comma between them"));
        }
    }
}

/// Fields of an event, in the order of bits.
const PROGRAM: u16 = 1;
const STAGE: u16 = 1 << 1;
const OPERAND: u16 = 1 << 2;
const SLOT: u16 = 1 << 3;
const LANE: u16 = 1 << 4;
const START: u16 = 1 << 5;
const END: u16 = 1 << 6;
const BYTES: u16 = 1 << 7;
const FLOPS: u16 = 1 << 8;
const PLACE: u16 = 1 << 9;
/// The fields in the order in which reports write them, as they stand there.
const FIELDS: [(&[u8], u16); 10] = [
    (b"\"program\":", PROGRAM),
    (b"\"stage\":", STAGE),
    (b"\"operand\":", OPERAND),
    (b"\"slot\":", SLOT),
    (b"\"lane\":", LANE),
    (b"\"start\":", START),
    (b"\"end\":", END),
    (b"\"bytes\":", BYTES),
    (b"\"flops\":", FLOPS),
    (b"\"place\":", PLACE),
];

/// Those that an event cannot do without.
const NEEDED: u16 = PROGRAM | STAGE | SLOT | LANE | START | END | BYTES | FLOPS;

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Goes past a byte, if it is this one.
    fn byte(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    /// An object that is an event in the form that is known.
    fn event(&mut self) -> Option<Brief> {
        let mut brief = Brief { program: 0, stage: Stage::Compute, start: 0.0, end: 0.0 };
        let (mut seen, mut next) = (0, 0);
        self.byte(b'{')?;
        loop {
            let field = match FIELDS.get(next) {
                // Nearly always the field is the one that is written next.
                Some((written, field)) if self.text[self.at..].starts_with(written) => {
                    self.at += written.len();
                    next += 1;
                    *field
                }
                _ => {
                    let at = self.field()?;
                    next = at + 1;
                    FIELDS[at].1
                }
            };
            if seen & field != 0 {
                return None;
            }
            seen |= field;
            self.space();
            match field {
                PROGRAM => brief.program = usize::try_from(self.whole()?).ok()?,
                STAGE => {
                    brief.stage = match self.name()? {
                        b"copy_in" => Stage::CopyIn,
                        b"compute" => Stage::Compute,
                        b"copy_out" => Stage::CopyOut,
                        b"wait" => Stage::Wait,
                        _ => return None,
                    }
                }
                START => brief.start = self.number()?,
                END => brief.end = self.number()?,
                OPERAND if self.peek() == Some(b'n') => self.null()?,
                PLACE if self.peek() == Some(b'n') => self.null()?,
                PLACE => self.flat()?,
                _ => {
                    self.whole()?;
                }
            }
            self.space();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return (seen & NEEDED == NEEDED).then_some(brief);
                }
                _ => return None,
            }
        }
    }

    /// The name of a field with its colon, wherever there is space around them: which of [`FIELDS`] it is.
    fn field(&mut self) -> Option<usize> {
        self.space();
        let name = self.name()?;
        let at = FIELDS.iter().position(|(written, _)| &written[1..written.len() - 2] == name)?;
        self.space();
        self.byte(b':')?;
        Some(at)
    }

    /// A string without anything in it that would have to be unescaped.
    fn name(&mut self) -> Option<&[u8]> {
        self.byte(b'"')?;
        let length = memchr(b'"', &self.text[self.at..])?;
        let name = &self.text[self.at..self.at + length];
        self.at += length + 1;
        Some(name)
    }

    fn null(&mut self) -> Option<()> {
        let is = self.text[self.at..].starts_with(b"null");
        is.then(|| self.at += 4)
    }

    /// An object of numbers.
    fn flat(&mut self) -> Option<()> {
        let length = memchr(b'}', &self.text[self.at..])?;
        let object = &self.text[self.at..=self.at + length];
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b.is_ascii_whitespace() || b"\"_:,".contains(b);
        (object[0] == b'{' && object[1..length].iter().all(plain)).then(|| self.at += length + 1)
    }

    /// Digits, fewer than could overflow, and nothing else of a number behind them.
    fn whole(&mut self) -> Option<u64> {
        let (value, digits) = self.digits()?;
        let ends = !matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        (digits <= 18 && ends).then_some(value)
    }

    /// A row of digits as JSON has it, with how many there are.
    fn digits(&mut self) -> Option<(u64, usize)> {
        let begin = self.at;
        let mut value: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - begin;
        (digits > 0 && (digits == 1 || self.text[begin] != b'0')).then_some((value, digits))
    }

    /// A number that is not negative. One of few digits is the quotient of two whole numbers that are exact, so that it is rounded
    /// once, as it should be.
    fn number(&mut self) -> Option<f64> {
        const POWERS: [f64; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        let (mut value, mut digits) = self.digits()?;
        let mut behind = 0;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let begin = self.at;
            while let Some(digit @ b'0'..=b'9') = self.peek() {
                value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
                self.at += 1;
            }
            behind = self.at - begin;
            digits += behind;
            if behind == 0 {
                return None;
            }
        }
        if digits > 15 || matches!(self.peek(), Some(b'e' | b'E')) {
            return None;
        }
        Some(value as f64 / POWERS[behind])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = "{\"program\":300,\"stage\":\"copy_in\",\"operand\":0,\"slot\":1,\"lane\":0,\"start\":12.5,\"end\":40,\
                         \"bytes\":32,\"flops\":8,\"place\":null}";
    const PLACE: &str = "{\"file\":0,\"start\":1,\"end\":2,\"line\":1,\"column\":1,\"end_line\":1,\"end_column\":2}";

    fn fast(text: &str) -> Option<Brief> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let brief = reader.event()?;
        (reader.at == text.len()).then_some(brief)
    }

    #[test]
    fn what_is_read_fast_is_what_a_parser_reads() {
        let brief = Brief { program: 300, stage: Stage::CopyIn, start: 12.5, end: 40.0 };
        assert_eq!(fast(EVENT), Some(brief));
        let spaced = EVENT.replace([','], " ,\n ").replace(':', " : ").replace('{', "{ ").replace('}', "\t}");
        assert_eq!(fast(&spaced), Some(brief));
        assert_eq!(fast(&EVENT.replace("\"place\":null", &format!("\"place\":{PLACE}"))), Some(brief));
        assert_eq!(fast(&EVENT.replace(",\"place\":null", "")), Some(brief), "no place is none");
        for number in ["0", "0.1", "123456789012345", "1234567.12345678", "99999.9999999999", "0.30000000000000"] {
            let text = EVENT.replace("12.5", number);
            let parsed: Event = serde_json::from_str(&text).expect("an event");
            assert_eq!(fast(&text), Some(Brief::from(&parsed)), "{number}");
            assert_eq!(fast(&text).map(|brief| brief.start), number.parse().ok(), "{number}");
        }
    }

    #[test]
    fn what_is_not_known_is_left_to_the_parser() {
        let others = [
            EVENT.replace("12.5", "1.25e1"),
            EVENT.replace("12.5", "-12.5"),
            EVENT.replace("12.5", "0.12345678901234567"),
            EVENT.replace("\"flops\":8", "\"flops\":18446744073709551615"),
            EVENT.replace("\"flops\":8", "\"flops\":8,\"more\":[{}]"),
            EVENT.replace("copy_in", "copy\\u005fin"),
        ];
        for text in others {
            assert_eq!(fast(&text), None, "{text}");
            let event: Event = serde_json::from_str(&text).expect("an event");
            assert_eq!(read(text.as_bytes()).expect("it is read").briefs, [Brief::from(&event)]);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = [
            EVENT.replace("12.5", "12."),
            EVENT.replace("12.5", "012"),
            EVENT.replace("\"slot\":1,", ""),
            EVENT.replace("\"slot\":1", "\"slot\":1.5"),
            EVENT.replace("\"slot\":1", "\"slot\":1,\"slot\":1"),
            EVENT.replace("copy_in", "copy"),
            EVENT.replace("null}", "null"),
            EVENT.replace("null}", "nul}"),
            format!("{EVENT},"),
            format!("{EVENT}{EVENT}"),
            format!("{EVENT},,{EVENT}"),
            String::new(),
            "[]".to_string(),
        ];
        for text in wrong {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn events_of_the_first_programs_are_kept() {
        let first = EVENT.replace("300", "3");
        let told = read(format!("{first},{EVENT}, {first}\n").as_bytes()).expect("they are read");
        assert_eq!(told.briefs.iter().map(|brief| brief.program).collect::<Vec<_>>(), [3, 300, 3]);
        let parsed: Event = serde_json::from_str(&first).expect("an event");
        assert_eq!(told.kept, [parsed, parsed]);
    }
}
