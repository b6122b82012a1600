/** Numbers: the launch in short, time by stage and by line, what would be faster, and what is wrong. */

import { element, section, stageColour } from './dom';
import { lineName, textOf } from './model';
import type { Place } from './report';
import { launchOf, type Actions, type State } from './state';
import * as units from './units';

function table(heads: string[], body: HTMLElement[]): HTMLElement {
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
    element('tbody', {}, ...body),
  );
}

function row(...cells: (string | Node)[]): HTMLTableRowElement {
  return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)));
}

function bar(part: number, whole: number, stage: string): HTMLElement {
  const made = element('span', { class: 'bar' });
  made.style.width = `${whole > 0 ? Math.max(1, (90 * part) / whole) : 0}px`;
  made.style.background = stageColour(stage);
  return made;
}

/** A row that goes to its place, by mouse or keyboard. */
function linked(made: HTMLTableRowElement, place: Place, state: State, actions: Actions): HTMLTableRowElement {
  made.tabIndex = 0;
  made.classList.add('linked');
  made.dataset['line'] = String(place.line);
  if (state.cursor !== undefined && place.line <= state.cursor && state.cursor <= place.end_line) made.classList.add('selected');
  const go = () => actions.reveal(place, true);
  made.addEventListener('click', go);
  made.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') go();
  });
  return made;
}

export function summarySection(state: State): HTMLElement {
  const launch = launchOf(state);
  const { modelled, measured } = launch;
  const machine = launch.machine;
  const facts: [string, string][] = [
    [`modelled on ${machine?.name || state.report.machine.name}`, units.time(modelled.time)],
    ['held up by', modelled.bound],
    ['processor busy', units.share(modelled.utilisation, 1)],
    ['fill, stalls, drain', `${units.time(modelled.fill)}, ${units.time(modelled.stalls)}, ${units.time(modelled.drain)}`],
    ['work', units.flops(modelled.flops)],
    ['copies', units.bytes(modelled.bytes)],
    ['on chip', `${units.bytes(modelled.on_chip)}${modelled.fits ? '' : ', does not fit'}`],
  ];
  if (machine?.why && !machine.named) facts.push([`why ${machine.name}`, machine.why]);
  if (measured) facts.push([`measured, ${measured.device}`, units.time(measured.time)]);
  const list = element('dl', { class: 'facts' });
  for (const [name, value] of facts) list.append(element('div', {}, element('dt', {}, name), element('dd', {}, value)));
  return section('summary', 'In short', list);
}

export function timingsSection(state: State, actions: Actions): HTMLElement {
  const launch = launchOf(state);
  const parts: (HTMLElement | string)[] = [];
  const { measured, modelled } = launch;
  if (measured) {
    const stages = ['copy_in', 'compute', 'copy_out'] as const;
    parts.push(
      element('h3', {}, 'Measured by stage'),
      table(['stage', 'time', 'share', ''], stages.map((stage) => row(stage, units.time(measured[stage]), units.share(measured[stage], measured.time), bar(measured[stage], measured.time, stage)))),
    );
    const all = measured.lines.reduce((sum, line) => sum + line.time, 0);
    const lines = [...measured.lines].sort((a, b) => b.time - a.time).slice(0, 40);
    parts.push(
      element('h3', {}, 'Measured by line'),
      table(
        ['line', 'time', 'share', '', 'source'],
        lines.map((line) => linked(row(lineName(state.report, line.place), units.time(line.time), units.share(line.time, all), bar(line.time, all, 'compute'), element('code', {}, textOf(state.report, line.place).slice(0, 80))), line.place, state, actions)),
      ),
    );
  }
  const work = [...modelled.lines].sort((a, b) => b.flops - a.flops).slice(0, 40);
  const flops = work.reduce((sum, line) => sum + line.flops, 0);
  if (work.length > 0) {
    parts.push(
      element('h3', {}, 'Work by line'),
      table(
        ['line', 'work', 'share', '', 'source'],
        work.map((line) => linked(row(lineName(state.report, line.place), units.flops(line.flops), units.share(line.flops, flops), bar(line.flops, flops, 'copy_in'), element('code', {}, textOf(state.report, line.place).slice(0, 80))), line.place, state, actions)),
      ),
    );
  }
  return section('timings', 'Timings', ...parts);
}

export function adviceSection(state: State): HTMLElement | undefined {
  const { modelled, operands } = launchOf(state);
  const faster = modelled.advice.blocks.filter((one) => one.time < modelled.time);
  if (faster.length === 0) return undefined;
  const blocks = (one: number[][]) => one.map((block, index) => `${operands[index]?.name ?? ''} (${block.join(', ')})`).join(', ');
  return section(
    'advice',
    'Blocks that would be faster, if the work stays the same',
    table(['grid', 'blocks', 'time', 'change', 'on chip'], faster.map((one) => row(one.grid.join(' × '), element('code', {}, blocks(one.blocks)), units.time(one.time), `−${units.share(modelled.time - one.time, modelled.time)}`, units.bytes(one.on_chip)))),
  );
}

export function findingsSection(state: State, actions: Actions): HTMLElement {
  const launch = launchOf(state);
  const found = launch.findings.flatMap((index) => state.report.findings[index] ?? []);
  if (found.length === 0) return section('findings', 'Findings', element('p', { class: 'dim' }, 'none'));
  const items = found.map((finding) => {
    const go = element('button', { type: 'button', class: 'link' }, finding.message);
    go.addEventListener('click', () => actions.reveal(finding.place, true));
    const explain = element('button', { type: 'button', class: 'link', title: 'Explain this rule' }, finding.code);
    explain.addEventListener('click', () => actions.explain(finding.code));
    const more = [finding.evidence, finding.help].filter((text): text is string => text !== null);
    const marks = launch.marks.filter((mark) => state.report.findings[mark.finding] === finding);
    const programs = marks.slice(0, 8).map((mark) => {
      const program = element('button', { type: 'button', class: 'link' }, `(${mark.ids.join(', ')})`);
      const number = mark.ids.reduce((sum, id, axis) => sum * Math.max(1, launch.grid[axis] ?? 1) + id, 0);
      program.addEventListener('click', () => actions.look({ program: number }));
      return program;
    });
    const made = element('li', { class: finding.severity }, explain, ' ', go, ...more.map((text) => element('p', { class: 'dim' }, text)));
    if (programs.length > 0) made.append(element('p', { class: 'dim' }, 'programs ', ...programs));
    return made;
  });
  return section('findings', `Findings (${found.length})`, element('ul', {}, ...items));
}
