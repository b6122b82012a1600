/** What follows from a report: ids of programs, blocks on arrays, heat, places. Pure: draws nothing. */

import type { Event, LaneEvent, Lanes, Launch, Operand, Place, Report } from './report';
import * as units from './units';

/** The ids of a program, from its row-major number. */
export function idsOf(program: number, grid: number[]): number[] {
  const ids = new Array<number>(grid.length).fill(0);
  let rest = program;
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    const extent = Math.max(1, grid[axis] ?? 1);
    ids[axis] = rest % extent;
    rest = Math.floor(rest / extent);
  }
  return ids;
}

/** The row-major number of a program. */
export function programOf(ids: number[], grid: number[]): number {
  return ids.reduce((program, id, axis) => program * Math.max(1, grid[axis] ?? 1) + id, 0);
}

/** How a grid is laid out on a plane: the last axis goes across, all others down. */
export function plane(grid: number[]): { rows: number; columns: number } {
  const columns = Math.max(1, grid.at(-1) ?? 1);
  const programs = grid.reduce((product, extent) => product * Math.max(1, extent), 1);
  return { rows: Math.max(1, Math.round(programs / columns)), columns };
}

/** The program that a key leads to from another; `undefined` if there is none that way. */
export function neighbour(program: number, grid: number[], key: string): number | undefined {
  const { rows, columns } = plane(grid);
  const row = Math.floor(program / columns);
  const column = program % columns;
  const moves: Record<string, [number, number]> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, columns - 1],
    PageUp: [0, column],
    PageDown: [rows - 1, column],
  };
  const [to, across] = moves[key] ?? [-1, -1];
  return to >= 0 && to < rows && across >= 0 && across < columns ? to * columns + across : undefined;
}

/** The block of an operand that a program has: where it begins and how far it goes, per dimension of the array. */
export interface Block {
  start: number[];
  size: number[];
}

/** The block of an operand that a program has; `undefined` where it depends on what the report does not hold. */
export function blockOf(launch: Launch, operand: number, program: number): Block | undefined {
  const of = launch.operands[operand];
  if (!of) return undefined;
  const ids = idsOf(program, launch.grid);
  const listed = launch.measured?.blocks[program]?.[operand];
  const start: number[] = [];
  const size: number[] = [];
  for (const [axis, extent] of of.shape.entries()) {
    const form = of.map[axis];
    const dim = of.block[axis];
    if (!dim) {
      // An operand without blocks is handed over whole.
      start.push(0);
      size.push(extent);
      continue;
    }
    let index: number | undefined;
    if (form?.kind === 'affine') {
      index = form.coefficients.reduce((sum, coefficient, k) => sum + coefficient * (ids[k] ?? 0), form.constant);
    } else {
      index = listed?.[axis];
    }
    if (index === undefined) return undefined;
    switch (dim.kind) {
      case 'blocked':
        start.push(index * dim.size);
        size.push(dim.size);
        break;
      case 'squeezed':
        start.push(index);
        size.push(1);
        break;
      case 'element':
        start.push(index - dim.low);
        size.push(dim.size);
        break;
    }
  }
  return { start, size };
}

/** `rows 32..64 of 128`: a block in words, cut to the array. */
export function blockText(of: Operand, block: Block): string {
  const part = (axis: number) => {
    const from = block.start[axis] ?? 0;
    const to = from + (block.size[axis] ?? 0);
    const extent = of.shape[axis] ?? 0;
    return from < 0 || to > extent ? `${from}..${to} (past ${from < 0 ? 0 : extent})` : `${from}..${to}`;
  };
  return `${of.name}[${of.shape.map((_, axis) => part(axis)).join(', ')}]`;
}

/** Time of programs: measured if there is any, modelled otherwise. `NaN` where nothing is known. */
export function heat(launch: Launch): { values: number[]; perValue: number; source: 'measured' | 'modelled' } {
  const bins = launch.measured?.bins;
  if (bins && bins.compute.length > 0) {
    const values = bins.compute.map((compute, bin) => compute + (bins.copy_in[bin] ?? 0) + (bins.copy_out[bin] ?? 0));
    return { values, perValue: Math.max(1, bins.programs), source: 'measured' };
  }
  const values = new Array<number>(Math.min(launch.programs, 4096)).fill(Number.NaN);
  for (const event of launch.modelled.events) {
    if (event.stage === 'compute' && event.program < values.length) values[event.program] = event.end - event.start;
  }
  return { values, perValue: 1, source: 'modelled' };
}

/** Where a time stands between the median and the most: 0 to 1. The first program often takes longest, and would make all else alike. */
export function scale(values: number[]): (value: number) => number {
  const known = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  const least = known[0] ?? 0;
  const most = known[Math.floor((known.length - 1) * 0.95)] ?? 0;
  return (value) => (most > least ? Math.min(1, Math.max(0, (value - least) / (most - least))) : 0);
}

/** A row of the chart of the pipeline. */
export interface Row {
  label: string;
  lane: number;
  operand: number | null;
  slot: number;
}

