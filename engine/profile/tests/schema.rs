//! What is written is what the committed schema says, and reports of every version are read.

use crate::common::{device_report, gpu_report, launch_report, report};
use pallas_profile::{ReadError, Report, SCHEMA, VERSION};
use serde_json::Value;

/// Checks a value against the part of JSON Schema that ours is written in, and that every field is described.
fn check(value: &Value, schema: &Value, root: &Value, path: &str, wrong: &mut Vec<String>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.strip_prefix("#/$defs/").expect("a reference of ours");
        return check(value, &root["$defs"][name], root, path, wrong);
    }
    if let Some(any) = schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array) {
        let fits = |branch: &Value| {
            let mut inside = Vec::new();
            check(value, branch, root, path, &mut inside);
            inside.is_empty()
        };
        if !any.iter().any(fits) {
            wrong.push(format!("{path}: {value} fits no branch"));
        }
        return;
    }
    let fits = match schema["type"].as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("the schema has a type {other}"),
    };
    if !fits {
        wrong.push(format!("{path}: {value} is no {}", schema["type"]));
        return;
    }
    if let Some(names) = schema.get("enum").and_then(Value::as_array)
        && !names.contains(value)
    {
        wrong.push(format!("{path}: {value} is none of {names:?}"));
    }
    if let (Some(least), Some(number)) = (schema.get("minimum").and_then(Value::as_f64), value.as_f64())
        && number < least
    {
        wrong.push(format!("{path}: {number} is below {least}"));
    }
    if let Some(fields) = value.as_object() {
        let described = schema["properties"].as_object().expect("properties");
        for (name, field) in fields {
            match described.get(name) {
                Some(schema) => check(field, schema, root, &format!("{path}.{name}"), wrong),
                None => wrong.push(format!("{path}.{name} is not in the schema")),
            }
        }
        for name in schema["required"].as_array().expect("required").iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                wrong.push(format!("{path}.{name} is missing"));
            }
        }
    }
    if let (Some(list), Some(items)) = (value.as_array(), schema.get("items")) {
        let count = |name: &str| schema.get(name).and_then(Value::as_u64);
        if count("minItems").is_some_and(|least| (list.len() as u64) < least)
            || count("maxItems").is_some_and(|most| list.len() as u64 > most)
        {
            wrong.push(format!("{path}: {} items", list.len()));
        }
        for (at, item) in list.iter().enumerate() {
            check(item, items, root, &format!("{path}[{at}]"), wrong);
        }
    }
}

fn mistakes(text: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mut wrong = Vec::new();
    check(&value, &schema, &schema, "report", &mut wrong);
    wrong
}

#[test]
fn reports_are_what_the_schema_says() {
    for machine in ["v5e", "h100"] {
        for timed in [false, true] {
            for grid in [[2, 3, 4], [1, 1, 1], [64, 64, 64]] {
                let text = report(grid, machine, timed).to_json().expect("it is written");
                let wrong = mistakes(&text);
                assert!(wrong.is_empty(), "{machine} {grid:?}: {}", wrong.join("\n"));
            }
        }
    }
}

#[test]
fn reports_of_gpu_kernels_are_what_the_schema_says() {
    let text = gpu_report("h100").to_json().expect("it is written");
    assert!(text.contains("\"lanes\":{"), "there are lanes");
    let wrong = mistakes(&text);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn reports_of_devices_are_what_the_schema_says_and_are_read_back() {
    let written = launch_report(include_str!("launches/ring_all_gather.ir"));
    let text = written.to_json().expect("it is written");
    assert!(text.contains("\"ended_by\":{") && text.contains("\"send\""), "{text}");
    let wrong = mistakes(&text);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let read = Report::read(&text).expect("it is read");
    assert_eq!(read.launches[0].modelled.lanes, written.launches[0].modelled.lanes);
}

#[test]
fn reports_of_a_device_are_what_the_schema_says_and_are_read_back() {
    let written = device_report();
    let text = written.to_json().expect("it is written");
    let wrong = mistakes(&text);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let read = Report::read(&text).expect("it is read");
    let device = |report: &Report| report.launches[0].measured.as_ref().expect("it ran").on_device.clone();
    assert_eq!(device(&read), device(&written));
    let device = device(&read).expect("a device ran it");
    assert_eq!((device.multiprocessors, device.bandwidth), (2, (1u64 << 20) as f64 / 2e-6));
    let names: Vec<&str> = device.lanes.lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names[..3], ["SM 0", "SM 1.0", "SM 1.1"]);
    assert!(names[3..].contains(&"SM 0 x slot 1") && names[3..].contains(&"SM 0 y slot 0"), "{names:?}");
}

