/** The pipeline over time: what is copied into which slot, when the kernel works, when it waits. */

import { at, canvas, colour, element, section, stageColour } from './dom';
import { idsOf, rowKey, rows, visible } from './model';
import type { Event } from './report';
import { launchOf, type Actions, type State } from './state';
import * as units from './units';

const ROW = 20;
const GUTTER = 110;
const MOST = 4000;

function words(state: State, event: Event): string {
  const launch = launchOf(state);
  const of = event.operand === null ? 'the kernel' : (launch.operands[event.operand]?.name ?? '');
  const ids = idsOf(event.program, launch.grid).join(', ');
  const size = event.bytes > 0 ? `, ${units.bytes(event.bytes)}` : event.flops > 0 ? `, ${units.flops(event.flops)}` : '';
  return `${event.stage} ${of}, program (${ids}), slot ${event.slot}: ${units.time(event.start)} to ${units.time(event.end)}, ${units.time(event.end - event.start)}${size}`;
}

export function pipelineSection(state: State, actions: Actions, width: number): HTMLElement {
  const launch = launchOf(state);
  const events = state.source === 'measured' ? (launch.measured?.events ?? []) : launch.modelled.events;
  const end = events.reduce((latest, event) => Math.max(latest, event.end), 0);
  const [from, to] = [state.from * end, state.to * end];
  const labels = rows(launch, events);
  const keys = new Map<string, number>();
  for (const event of events) {
    if (event.stage === 'wait' || keys.has(rowKey(event))) continue;
    const of = event.stage === 'compute' ? null : event.operand;
    const row = labels.findIndex((label) => label.lane === event.lane && label.operand === of && (of === null || (label.slot === event.slot && label.label.endsWith(' out') === (event.stage === 'copy_out'))));
    keys.set(rowKey(event), row);
  }
  const inner = Math.max(160, width - GUTTER - 4);
  const { view, draw } = canvas(GUTTER + inner, labels.length * ROW + 22, `Pipeline, ${state.source}, ${units.time(from)} to ${units.time(to)}`);
  view.id = 'pipeline-canvas';
  const x = (moment: number) => GUTTER + ((moment - from) / Math.max(1e-9, to - from)) * inner;
  draw.fillStyle = colour('--vscode-descriptionForeground', '#999');
  for (const [row, label] of labels.entries()) {
    draw.textAlign = 'right';
    draw.fillText(label.label, GUTTER - 8, row * ROW + 14, GUTTER - 12);
  }
  const boxes: { event: Event; left: number; right: number; row: number }[] = [];
  draw.save();
  draw.beginPath();
  draw.rect(GUTTER, 0, inner, labels.length * ROW);
  draw.clip();
  for (const event of visible(events, from, to, MOST)) {
    // Waiting is the kernel's.
    const row = event.stage === 'wait' ? keys.get(`${event.lane}/compute`) : keys.get(rowKey(event));
    if (row === undefined) continue;
    const [left, right] = [x(event.start), Math.max(x(event.start) + 1, x(event.end))];
    draw.fillStyle = stageColour(event.stage);
    draw.globalAlpha = (event.program === state.program ? 1 : 0.45) * (event.stage === 'wait' ? 0.5 : 1);
    const inset = event.stage === 'wait' ? 7 : 3;
    draw.fillRect(left, row * ROW + inset, Math.max(1, right - left - 0.5), ROW - 2 * inset);
    if (event.stage !== 'wait' && right - left > 26) {
      draw.globalAlpha = 1;
      draw.fillStyle = colour('--vscode-editor-background', '#1e1e1e');
      draw.textAlign = 'left';
      draw.fillText(idsOf(event.program, launch.grid).join(','), left + 4, row * ROW + 14, right - left - 6);
    }
    boxes.push({ event, left, right, row });
  }
  draw.restore();
  draw.globalAlpha = 1;
  draw.fillStyle = colour('--vscode-descriptionForeground', '#999');
  const ticks = inner > 340 ? 4 : 2;
  for (let tick = 0; tick <= ticks; tick++) {
    draw.textAlign = tick === 0 ? 'left' : tick === ticks ? 'right' : 'center';
    draw.fillText(units.time(from + ((to - from) * tick) / ticks), GUTTER + (inner * tick) / ticks, labels.length * ROW + 16);
  }

  const caption = element('p', { class: 'caption', 'aria-live': 'polite', id: 'pipeline-caption' });
  const hit = (event: MouseEvent) => {
    const point = at(event);
    return boxes.findLast((box) => box.row === Math.floor(point.y / ROW) && box.left - 1 <= point.x && point.x <= box.right + 1)?.event;
  };
  const own = events.filter((event) => event.program === state.program);
  const shown = own.find((event) => event.stage === 'compute') ?? own[0];
  caption.textContent = shown ? words(state, shown) : `the report holds no events of program (${idsOf(state.program, launch.grid).join(', ')})`;
  view.addEventListener('mousemove', (event) => {
    const found = hit(event);
    if (found) caption.textContent = words(state, found);
  });
  view.addEventListener('click', (event) => {
    const found = hit(event);
    if (!found) return;
    actions.look({ program: found.program, operand: found.operand ?? state.operand });
    actions.reveal(found.place, true);
  });
  const zoom = (factor: number) => {
    const middle = (state.from + state.to) / 2;
    const half = Math.min(0.5, Math.max(0.5e-6, ((state.to - state.from) / 2) * factor));
    const start = Math.min(1 - 2 * half, Math.max(0, middle - half));
    actions.look({ from: start, to: start + 2 * half });
  };
  const pan = (share: number) => {
    const span = state.to - state.from;
    const start = Math.min(1 - span, Math.max(0, state.from + span * share));
    actions.look({ from: start, to: start + span });
  };
  const step = (by: number) => actions.look({ program: Math.min(launch.programs - 1, Math.max(0, state.program + by)) });
  view.addEventListener('keydown', (event) => {
    const keys: Record<string, () => void> = {
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      '0': () => actions.look({ from: 0, to: 1 }),
      ArrowLeft: () => pan(-0.25),
      ArrowRight: () => pan(0.25),
      ArrowUp: () => step(-1),
      ArrowDown: () => step(1),
      Enter: () => actions.reveal(shown?.place ?? null, true),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  view.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.5 : 1 / 1.5);
    },
    { passive: false },
  );
  const tools = element('div', { class: 'tools', role: 'group', 'aria-label': 'Pipeline' });
  const button = (label: string, title: string, act: () => void, pressed?: boolean) => {
    const made = element('button', { type: 'button', title, ...(pressed === undefined ? {} : { 'aria-pressed': String(pressed) }) }, label);
    made.addEventListener('click', act);
    tools.append(made);
  };
  button('modelled', 'What the model of the machine says', () => actions.look({ source: 'modelled', from: 0, to: 1 }), state.source === 'modelled');
  if (launch.measured) {
    button('measured', 'What a clock said, in interpret mode', () => actions.look({ source: 'measured', from: 0, to: 1 }), state.source === 'measured');
  }
  button('+', 'Zoom in', () => zoom(0.5));
  button('−', 'Zoom out', () => zoom(2));
  button('all', 'Show all of it', () => actions.look({ from: 0, to: 1 }));
  const legend = element('span', { class: 'legend' });
  for (const stage of ['copy_in', 'compute', 'copy_out', 'wait']) {
    const swatch = element('i');
    swatch.style.background = stageColour(stage);
    legend.append(swatch, ` ${stage} `);
  }
  tools.append(legend);
  const cut = state.source === 'modelled' && !launch.modelled.complete ? ' The report holds the first and the last programs only.' : '';
  return section('pipeline', 'Pipeline', tools, view, caption, element('p', { class: 'hint' }, `+ and − zoom, ← and → move, ↑ and ↓ choose the program, Enter or a click goes to the source.${cut}`));
}
