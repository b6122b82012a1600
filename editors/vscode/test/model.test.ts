import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { blockOf, blockText, fileOf, heat, idsOf, laneWords, lineName, meaning, neighbour, plane, programOf, rows, scale, textOf, visible } from '../webview/model';
import type { Event, LaneEvent, Lanes, Launch, Report } from '../webview/report';
import * as units from '../webview/units';

/** What `pallas-tui profile --json` says of `samples/05_templated_matmul.py`. */
const report = JSON.parse(readFileSync('test/profile.json', 'utf8')) as Report;
const launch = report.launches[0] as Launch;

test('programs and ids are two names for one thing', () => {
  for (const grid of [[4, 2], [3], [2, 3, 4], []]) {
    const programs = grid.reduce((product, extent) => product * extent, 1);
    for (let program = 0; program < programs; program++) assert.equal(programOf(idsOf(program, grid), grid), program);
  }
  assert.deepEqual(idsOf(5, [4, 2]), [2, 1]);
  assert.deepEqual(idsOf(23, [2, 3, 4]), [1, 2, 3]);
});

test('lines of notebooks are those of cells', () => {
  const place = { file: 0, start: 0, end: 1, line: 6, column: 1, end_line: 6, end_column: 2 };
  const text = '# %% cell 1\nimport jax\n\n# %% cell 2\n# %% cell 9 \nx\n';
  const of = (path: string) => ({ ...report, sources: [{ file: 0, path, text }] });
  assert.equal(lineName(of('/a.ipynb'), place), 'cell 2:2');
  assert.equal(lineName(of('/a.ipynb'), { ...place, line: 2 }), 'cell 1:1');
  assert.equal(lineName(of('/a.py'), place), '6');
});

test('keys move on the plane and stop at its edge', () => {
  assert.deepEqual(plane([2, 3, 4]), { rows: 6, columns: 4 });
  assert.deepEqual(plane([]), { rows: 1, columns: 1 });
  assert.equal(neighbour(0, [4, 2], 'ArrowRight'), 1);
  assert.equal(neighbour(0, [4, 2], 'ArrowDown'), 2);
  assert.equal(neighbour(1, [4, 2], 'ArrowRight'), undefined);
  assert.equal(neighbour(0, [4, 2], 'ArrowUp'), undefined);
  assert.equal(neighbour(1, [4, 2], 'PageDown'), 7);
  assert.equal(neighbour(0, [4, 2], 'x'), undefined);
});

test('blocks are where the index maps say', () => {
  assert.deepEqual(launch.grid, [4, 2]);
  assert.deepEqual(blockOf(launch, 0, 5), { start: [64, 0], size: [32, 64] });
  assert.deepEqual(blockOf(launch, 1, 5), { start: [0, 48], size: [64, 48] });
  assert.deepEqual(blockOf(launch, 2, 5), { start: [64, 48], size: [32, 48] });
  const of = launch.operands[2];
  assert.ok(of);
  assert.equal(blockText(of, { start: [64, 48], size: [32, 48] }), 'o_ref[64..96, 48..96]');
  assert.equal(blockText(of, { start: [112, 0], size: [32, 48] }), 'o_ref[112..144 (past 128), 0..48]');
  assert.equal(blockOf(launch, 9, 0), undefined);
});

test('blocks that depend on data are known for programs that were seen', () => {
  const data = structuredClone(launch);
  const operand = data.operands[0];
  assert.ok(operand && data.measured);
  operand.map = [{ kind: 'data' }, { kind: 'affine', constant: 0, coefficients: [0, 0] }];
  assert.equal(blockOf(data, 0, 1), undefined);
  data.measured.blocks = [[[3, 0]], [[1, 0]]];
  assert.deepEqual(blockOf(data, 0, 1), { start: [32, 0], size: [32, 64] });
});

test('squeezed and element dimensions have no blocks to multiply with', () => {
  const odd = structuredClone(launch);
  const operand = odd.operands[0];
  assert.ok(operand);
  operand.block = [{ kind: 'squeezed' }, { kind: 'element', size: 10, low: 2, high: 2 }];
  operand.map = [{ kind: 'affine', constant: 1, coefficients: [1, 0] }, { kind: 'affine', constant: 0, coefficients: [0, 4] }];
  assert.deepEqual(blockOf(odd, 0, 5), { start: [3, 2], size: [1, 10] });
});