/** The rows of the chart: what is copied in, per operand and slot; the kernel; what is copied out. */
export function rows(launch: Launch, events: Event[]): Row[] {
  const found = new Map<string, Row & { rank: number }>();
  const lanes = new Set(events.map((event) => event.lane));
  for (const event of events) {
    if (event.stage === 'wait') continue;
    const key = rowKey(event);
    if (found.has(key)) continue;
    const operand = event.operand === null ? undefined : launch.operands[event.operand];
    const core = lanes.size > 1 ? `core ${event.lane} ` : '';
    const label = operand ? `${core}${operand.name} slot ${event.slot}` : `${core}compute`;
    const rank = event.lane * 1e6 + (event.stage === 'compute' ? 5e5 : (event.stage === 'copy_out' ? 6e5 : 0) + (event.operand ?? 0) * 100 + event.slot);
    found.set(key, { label: event.stage === 'copy_out' ? `${label} out` : label, lane: event.lane, operand: event.operand, slot: event.slot, rank });
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank).map(({ rank: _, ...row }) => row);
}

/** The row that an event stands in. The kernel has one, whatever slots it works on. */
export function rowKey(event: Event): string {
  return event.stage === 'compute' ? `${event.lane}/compute` : `${event.lane}/${event.stage}/${event.operand}/${event.slot}`;
}

/** The events of a window of time that are wide enough to be seen; at most `most` of them, the longest. */
export function visible(events: Event[], from: number, to: number, most: number): Event[] {
  const inside = events.filter((event) => event.end >= from && event.start <= to);
  if (inside.length <= most) return inside;
  return inside.sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, most);
}

/** What a line of the source is to a launch. */
export interface Meaning {
  launch: number;
  operand: number | null;
}

function contains(place: Place | null, file: number, line: number): boolean {
  return place !== null && place.file === file && place.line <= line && line <= place.end_line;
}

/** What the line of the cursor is about: the launch, and the operand if it is one's spec; `undefined` if neither. */
export function meaning(report: Report, path: string, line: number, current: number): Meaning | undefined {
  const file = fileOf(report, path);
  if (file === undefined) return undefined;
  // The launch that is looked at goes first: several may come from one line.
  const order = [current, ...report.launches.keys()].filter((index, at, all) => all.indexOf(index) === at);
  for (const index of order) {
    const operands = report.launches[index]?.operands ?? [];
    const operand = operands.findIndex((of) => [of.spec, of.index_map, of.parameter].some((place) => contains(place, file, line)));
    if (operand !== -1) return { launch: index, operand };
  }
  const launch = order.find((index) => {
    const of = report.launches[index];
    return of !== undefined && (contains(of.call, file, line) || contains(of.definition, file, line));
  });
  return launch === undefined ? undefined : { launch, operand: null };
}

/** The number of a file, by the end of its path: reports may name it from another folder. */
export function fileOf(report: Report, path: string): number | undefined {
  const clean = (text: string) => text.replace(/\\/g, '/');
  const wanted = clean(path);
  const exact = report.sources.find((source) => clean(source.path) === wanted);
  return (exact ?? report.sources.find((source) => wanted.endsWith(`/${clean(source.path)}`)))?.file;
}

/** What people call the line of a place: a number; in a notebook, the cell with its line. */
export function lineName(report: Report, place: Place): string {
  const source = report.sources.find((one) => one.file === place.file);
  if (!source?.path.endsWith('.ipynb')) return String(place.line);
  const before = source.text.split('\n').slice(0, place.line);
  const mark = before.findLastIndex((line) => /^# %% cell \d+$/.test(line));
  return mark < 0 ? String(place.line) : `${before[mark]?.slice('# %% '.length)}:${place.line - mark - 1}`;
}

/** The text of a place, on one line. */
export function textOf(report: Report, place: Place): string {
  const source = report.sources.find((one) => one.file === place.file);
  if (!source) return '';
  // Places are bytes.
  const bytes = new TextEncoder().encode(source.text).slice(place.start, place.end);
  return new TextDecoder().decode(bytes).replace(/\s+/g, ' ').trim();
}

/** What an event of a lane is about: `x_smem[1]`, `full[1], phase 3`. */
export function subject(event: LaneEvent): string {
  const slot = typeof event.slot === 'number' ? `[${event.slot}]` : '';
  if (event.stage === 'wait' && event.name) return `${event.name}${slot}${typeof event.phase === 'number' ? `, phase ${event.phase}` : ''}`;
  return event.buffer ? `${event.buffer}${slot}` : event.name;
}

/** An event of a lane in words: who does what, when, for whom, and what ended a wait. */
export function laneWords(lanes: Lanes, event: LaneEvent): string {
  const name = (lane: number | undefined) => (lane === undefined ? undefined : lanes.lanes[lane]?.name);
  const doing: Record<string, string> = { wait: 'waits for', copy_in: 'brings in', copy_out: 'writes out', send: 'sends', product: 'multiplies with', compute: 'computes' };
  const size = event.bytes > 0 ? `, ${units.bytes(event.bytes)}` : '';
  const when = `${units.time(event.start)} to ${units.time(event.end)}, ${units.time(event.end - event.start)}`;
  let words = `${name(event.lane) ?? '?'} ${doing[event.stage] ?? event.stage} ${subject(event)}`.trimEnd() + `${size}: ${when}`;
  if (event.agent !== undefined && event.agent !== event.lane) words += `, for ${name(event.agent) ?? '?'}`;
  const cause = event.ended_by;
  if (cause) {
    const ended = cause.event === null ? undefined : lanes.events[cause.event];
    words += ended ? `, until ${ended.stage === 'product' ? 'the product' : ended.stage === 'send' ? 'what was sent' : 'the copy'} of ${subject(ended)} by ${name(ended.agent) ?? '?'}` : `, until ${name(cause.lane) ?? '?'}`;
  }
  return words;
}