#[test]
fn the_schema_notices_what_is_wrong() {
    let text = report([2, 3, 4], "v5e", true).to_json().expect("it is written");
    let broken = [
        ("\"version\":1", "\"version\":\"1\""),
        ("\"role\":\"input\"", "\"role\":\"in\""),
        ("\"stage\":\"copy_in\"", "\"stage\":\"copy\""),
        ("\"exit\":0", "\"exits\":0"),
        ("\"cores\":1", "\"cores\":-1"),
    ];
    for (right, wrong) in broken {
        assert!(text.contains(right), "{right} is not written");
        assert!(!mistakes(&text.replacen(right, wrong, 1)).is_empty(), "{wrong} goes unnoticed");
    }
}

#[test]
fn what_is_written_is_read_back() {
    for timed in [false, true] {
        let written = report([2, 3, 4], "v5e", timed);
        let text = written.to_json().expect("it is written");
        let read = Report::read(&text).expect("it is read");
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        same(&value(&read.to_json().expect("it is written")), &value(&text), "report");
    }
}

/// Equality, but for the last digit of a number: the reader may round it differently.
fn same(a: &Value, b: &Value, path: &str) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{path}");
            a.iter().for_each(|(name, field)| same(field, &b[name], &format!("{path}.{name}")));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            a.iter().zip(b).enumerate().for_each(|(at, (a, b))| same(a, b, &format!("{path}[{at}]")));
        }
        (Value::Number(x), Value::Number(y)) if x.is_f64() => {
            let (x, y) = (x.as_f64().expect("a number"), y.as_f64().expect("a number"));
            assert!((x - y).abs() <= 1e-12 * x.abs().max(y.abs()), "{path}: {x} and {y}");
        }
        _ => assert_eq!(a, b, "{path}"),
    }
}

/// A report that version 1 wrote when it was new. It is never recorded again: what was written stays readable.
#[test]
fn a_report_of_version_1_is_read() {
    let text = include_str!("reports/v1.json");
    let report = Report::read(text).expect("version 1 is read");
    assert_eq!((report.version, report.launches.len()), (1, 1));
    let launch = &report.launches[0];
    assert_eq!((launch.kernel.as_str(), launch.programs), ("matmul", 24));
    assert_eq!(launch.modelled.bound, "latency");
    assert_eq!(launch.measured.as_ref().map(|measured| measured.programs), Some(24));
    let time = launch.timing().totals().time as f64 / 1e6;
    assert!((time - launch.modelled.time).abs() < 1e-6, "its schedule still gives the time it says");
    assert_eq!(report.findings[0].code, "PL120");
}

#[test]
fn what_is_no_report_is_said() {
    assert!(matches!(Report::read("{"), Err(ReadError::Malformed(_))));
    assert!(matches!(Report::read("[]"), Err(ReadError::Malformed(_))));
    assert!(matches!(Report::read("{\"version\": 1}"), Err(ReadError::Malformed(_))));
    let newer = format!("{{\"version\": {}}}", VERSION + 1);
    assert_eq!(Report::read(&newer), Err(ReadError::Newer(VERSION + 1)));
}
