/** Lanes: what threads, cores, copies and links do at the same time, and who waits for whom. */

import { at, canvas, colour, element, section, stageColour } from './dom';
import { laneWords } from './model';
import type { LaneEvent } from './report';
import { launchOf, type Actions, type State } from './state';
import * as units from './units';

const ROW = 20;
const GUTTER = 190;
const TITLES: Record<string, string> = { copy_in: 'brings in', compute: 'computes', copy_out: 'writes out', send: 'sends', product: 'multiplies', wait: 'waits' };

/** The section; nothing for launches in which nobody waits for anybody. */
export function lanesSection(state: State, actions: Actions, width: number): HTMLElement | undefined {
  const lanes = launchOf(state).modelled.lanes;
  if (!lanes || lanes.lanes.length === 0 || lanes.time <= 0) return undefined;
  const inner = Math.max(160, width - GUTTER - 4);
  const { view, draw } = canvas(GUTTER + inner, lanes.lanes.length * ROW + 22, `Lanes, ${units.time(lanes.time)}`);
  view.id = 'lanes-canvas';
  const x = (moment: number) => GUTTER + (moment / lanes.time) * inner;
  draw.fillStyle = colour('--vscode-descriptionForeground', '#999');
  draw.textAlign = 'right';
  for (const [row, lane] of lanes.lanes.entries()) draw.fillText(lane.name, GUTTER - 8, row * ROW + 14, GUTTER - 12);
  const boxes: { event: LaneEvent; left: number; right: number }[] = [];
  draw.textAlign = 'left';
  for (const event of lanes.events) {
    const [left, right] = [x(event.start), Math.max(x(event.start) + 1, x(event.end))];
    const inset = event.stage === 'wait' ? 7 : 3;
    draw.globalAlpha = event.stage === 'wait' ? 0.5 : 1;
    draw.fillStyle = stageColour(event.stage);
    draw.fillRect(left, event.lane * ROW + inset, Math.max(1, right - left - 0.5), ROW - 2 * inset);
    draw.globalAlpha = 1;
    if (event.stage !== 'wait' && typeof event.slot === 'number' && right - left > 12) {
      draw.fillStyle = colour('--vscode-editor-background', '#1e1e1e');
      draw.fillText(String(event.slot), left + 3, event.lane * ROW + 14, right - left - 4);
    }
    boxes.push({ event, left, right });
  }
  draw.fillStyle = colour('--vscode-descriptionForeground', '#999');
  const ticks = inner > 340 ? 4 : 2;
  for (let tick = 0; tick <= ticks; tick++) {
    draw.textAlign = tick === 0 ? 'left' : tick === ticks ? 'right' : 'center';
    draw.fillText(units.time((lanes.time * tick) / ticks), GUTTER + (inner * tick) / ticks, lanes.lanes.length * ROW + 16);
  }
  const caption = element('p', { class: 'caption', 'aria-live': 'polite', id: 'lanes-caption' });
  const hit = (event: MouseEvent) => {
    const point = at(event);
    return boxes.findLast((box) => box.event.lane === Math.floor(point.y / ROW) && box.left - 1 <= point.x && point.x <= box.right + 1)?.event;
  };
  const longest = lanes.events.filter((event) => event.stage === 'wait').sort((one, other) => other.end - other.start - (one.end - one.start))[0];
  const shown = longest ?? lanes.events[0];
  // The keyboard goes from event to event; the longest wait is where it begins.
  let cursor = shown ? lanes.events.indexOf(shown) : 0;
  if (shown) caption.textContent = laneWords(lanes, shown);
  view.addEventListener('mousemove', (event) => {
    const found = hit(event);
    if (found) caption.textContent = laneWords(lanes, found);
  });
  view.addEventListener('click', (event) => actions.reveal(hit(event)?.place ?? null, true));
  view.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const now = lanes.events[cursor];
    if (event.key === 'Enter' && now) actions.reveal(now.place, true);
    if (by === undefined) return;
    event.preventDefault();
    const next = lanes.events[cursor + by];
    if (!next) return;
    cursor += by;
    caption.textContent = laneWords(lanes, next);
  });
  const legend = element('span', { class: 'legend' });
  for (const stage of ['copy_in', 'compute', 'product', 'copy_out', 'send', 'wait'].filter((stage) => lanes.events.some((event) => event.stage === stage))) {
    const swatch = element('i');
    swatch.style.background = stageColour(stage);
    legend.append(swatch, ` ${TITLES[stage] ?? stage} `);
  }
  const cut = lanes.complete ? '' : ' The report holds the first events only.';
  return section('lanes', `Who waits for whom, ${units.time(lanes.time)}`, legend, view, caption, element('p', { class: 'hint' }, `A click goes to the source; numbers are slots.${cut}`));
}
