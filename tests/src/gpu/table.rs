//! What was found, as Markdown: a row for each kernel and way, and what has to hold with what was seen.

use super::equal::Tally;
use super::kernels::{Effort, KERNELS, Kernel};
use super::peers::Peers;
use std::collections::BTreeMap;

/// What was said of a kernel.
pub type Facts = BTreeMap<String, String>;

/// The head of the table.
pub const HEAD: &str = "\
| kernel | way | registers | spilled | shared | occupancy | time | rate | of the copy | noting times | others (their time over ours) |
|---|---|---:|---:|---:|---|---:|---:|---:|---:|---|";

/// The ways to machine code, by key and name.
const WAYS: [(&str, &str); 2] = [("simt", "CUDA C++"), ("tileir", "Tile IR")];

fn number(facts: &Facts, key: &str) -> Option<f64> {
    facts.get(key).and_then(|text| text.parse().ok())
}

/// What noting times adds, as a share.
fn noting(facts: &Facts) -> Option<f64> {
    Some(number(facts, "noted")? / number(facts, "simt")? - 1.0)
}

/// What a kernel reaches of what a copy moves.
fn of_copy(kernel: &Kernel, facts: &Facts, way: &str) -> Option<f64> {
    match kernel.effort {
        Effort::Bytes(bytes) => Some(bytes / number(facts, way)? * 1e6 / number(facts, "ceiling copy")?),
        Effort::Flops(_) => None,
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| format!("{:.1} %", share * 100.0))
}

/// The rows of a kernel: one for each way that was measured, or the reason why not.
pub fn rows(kernel: &Kernel, facts: &Facts, peers: &Peers) -> String {
    let text = |key: &str| facts.get(key).map_or("", String::as_str);
    let mut rows = String::new();
    for (way, name) in WAYS {
        let of_threads = |key: &str| if way == "simt" { text(key) } else { "" };
        let shared = match number(facts, "shared").filter(|_| way == "simt") {
            Some(bytes) => format!("{:.0} KiB", bytes / 1024.0),
            None => String::new(),
        };
        let about = [of_threads("registers"), of_threads("spilled"), &shared, of_threads("occupancy")].join(" | ");
        let measured = match (number(facts, way), facts.get(&format!("{way} why"))) {
            (Some(time), _) => {
                let rate = match kernel.effort {
                    Effort::Bytes(bytes) => format!("{:.0} GB/s", bytes / time / 1e3),
                    Effort::Flops(flops) => format!("{:.0} TFLOP/s", flops / time / 1e6),
                };
                let others = peers.times.iter().filter(|(work, ..)| work == kernel.work);
                let others: Vec<String> =
                    others.map(|(_, peer, took)| format!("{peer} {took:.1} us ({:.2})", took / time)).collect();
                let noting = if way == "simt" { percent(noting(facts)) } else { String::new() };
                let share = percent(of_copy(kernel, facts, way));
                format!("{time:.1} us | {rate} | {share} | {noting} | {}", others.join(", "))
            }
            (None, Some(why)) => format!("{} | | | |", why.lines().next().unwrap_or_default().replace('|', "/")),
            // Nothing was asked of this way.
            (None, None) if way != "simt" => continue,
            (None, None) => "| | | |".to_string(),
        };
        rows += &format!("| {} | {name} | {about} | {measured} |\n", kernel.name);
    }
    rows
}

/// What has to hold.
struct Claim {
    what: String,
    seen: String,
    /// `None` where something is missing to say it.
    holds: Option<bool>,
}

