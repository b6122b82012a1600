/** The block that the program has of each array, drawn on the array's last two dimensions. */

import { canvas, colour, element, section } from './dom';
import { blockOf, blockText } from './model';
import type { Operand } from './report';
import { launchOf, type Actions, type State } from './state';

const SIDE = 150;

function drawing(of: Operand, state: State, index: number): HTMLElement {
  const launch = launchOf(state);
  const block = blockOf(launch, index, state.program);
  const rank = of.shape.length;
  const height = rank > 1 ? (of.shape[rank - 2] ?? 1) : 1;
  const width = rank > 0 ? (of.shape[rank - 1] ?? 1) : 1;
  // Shapes keep their proportions as far as both sides can still be seen.
  const ratio = Math.min(8, Math.max(1 / 8, width / Math.max(1, height)));
  const [w, h] = ratio >= 1 ? [SIDE, Math.max(14, SIDE / ratio)] : [Math.max(14, SIDE * ratio), SIDE];
  const { view, draw } = canvas(w + 12, h + 12, block ? blockText(of, block) : `${of.name}: not known`);
  view.tabIndex = -1;
  draw.translate(6, 6);
  draw.fillStyle = colour('--vscode-editorWidget-background', '#252526');
  draw.fillRect(0, 0, w, h);
  draw.strokeStyle = colour('--vscode-editorIndentGuide-background1', '#555');
  const size = (axis: number) => {
    const dim = of.block[axis];
    return dim === undefined ? (of.shape[axis] ?? 1) : dim.kind === 'squeezed' ? 1 : Math.max(1, dim.size);
  };
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    draw.beginPath();
    draw.moveTo(x0, y0);
    draw.lineTo(x1, y1);
    draw.stroke();
  };
  const [stepX, stepY] = [rank > 0 ? size(rank - 1) : 1, rank > 1 ? size(rank - 2) : 1];
  if (width / stepX <= 64) for (let x = stepX; x < width; x += stepX) line((x / width) * w, 0, (x / width) * w, h);
  if (height / stepY <= 64) for (let y = stepY; y < height; y += stepY) line(0, (y / height) * h, w, (y / height) * h);
  if (block) {
    const [x, y] = [rank > 0 ? (block.start[rank - 1] ?? 0) : 0, rank > 1 ? (block.start[rank - 2] ?? 0) : 0];
    const [bw, bh] = [rank > 0 ? (block.size[rank - 1] ?? 1) : 1, rank > 1 ? (block.size[rank - 2] ?? 1) : 1];
    const past = block.start.some((from, axis) => from < 0 || from + (block.size[axis] ?? 0) > (of.shape[axis] ?? 0));
    draw.fillStyle = past ? colour('--vscode-editorWarning-foreground', '#cca700') : colour(of.role === 'output' ? '--vscode-charts-green' : '--vscode-charts-blue', '#3794ff');
    draw.globalAlpha = 0.75;
    draw.fillRect((x / width) * w, (y / height) * h, Math.max(2, Math.min(w + 6, (bw / width) * w)), Math.max(2, Math.min(h + 6, (bh / height) * h)));
    draw.globalAlpha = 1;
  }
  draw.strokeStyle = colour('--vscode-foreground', '#ccc');
  draw.strokeRect(0, 0, w, h);
  return view;
}

export function blocksSection(state: State, actions: Actions): HTMLElement {
  const launch = launchOf(state);
  const cards = launch.operands.map((of, index) => {
    const block = blockOf(launch, index, state.program);
    const card = element(
      'button',
      { class: index === state.operand ? 'card selected' : 'card', type: 'button', 'aria-pressed': String(index === state.operand), 'data-operand': of.name },
      element('strong', {}, of.name),
      element('span', { class: 'dim' }, ` ${of.dtype}[${of.shape.join(',')}] ${of.role}`),
      drawing(of, state, index),
      element('code', {}, block ? blockText(of, block) : 'depends on data'),
      element('span', { class: 'dim' }, `index map ${of.formula}`),
    );
    card.addEventListener('click', () => {
      actions.look({ operand: index });
      actions.reveal(of.spec ?? of.index_map ?? of.parameter, true);
    });
    return card;
  });
  return section('blocks', 'Blocks of this program', element('div', { class: 'cards' }, ...cards));
}
