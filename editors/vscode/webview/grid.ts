/** The grid of programs, warm where they take long. Large grids are drawn coarser: a cell then stands for several programs. */

import { at, canvas, colour, element, section } from './dom';
import { heat, idsOf, neighbour, plane, scale } from './model';
import { launchOf, type Actions, type State } from './state';
import * as units from './units';

const MOST = 96;

export function gridSection(state: State, actions: Actions, width: number): HTMLElement {
  const launch = launchOf(state);
  const { rows, columns } = plane(launch.grid);
  const perColumn = Math.ceil(columns / MOST);
  const perRow = Math.ceil(rows / MOST);
  const [across, down] = [Math.ceil(columns / perColumn), Math.ceil(rows / perRow)];
  const cell = Math.max(4, Math.min(44, Math.floor((width - 2) / across), Math.max(10, Math.floor(320 / down))));
  const { values, perValue, source } = heat(launch);
  const warmth = scale(values);
  const { view, draw } = canvas(across * cell + 2, down * cell + 2, `Grid ${launch.grid.join(' by ')}, program ${idsOf(state.program, launch.grid).join(', ')}`);
  view.id = 'grid-canvas';
  const warm = colour('--vscode-charts-yellow', '#cca700');
  const cool = colour('--vscode-editorWidget-background', '#252526');
  const marked = new Set(launch.marks.map((mark) => mark.ids.join()));
  const error = colour('--vscode-editorError-foreground', '#f14c4c');
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const program = y * perRow * columns + x * perColumn;
      const value = values[Math.floor(program / perValue)];
      const [left, top, side] = [x * cell + 1, y * cell + 1, cell - 1];
      draw.fillStyle = cool;
      draw.fillRect(left, top, side, side);
      if (value !== undefined && Number.isFinite(value)) {
        draw.globalAlpha = 0.12 + 0.88 * warmth(value);
        draw.fillStyle = warm;
        draw.fillRect(left, top, side, side);
        draw.globalAlpha = 1;
      }
      if (marked.size > 0 && marked.has(idsOf(program, launch.grid).join())) {
        draw.fillStyle = error;
        draw.beginPath();
        draw.moveTo(left + side, top);
        draw.lineTo(left + side, top + side * 0.45);
        draw.lineTo(left + side * 0.55, top);
        draw.fill();
      }
      if (cell >= 30 && perColumn === 1 && perRow === 1) {
        const isBright = value !== undefined && Number.isFinite(value) && warmth(value) > 0.5;
        draw.fillStyle = isBright ? colour('--vscode-editor-background', '#1e1e1e') : colour('--vscode-foreground', '#ccc');
        draw.textAlign = 'center';
        draw.fillText(idsOf(program, launch.grid).join(','), left + side / 2, top + side / 2 + 4);
      }
    }
  }
  const [row, column] = [Math.floor(state.program / columns), state.program % columns];
  draw.strokeStyle = colour('--vscode-focusBorder', '#007fd4');
  draw.lineWidth = 2;
  draw.strokeRect(Math.floor(column / perColumn) * cell + 1, Math.floor(row / perRow) * cell + 1, cell - 1, cell - 1);

  const choose = (program: number | undefined) => {
    if (program !== undefined && program < launch.programs) actions.look({ program });
  };
  view.addEventListener('click', (event) => {
    const { x, y } = at(event);
    choose(Math.floor((y - 1) / cell) * perRow * columns + Math.floor((x - 1) / cell) * perColumn);
  });
  view.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      actions.reveal(launch.definition ?? launch.call);
      return;
    }
    const next = neighbour(state.program, launch.grid, event.key);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  });
  const value = values[Math.floor(state.program / perValue)];
  const took = value !== undefined && Number.isFinite(value) ? `, ${source} ${units.time(value / perValue)}` : '';
  const caption = `program (${idsOf(state.program, launch.grid).join(', ')}) of ${launch.programs}${took}`;
  const note = perColumn * perRow > 1 ? ` A cell stands for ${perColumn * perRow} programs.` : '';
  return section(
    'grid',
    `Grid ${launch.grid.join(' × ') || 'of one program'}`,
    view,
    element('p', { class: 'caption', 'aria-live': 'polite', id: 'grid-caption' }, caption),
    element('p', { class: 'hint' }, `Warm programs take longer (${source}).${note} Arrow keys move, Enter goes to the kernel.`),
  );
}