/// A table of what has to hold, with what was seen.
pub fn claims(tally: Option<&Tally>, found: &BTreeMap<&str, Facts>, peers: &Peers) -> String {
    let mut claims = Vec::new();
    if let Some(tally) = tally {
        let Tally { equal, wrong, unfinished, .. } = tally;
        claims.push(Claim {
            what: "launches give what interpret mode gives".to_string(),
            seen: format!("{equal} do, {} do not", wrong.len()),
            holds: if !wrong.is_empty() { Some(false) } else { unfinished.is_none().then_some(*equal > 0) },
        });
    }
    let none = Facts::new();
    let facts = |name: &str| found.get(name).unwrap_or(&none);
    for kernel in KERNELS.iter().filter(|kernel| found.contains_key(kernel.name)) {
        let facts = facts(kernel.name);
        if let Effort::Bytes(_) = kernel.effort {
            let best = WAYS.iter().filter_map(|(way, _)| of_copy(kernel, facts, way)).reduce(f64::max);
            claims.push(at_least(format!("{} at 85 % of the copy", kernel.name), best, 0.85));
        }
        let noting = noting(facts);
        claims.push(Claim {
            what: format!("noting times costs {} less than 3 %", kernel.name),
            seen: percent(noting),
            holds: noting.map(|share| share < 0.03),
        });
    }
    let mut seen = Vec::new();
    for work in KERNELS.iter().filter(|kernel| matches!(kernel.effort, Effort::Flops(_))).map(|kernel| kernel.work) {
        if seen.contains(&work) {
            continue;
        }
        seen.push(work);
        let ours = KERNELS.iter().filter(|kernel| kernel.work == work && found.contains_key(kernel.name));
        let ours: Vec<&Kernel> = ours.collect();
        let time = |kernel: &&Kernel, way: &str| number(facts(kernel.name), way);
        let all = ours.iter().flat_map(|kernel| WAYS.iter().filter_map(move |(way, _)| time(kernel, way)));
        let best = all.reduce(f64::min);
        let against = |peer: &str, ours: Option<f64>| Some(peers.time(work, peer)? / ours?);
        if !ours.is_empty() {
            claims.push(at_least(format!("{work}: the best way as fast as Triton"), against("Triton", best), 1.0));
        }
        if work.starts_with("matmul") && !ours.is_empty() {
            let plain = ours.iter().filter(|kernel| !kernel.is_for_warpgroups());
            let plain = plain.filter_map(|kernel| time(kernel, "simt")).reduce(f64::min);
            claims.push(at_least(format!("{work}: CUDA C++ alone at 0.5 of cuBLAS"), against("torch", plain), 0.5));
            claims.push(at_least(format!("{work}: the best way at 0.9 of cuBLAS"), against("torch", best), 0.9));
            let of =
                |file: &str| ours.iter().find(|kernel| kernel.file == file).and_then(|kernel| time(kernel, "simt"));
            if let (Some(inside), Some(along)) = (of("matmul_bf16"), of("matmul_tpu")) {
                let what = format!("{work}: terms along the grid as fast as in a loop of the kernel");
                claims.push(at_least(what, Some(inside / along), 0.95));
            }
        }
    }
    let mut text = "| what has to hold | seen | holds |\n|---|---:|---|\n".to_string();
    for Claim { what, seen, holds } in claims {
        let holds = match holds {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "not known",
        };
        text += &format!("| {what} | {seen} | {holds} |\n");
    }
    text
}

fn at_least(what: String, found: Option<f64>, bar: f64) -> Claim {
    Claim { what, seen: found.map_or_else(String::new, |found| format!("{found:.2}")), holds: found.map(|f| f >= bar) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(rows: &[(&str, &str)]) -> Facts {
        rows.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    #[test]
    fn rows_have_what_was_measured_and_why_the_rest_was_not() {
        let softmax = &KERNELS[1];
        let ran = [("registers", "64"), ("spilled", "0"), ("shared", "4096"), ("simt", "100.0"), ("noted", "102.0")];
        let mut known = facts(&ran);
        known.extend(facts(&[("ceiling copy", "4e12"), ("tileir why", "there is no tileiras")]));
        let peers = Peers { times: vec![("softmax".into(), "torch".into(), 90.0)], ..Peers::default() };
        let text = rows(softmax, &known, &peers);
        let first =
            "| softmax | CUDA C++ | 64 | 0 | 4 KiB |  | 100.0 us | 2684 GB/s | 67.1 % | 2.0 % | torch 90.0 us (0.90) |";
        let second = "| softmax | Tile IR |  |  |  |  | there is no tileiras | | | | |";
        assert_eq!(text.lines().collect::<Vec<_>>(), [first, second]);
        let columns = |line: &str| line.matches('|').count();
        assert!(text.lines().chain(HEAD.lines()).all(|line| columns(line) == 12), "{text}");
        let nothing = rows(softmax, &facts(&[("registers", "64")]), &peers);
        assert!(nothing.lines().count() == 1 && columns(nothing.trim()) == 12, "{nothing}");
    }

    #[test]
    fn what_has_to_hold_is_said_to_hold_or_not_or_not_to_be_known() {
        let mut found = BTreeMap::new();
        found.insert("softmax", facts(&[("simt", "70.0"), ("noted", "73.5"), ("ceiling copy", "4e12")]));
        found.insert("matmul_bf16_4096", facts(&[("simt", "300.0"), ("noted", "301.0")]));
        found.insert("matmul_plgpu_4096", facts(&[("simt", "200.0")]));
        let times = vec![("matmul_bf16_4096".into(), "torch".into(), 190.0)];
        let peers = Peers { times, ..Peers::default() };
        let tally = Tally { equal: 3, wrong: vec!["a: it hangs".into()], ..Tally::default() };
        let text = claims(Some(&tally), &found, &peers);
        for line in [
            "| launches give what interpret mode gives | 3 do, 1 do not | NO |",
            "| softmax at 85 % of the copy | 0.96 | yes |",
            "| noting times costs softmax less than 3 % | 5.0 % | NO |",
            "| noting times costs matmul_plgpu_4096 less than 3 % |  | not known |",
            "| matmul_bf16_4096: the best way as fast as Triton |  | not known |",
            "| matmul_bf16_4096: CUDA C++ alone at 0.5 of cuBLAS | 0.63 | yes |",
            "| matmul_bf16_4096: the best way at 0.9 of cuBLAS | 0.95 | yes |",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(!text.contains("attention"), "nobody asked for it");
    }
}
