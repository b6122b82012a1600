//! `time`: clocks of the host, and dates in UTC. `sleep` does not wait: nothing here depends on other programs.

use super::support::{classes, row};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use num_bigint::BigInt;
use num_traits::FromPrimitive;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "time",
    doc: "Clocks and dates.",
    functions: &[
        row("time", "()", "Seconds since 1970.", seconds),
        row("perf_counter", "()", "Seconds since some moment.", seconds),
        row("monotonic", "()", "Seconds since some moment.", seconds),
        row("process_time", "()", "Seconds since some moment.", seconds),
        row("thread_time", "()", "Seconds since some moment.", seconds),
        row("time_ns", "()", "Nanoseconds since 1970.", nanoseconds),
        row("perf_counter_ns", "()", "Nanoseconds since some moment.", nanoseconds),
        row("monotonic_ns", "()", "Nanoseconds since some moment.", nanoseconds),
        row("process_time_ns", "()", "Nanoseconds since some moment.", nanoseconds),
        row("sleep", "(seconds, /)", "Returns at once.", sleep),
        row("gmtime", "(seconds=None, /)", "A moment as date and time in UTC.", broken_down),
        row("localtime", "(seconds=None, /)", "A moment as date and time in UTC.", broken_down),
        row("strftime", "(format, t=None, /)", "A date and time as text.", strftime),
        row("ctime", "(seconds=None, /)", "A moment as text.", |interp, args| {
            let parts = moment(interp, args.get(0))?;
            Ok(Value::from(format_time("%a %b %e %H:%M:%S %Y", &parts)))
        }),
        row("asctime", "(t=None, /)", "A date and time as text.", |interp, args| {
            let parts = fields_or_now(interp, args.get(0))?;
            Ok(Value::from(format_time("%a %b %e %H:%M:%S %Y", &parts)))
        }),
        row("mktime", "(t, /)", "Seconds since 1970 of a date and time.", |interp, args| {
            let [year, month, day, hour, minute, second, ..] = fields_or_now(interp, args.get(0))?;
            let days = days_from_civil(year, month, day);
            Ok(Value::Float((days * 86_400 + hour * 3600 + minute * 60 + second) as f64))
        }),
    ],
    populate: |_, names| {
        names.insert("timezone".into(), Value::int(0i64));
        names.insert("altzone".into(), Value::int(0i64));
        names.insert("daylight".into(), Value::int(0i64));
        names.insert("tzname".into(), Value::tuple([Value::str("UTC"), Value::str("UTC")]));
    },
};

fn seconds(interp: &Interp, _: Arguments) -> PyResult<Value> {
    if interp.is_analysis() {
        return Ok(later());
    }
    Ok(Value::Float(interp.host().seconds()))
}

/// What a clock says when the program runs: a difference of 0 would be one that nobody sees.
pub(super) fn later() -> Value {
    Value::unknown("what a clock says is known when the program runs", None)
}

fn nanoseconds(interp: &Interp, _: Arguments) -> PyResult<Value> {
    if interp.is_analysis() {
        return Ok(later());
    }
    let value = BigInt::from_f64((interp.host().seconds() * 1e9).round()).unwrap_or_default();
    Ok(Value::int(value))
}

fn sleep(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if args.get(0).is_unknown() {
        return Ok(Value::None);
    }
    let seconds = interp.to_f64(args.get(0))?;
    if seconds < 0.0 {
        return Err(interp.value_error("sleep length must be non-negative"));
    }
    Ok(Value::None)
}

/// Year, month, day, hour, minute, second, weekday (Monday is 0), day of the year, daylight saving.
type Parts = [i64; 9];

const FIELDS: [&str; 9] =
    ["tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst"];

/// Days since 1970-01-01 of a date in the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days - era * 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

pub(super) fn parts_of(seconds: f64) -> Parts {
    let seconds = seconds.floor() as i64;
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let of_year = days - days_from_civil(year, 1, 1) + 1;
    [year, month, day, rest / 3600, rest / 60 % 60, rest % 60, (days + 3).rem_euclid(7), of_year, 0]
}

fn moment(interp: &Interp, seconds: &Value) -> PyResult<Parts> {
    Ok(parts_of(if seconds.is_none() { interp.host().seconds() } else { interp.to_f64(seconds)? }))
}

fn fields_or_now(interp: &Interp, value: &Value) -> PyResult<Parts> {
    if value.is_none() {
        return moment(interp, value);
    }
    let items = interp.collect(value)?;
    if items.len() != 9 {
        return Err(interp.type_error("time tuple must have exactly 9 elements"));
    }
    let mut parts = [0; 9];
    for (part, item) in parts.iter_mut().zip(&items) {
        *part = interp.to_i64(item)?;
    }
    Ok(parts)
}

fn broken_down(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let parts = moment(interp, args.get(0))?;
    let class = super::collections::namedtuple::cached_class(interp, "time.struct_time", "time", &FIELDS);
    Ok(classes::instance(&class, Value::tuple(parts.map(Value::from))))
}

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) fn format_time(format: &str, parts: &Parts) -> String {
    let [year, month, day, hour, minute, second, weekday, of_year, _] = *parts;
    let weekday_name = DAYS[weekday.rem_euclid(7) as usize];
    let month_name = MONTHS[(month - 1).rem_euclid(12) as usize];
    let hour12 = if hour % 12 == 0 { 12 } else { hour % 12 };
    let mut text = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('Y') => text.push_str(&year.to_string()),
            Some('y') => text.push_str(&format!("{:02}", year.rem_euclid(100))),
            Some('m') => text.push_str(&format!("{month:02}")),
            Some('d') => text.push_str(&format!("{day:02}")),
            Some('e') => text.push_str(&format!("{day:2}")),
            Some('H') => text.push_str(&format!("{hour:02}")),
            Some('I') => text.push_str(&format!("{hour12:02}")),
            Some('M') => text.push_str(&format!("{minute:02}")),
            Some('S') => text.push_str(&format!("{second:02}")),
            Some('j') => text.push_str(&format!("{of_year:03}")),
            Some('p') => text.push_str(if hour < 12 { "AM" } else { "PM" }),
            Some('a') => text.push_str(&weekday_name[..3]),
            Some('A') => text.push_str(weekday_name),
            Some('b') | Some('h') => text.push_str(&month_name[..3]),
            Some('B') => text.push_str(month_name),
            Some('w') => text.push_str(&((weekday + 1) % 7).to_string()),
            Some('F') => text.push_str(&format!("{year}-{month:02}-{day:02}")),
            Some('T') | Some('X') => text.push_str(&format!("{hour:02}:{minute:02}:{second:02}")),
            Some('D') | Some('x') => text.push_str(&format!("{month:02}/{day:02}/{:02}", year.rem_euclid(100))),
            Some('R') => text.push_str(&format!("{hour:02}:{minute:02}")),
            Some('c') => text.push_str(&format_time("%a %b %e %H:%M:%S %Y", parts)),
            Some('Z') => text.push_str("UTC"),
            Some('z') => text.push_str("+0000"),
            Some('s') => text.push_str(
                &(days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second).to_string(),
            ),
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('%') => text.push('%'),
            Some(other) => {
                text.push('%');
                text.push(other);
            }
            None => text.push('%'),
        }
    }
    text
}

fn strftime(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let format = interp.to_str(args.get(0))?;
    let parts = fields_or_now(interp, args.get(1))?;
    Ok(Value::from(format_time(&format, &parts)))
}
