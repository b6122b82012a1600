/** Elements without templates: texts stay texts. */

type Child = Node | string;

/** Makes an element. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A section with its heading. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return element('section', { id, 'aria-labelledby': `${id}-title` }, element('h2', { id: `${id}-title` }, title), ...children);
}

/** A colour of the editor's theme. */
export function colour(name: string, otherwise: string): string {
  const value = getComputedStyle(document.body).getPropertyValue(name).trim();
  return value === '' ? otherwise : value;
}

/** A canvas that is sharp on this screen, and its context, in CSS pixels. */
export function canvas(width: number, height: number, label: string): { view: HTMLCanvasElement; draw: CanvasRenderingContext2D } {
  const view = element('canvas', { tabindex: '0', role: 'img', 'aria-label': label });
  const ratio = window.devicePixelRatio || 1;
  view.width = Math.round(width * ratio);
  view.height = Math.round(height * ratio);
  view.style.width = `${width}px`;
  view.style.height = `${height}px`;
  const draw = view.getContext('2d');
  if (!draw) throw new Error('this view cannot draw');
  draw.scale(ratio, ratio);
  draw.font = `11px ${colour('--vscode-editor-font-family', 'monospace')}`;
  return { view, draw };
}

/** Where a click on a canvas was, in CSS pixels. */
export function at(event: MouseEvent): { x: number; y: number } {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** The colours of stages, from the theme. */
export function stageColour(stage: string): string {
  const names: Record<string, [string, string]> = {
    copy_in: ['--vscode-charts-blue', '#3794ff'],
    compute: ['--vscode-charts-yellow', '#cca700'],
    copy_out: ['--vscode-charts-green', '#89d185'],
    product: ['--vscode-charts-yellow', '#cca700'],
    send: ['--vscode-charts-purple', '#b180d7'],
    wait: ['--vscode-charts-red', '#f14c4c'],
  };
  const [name, otherwise] = names[stage] ?? ['--vscode-foreground', '#888'];
  return colour(name, otherwise);
}