test('heat is measured where there is a clock', () => {
  const measured = heat(launch);
  assert.equal(measured.source, 'measured');
  assert.equal(measured.values.length, 8);
  const modelled = heat({ ...launch, measured: null });
  assert.equal(modelled.source, 'modelled');
  assert.ok(modelled.values.every((value) => value > 0));
  const warmth = scale([100, 1, 2, 3, 4, 5]);
  assert.equal(warmth(1), 0);
  assert.equal(warmth(100), 1);
  assert.ok(warmth(3) > 0.3, 'one that takes long leaves the others apart');
  assert.equal(scale([Number.NaN])(Number.NaN), 0);
});

test('the pipeline has a row for each slot, and one for the kernel', () => {
  const labels = rows(launch, launch.modelled.events).map((row) => row.label);
  assert.deepEqual(labels, ['x_ref slot 0', 'x_ref slot 1', 'y_ref slot 0', 'y_ref slot 1', 'compute', 'o_ref slot 0 out', 'o_ref slot 1 out']);
});

test('what is too much to draw is cut to what is longest', () => {
  const event = (start: number, end: number) => ({ start, end }) as Event;
  const events = [event(0, 1), event(0, 5), event(4, 6), event(9, 20)];
  assert.equal(visible(events, 0, 5, 10).length, 3);
  assert.deepEqual(visible(events, 0, 20, 2).map((one) => one.end), [20, 5]);
});

test('a line of the source is an operand, a launch, or nothing', () => {
  const path = report.program.path;
  const spec = launch.operands[1]?.spec;
  assert.ok(spec && launch.call);
  assert.deepEqual(meaning(report, path, spec.line, 2), { launch: 2, operand: 1 });
  assert.deepEqual(meaning(report, path, launch.call.line, 3), { launch: 3, operand: null });
  assert.equal(meaning(report, path, 1, 0), undefined);
  assert.equal(meaning(report, '/elsewhere.py', spec.line, 0), undefined);
});

test('files are the same under a longer name', () => {
  assert.equal(fileOf(report, `/home/me/${report.program.path}`), 0);
  assert.equal(fileOf(report, report.program.path.replace(/\//g, '\\')), 0);
});

test('places are bytes', () => {
  const place = { file: 0, start: 9, end: 14, line: 1, column: 1, end_line: 1, end_column: 1 };
  const source = { file: 0, path: 'a.py', text: '"🚀" + x_ref[...]' };
  assert.equal(textOf({ ...report, sources: [source] }, place), 'x_ref');
});

test('an event of a lane says who, what, when, for whom, and what ended a wait', () => {
  const event = (made: Partial<LaneEvent>): LaneEvent => ({ lane: 0, agent: 0, stage: 'wait', name: '', buffer: '', slot: null, phase: null, ended_by: null, start: 0, end: 0, bytes: 0, place: null, ...made });
  const sent = event({ lane: 1, stage: 'send', name: 'recv', buffer: 'slots', slot: 1, start: 1000, end: 2081.92, bytes: 4096 });
  const copied = event({ lane: 0, name: 'recv', slot: 1, phase: 2, start: 1500, end: 2081.92, ended_by: { lane: 1, event: 0 }, agent: 2 });
  const lanes: Lanes = {
    lanes: [{ name: 'device 1', kind: 'core' }, { name: 'link from device 0 to 1', kind: 'link' }, { name: 'device 0', kind: 'core' }],
    events: [{ ...sent, agent: 2 }, copied],
    time: 2081.92,
    complete: true,
  };
  assert.equal(laneWords(lanes, lanes.events[0] as LaneEvent), 'link from device 0 to 1 sends slots[1], 4.1 kB: 1 µs to 2.08 µs, 1.08 µs, for device 0');
  assert.equal(laneWords(lanes, { ...copied, agent: 0 }), 'device 1 waits for recv[1], phase 2: 1.5 µs to 2.08 µs, 582 ns, until what was sent of slots[1] by device 0');
  const signalled = event({ name: 'barrier', end: 1000, ended_by: { lane: 2, event: null } });
  assert.equal(laneWords(lanes, signalled), 'device 1 waits for barrier: 0 s to 1 µs, 1 µs, until device 0');
  // Reports from before have neither agents nor slots.
  const old: LaneEvent = { lane: 0, stage: 'compute', name: '', start: 0, end: 10, bytes: 0, place: null };
  assert.equal(laneWords(lanes, old), 'device 1 computes: 0 s to 10 ns, 10 ns');
});

test('numbers have three digits and a unit', () => {
  assert.equal(units.time(6127.9), '6.13 µs');
  assert.equal(units.time(0), '0 s');
  assert.equal(units.time(1_500_000_000), '1.5 s');
  assert.equal(units.bytes(53248), '53.2 kB');
  assert.equal(units.flops(1622016), '1.62 MFLOP');
  assert.equal(units.share(1, 3), '33.3 %');
  assert.equal(units.share(1, 0), '');
});
