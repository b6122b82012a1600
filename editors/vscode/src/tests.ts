/** Tests as data: what `pallas-tui test --output-format json` says (docs/tests.md), and the tree that editors show. Knows no editor. */

/** A test, as it is collected. */
export interface Collected {
  id: string;
  file: string;
  line: number;
  classes: string[];
  class_line: number | null;
  function: string;
  name: string;
}

/** A place of a traceback. */
export interface Place {
  file: string;
  line: number;
  function: string;
}

/** What became of a test. */
export interface Finished {
  id: string | null;
  outcome: 'passed' | 'failed' | 'error' | 'skipped' | 'xfailed' | 'xpassed';
  seconds: number;
  message?: string;
  file?: string;
  line?: number;
  text?: string;
  places?: Place[];
  printed?: string;
}

/** What was found in a kernel. */
export interface Finding {
  code: string;
  severity: 'error' | 'warning' | 'info';
  message: string;
  filename: string;
  location: { row: number; column: number };
  evidence: string | null;
  help: string | null;
  /** The tests that it was found in. */
  tests?: string[];
}

export type Event =
  | { event: 'collected'; tests: Collected[]; errors: Finished[]; deselected: number }
  | { event: 'started'; id: string }
  | ({ event: 'finished' } & Finished)
  | { event: 'output'; stream: 'stdout' | 'stderr'; text: string }
  | { event: 'ended'; exit: number; counts: Record<string, number>; stopped: string | null; findings: Finding[] };

/** Cuts what comes from a process into events. What is no event is passed over. */
export class Reader {
  private rest = '';

  constructor(private readonly take: (event: Event) => void) {}

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        const event = JSON.parse(line);
        if (typeof event?.event === 'string') this.take(event);
      } catch {
        // Words of a program that is no `pallas-tui`.
      }
    }
  }
}

/** A row of the tree inside a file. */
export interface Row {
  /** What names it on the command line. */
  id: string;
  label: string;
  /** From one on; none for a class whose line nobody knows. */
  line: number | undefined;
  rows: Row[];
}

/** The rows of a file: classes, tests, and below tests their parameters, in the order of the file. */
export function rows(tests: Collected[]): Row[] {
  const top: Row[] = [];
  const row = (among: Row[], id: string, label: string, line: number | undefined): Row => {
    let found = among.find((one) => one.id === id);
    if (!found) {
      found = { id, label, line, rows: [] };
      among.push(found);
    }
    return found;
  };
  for (const test of tests) {
    let among = top;
    let id = test.file;
    test.classes.forEach((name, depth) => {
      id = `${id}::${name}`;
      const isInnermost = depth === test.classes.length - 1;
      const found = row(among, id, name, isInnermost ? (test.class_line ?? undefined) : undefined);
      if (isInnermost) found.line ??= test.class_line ?? undefined;
      among = found.rows;
    });
    if (test.name !== test.function) {
      const group = row(among, `${id}::${test.function}`, test.function, test.line);
      const parameters = test.name.startsWith(`${test.function}[`) ? test.name.slice(test.function.length) : test.name;
      row(group.rows, test.id, parameters, test.line);
    } else {
      row(among, test.id, test.name, test.line);
    }
  }
  return top;
}

/** The file of a name on the command line. */
export function fileOf(id: string): string {
  return id.split('::', 1)[0] ?? id;
}

/** Output as terminals take it, with paths from the root on, so that they can be followed. */
export function shown(text: string, folder: string): string {
  const absolute = text
    .replace(/File "([^"/\\<][^"]*)", line/g, (_all, file: string) => `File "${folder}/${file}", line`)
    .replace(/^(\s*--> )([^/\\\s][^\s]*:\d+:\d+)/gm, (_all, arrow: string, place: string) => `${arrow}${folder}/${place}`);
  return absolute.replace(/\r?\n/g, '\r\n');
}

/** Whether a text has to do with JAX; the tests of others are none of our business. */
export function speaksOfJax(text: string): boolean {
  return /\bjax\b|\bpallas\b/.test(text);
}

/** What a failed comparison has compared: `assert 2 == 3`. */
export function compared(message: string): { expected: string; actual: string } | undefined {
  const match = /^assert (.+?) == (.+)$/.exec(message);
  return match?.[1] !== undefined && match[2] !== undefined ? { actual: match[1], expected: match[2] } : undefined;
}
