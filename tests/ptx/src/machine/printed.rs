//! `printf` and assertions, as CUDA's device code calls them (CUDA C++ Programming Guide, formatted output).

use super::Context;
use super::cluster::{Cluster, Stopped};
use super::warp::{Warp, lanes};
use crate::fault::Cause;
use crate::types::{Space, extended, low};

/// The longest text that is read.
const LONGEST: usize = 64 << 10;

impl Warp {
    /// A text that ends with a zero byte.
    fn text(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        lane: usize,
        address: u64,
    ) -> Result<String, Cause> {
        let mut text = Vec::new();
        let mut byte = [0];
        loop {
            self.read(context, cluster, lane, (Space::Generic, address + text.len() as u64), &mut byte)?;
            if byte[0] == 0 || text.len() > LONGEST {
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            text.push(byte[0]);
        }
    }

    /// What a call's parameter holds.
    fn param(&mut self, context: &mut Context<'_>, cluster: &mut Cluster, lane: usize, reg: u32) -> Result<u64, Cause> {
        let at = self.regs[reg as usize][lane];
        let mut bytes = [0; 8];
        self.read(context, cluster, lane, (Space::Param, at), &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(crate) fn printf(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        result: Option<u32>,
        params: &[u32],
        active: u32,
    ) -> Result<(), Stopped> {
        for lane in lanes(active) {
            let [format, arguments] = params[..] else { continue };
            let mut said = || {
                let format = self.param(context, cluster, lane, format)?;
                let format = self.text(context, cluster, lane, format)?;
                let arguments = self.param(context, cluster, lane, arguments)?;
                let text = self.formatted(context, cluster, lane, &format, arguments)?;
                context.ran.printed.push_str(&text);
                Ok(())
            };
            said().map_err(|cause| (cause, lane as u32))?;
            if let Some(result) = result {
                let to = self.regs[result as usize][lane];
                self.put_bytes(context, cluster, lane, (Space::Param, to), &1_u32.to_le_bytes())
                    .map_err(|cause| (cause, lane as u32))?;
            }
        }
        Ok(())
    }

    fn formatted(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        lane: usize,
        format: &str,
        mut arguments: u64,
    ) -> Result<String, Cause> {
        let mut text = String::new();
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('%') {
            text.push_str(before);
            let end = after.find(|c: char| c.is_ascii_alphabetic() && !"hlzjt".contains(c) || c == '%').unwrap_or(0);
            let (flags, after) = after.split_at(end);
            let mut after = after.chars();
            let kind = after.next().unwrap_or('%');
            rest = after.as_str();
            if kind == '%' {
                text.push('%');
                continue;
            }
            let long = flags.contains('l') || flags.contains('z') || "eEfFgGsp".contains(kind);
            let bytes = if long { 8 } else { 4 };
            arguments = arguments.next_multiple_of(bytes as u64);
            let mut word = [0; 8];
            self.read(context, cluster, lane, (Space::Generic, arguments), &mut word[..bytes])?;
            arguments += bytes as u64;
            let value = u64::from_le_bytes(word);
            let bits = bytes as u32 * 8;
            let shown = match kind {
                'd' | 'i' => extended(value, bits).to_string(),
                'u' => low(value, bits).to_string(),
                'x' => format!("{:x}", low(value, bits)),
                'X' => format!("{:X}", low(value, bits)),
                'p' => format!("{value:#x}"),
                'c' => char::from(value as u8).to_string(),
                's' => self.text(context, cluster, lane, value)?,
                _ => real(flags, kind, f64::from_bits(value)),
            };
            let width = flags.trim_matches(|c: char| !c.is_ascii_digit()).split('.').next().unwrap_or_default();
            let width = width.parse().unwrap_or(0);
            match (flags.contains('-'), flags.starts_with('0')) {
                (true, _) => text.push_str(&format!("{shown:<width$}")),
                (_, true) => text.push_str(&format!("{shown:0>width$}")),
                _ => text.push_str(&format!("{shown:>width$}")),
            }
        }
        text.push_str(rest);
        Ok(text)
    }

    /// What `__assertfail` was given: the condition, the file, the line, the function.
    pub(crate) fn assertion(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        params: &[u32],
        lane: usize,
    ) -> String {
        let condition = params.first().copied().and_then(|reg| {
            let at = self.param(context, cluster, lane, reg).ok()?;
            self.text(context, cluster, lane, at).ok()
        });
        format!("the assertion `{}` fails", condition.unwrap_or_default())
    }
}

fn real(flags: &str, kind: char, value: f64) -> String {
    let digits = flags.split_once('.').and_then(|(_, digits)| digits.trim_matches('l').parse().ok()).unwrap_or(6);
    match kind.to_ascii_lowercase() {
        'f' => format!("{value:.digits$}"),
        'e' => format!("{value:.digits$e}"),
        _ => format!("{value}"),
    }
}
