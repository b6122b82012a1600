/** The profile panel: holds what is looked at, and draws it again when that changes. */

import { blocksSection } from './blocks';
import { element } from './dom';
import { gridSection } from './grid';
import { lanesSection } from './lanes';
import type { FromPanel, ToPanel } from './messages';
import { lineName, meaning } from './model';
import { pipelineSection } from './pipeline';
import type { Place } from './report';
import { launchOf, type Actions, type State } from './state';
import { adviceSection, findingsSection, summarySection, timingsSection } from './tables';

declare function acquireVsCodeApi(): { postMessage(message: FromPanel): void; setState(state: unknown): void; getState(): unknown };

const editor = acquireVsCodeApi();
const root = document.getElementById('profile') as HTMLElement;
let state: State | undefined;

const actions: Actions = {
  look(change) {
    if (!state) return;
    state = { ...state, ...change };
    editor.setState({ file: state.file, launch: state.launch, program: state.program });
    draw();
  },
  reveal(place: Place | null, keepFocus = false) {
    const source = place && state?.report.sources.find((one) => one.file === place.file);
    if (!place || !source || !state) return;
    // The program itself is named as it was profiled; the editor knows it by another name.
    const path = source.path === state.report.program.path ? state.file : source.path;
    editor.postMessage({ type: 'reveal', path, line: place.line, column: place.column, endLine: place.end_line, endColumn: place.end_column, keepFocus });
  },
  explain(code) {
    editor.postMessage({ type: 'explain', code });
  },
  again() {
    editor.postMessage({ type: 'again' });
  },
};

function again(): HTMLElement {
  const made = element('button', { type: 'button', id: 'again' }, 'Profile again');
  made.addEventListener('click', () => actions.again());
  return made;
}

function header(now: State): HTMLElement {
  const launch = launchOf(now);
  const chooser = element('select', { id: 'launch', 'aria-label': 'Launch' });
  for (const [index, one] of now.report.launches.entries()) {
    const line = one.call ? ` ${lineName(now.report, one.call).replace(/^(?=\d)/, 'line ')}` : '';
    const option = element('option', { value: String(index) }, `${index + 1}. ${one.kernel}, grid ${one.grid.join('×') || '1'},${line}`);
    option.selected = index === now.launch;
    chooser.append(option);
  }
  chooser.addEventListener('change', () => actions.look({ launch: Number(chooser.value), program: 0, operand: 0, from: 0, to: 1 }));
  const source = element('button', { type: 'button', id: 'source' }, 'Go to the launch');
  source.addEventListener('click', () => actions.reveal(launch.call));
  return element('header', { id: 'header' }, chooser, source, again());
}

const FOCUSABLE = 'button, select, canvas[tabindex="0"], tr[tabindex="0"]';

/** The element that has the keyboard, in words that still hold when all is drawn again: its section, and which one it is there. */
function focused(): { within: string; index: number } | undefined {
  const active = document.activeElement;
  const within = active?.closest('section, header');
  if (!active || !within) return undefined;
  return { within: within.id, index: [...within.querySelectorAll(FOCUSABLE)].indexOf(active) };
}

function draw(): void {
  if (!state) return;
  const now = state;
  const had = focused();
  const width = Math.max(260, root.clientWidth - 24);
  const half = width > 760 ? Math.floor(width / 2) - 24 : width;
  const advice = adviceSection(now);
  const lanes = lanesSection(now, actions, width);
  const top = window.scrollY;
  root.replaceChildren(
    header(now),
    summarySection(now),
    element('div', { class: 'pair' }, gridSection(now, actions, half), blocksSection(now, actions)),
    ...(lanes ? [lanes] : []),
    pipelineSection(now, actions, width),
    findingsSection(now, actions),
    timingsSection(now, actions),
    ...(advice ? [advice] : []),
  );
  window.scrollTo(0, top);
  const same = had && document.getElementById(had.within)?.querySelectorAll<HTMLElement>(FOCUSABLE)[had.index];
  same?.focus({ preventScroll: true });
}

window.addEventListener('message', (event: MessageEvent<ToPanel>) => {
  const message = event.data;
  switch (message.type) {
    case 'report': {
      const kept = editor.getState() as { launch?: number; program?: number } | undefined;
      const launch = Math.min(state?.launch ?? kept?.launch ?? 0, message.report.launches.length - 1);
      const programs = message.report.launches[launch]?.programs ?? 1;
      const program = Math.min(state?.program ?? kept?.program ?? 0, programs - 1);
      state = { report: message.report, file: message.file, launch, program, operand: 0, source: 'modelled', from: 0, to: 1, cursor: undefined };
      editor.setState({ file: message.file, launch, program });
      draw();
      return;
    }
    case 'empty':
      editor.setState({ file: message.file });
      root.replaceChildren(element('p', {}, `Profiles are not kept between windows. ${message.file}`), again());
      return;
    case 'cursor': {
      if (!state) return;
      const found = meaning(state.report, message.file === state.file ? state.report.program.path : message.file, message.line, state.launch);
      const launch = found?.launch ?? state.launch;
      const changed = launch !== state.launch;
      actions.look({ cursor: message.line, launch, operand: found?.operand ?? state.operand, ...(changed ? { program: 0, from: 0, to: 1 } : {}) });
      return;
    }
  }
});

let width = 0;
new ResizeObserver(() => {
  if (root.clientWidth === width) return;
  width = root.clientWidth;
  draw();
}).observe(root);
// Colours are the theme's: they are read when something is drawn.
new MutationObserver(draw).observe(document.body, { attributes: true, attributeFilter: ['class'] });
editor.postMessage({ type: 'ready' });
