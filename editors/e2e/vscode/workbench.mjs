// A real VS Code workbench: code-server with the extension installed, in Chromium. Everything lies in a folder of its own.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Waits until something is true. */
export async function until(condition, milliseconds = 30000, step = 50) {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await condition();
    if (value || Date.now() > end) return value;
    await new Promise((resolve) => setTimeout(resolve, step));
  }
}

export class Workbench {
  /** Starts the workbench on a folder with copies of the fixtures, and gives it with its page. */
  static async start({ vsix, others = [], fixtures, settings = {}, trusted = true }) {
    const folder = mkdtempSync(join(tmpdir(), 'pallas-workbench-'));
    const made = new Workbench();
    made.folder = folder;
    made.work = join(folder, 'work');
    for (const name of ['work', 'home', 'user/User', 'extensions']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of readdirSync(fixtures)) copyFileSync(join(fixtures, name), join(made.work, name));
    const all = {
      'terminal.integrated.gpuAcceleration': 'off',
      'workbench.startupEditor': 'none',
      'editor.minimap.enabled': false,
      'chat.disableAIFeatures': true,
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'telemetry.telemetryLevel': 'off',
      'window.restoreWindows': 'none',
      'workbench.tips.enabled': false,
      // What is typed is what stands there.
      'editor.acceptSuggestionOnEnter': 'off',
      ...settings,
    };
    writeFileSync(join(folder, 'user/User/settings.json'), JSON.stringify(all));
    const environment = { ...process.env, HOME: join(folder, 'home'), XDG_CONFIG_HOME: join(folder, 'home'), XDG_DATA_HOME: join(folder, 'home'), XDG_CACHE_HOME: join(folder, 'home'), PALLAS_BIN: '', PALLAS_MEMORY: made.work };
    const common = ['--user-data-dir', join(folder, 'user'), '--extensions-dir', join(folder, 'extensions')];
    for (const one of [vsix, ...others].filter(Boolean)) execFileSync('code-server', [...common, '--install-extension', one], { env: environment, stdio: 'pipe' });
    made.port = await freePort();
    const flags = ['--auth', 'none', '--bind-addr', `127.0.0.1:${made.port}`, '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', ...(trusted ? ['--disable-workspace-trust'] : [])];
    // A group of its own, so that all of it can be ended.
    made.process = spawn('code-server', [...flags, ...common], { env: environment, stdio: 'pipe', detached: true });
    made.output = '';
    for (const stream of [made.process.stdout, made.process.stderr]) stream.on('data', (data) => (made.output += data));
    const up = await until(() => fetch(`http://127.0.0.1:${made.port}/healthz`).then(() => true, () => false), 60000);
    if (!up) throw new Error(`code-server does not start:\n${made.output}`);
    made.browser = await chromium.launch({ executablePath: execFileSync('sh', ['-c', 'command -v chromium']).toString().trim(), args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
    made.page = await made.browser.newPage({ viewport: { width: 1500, height: 940 }, deviceScaleFactor: 1 });
    return made;
  }

  /** Opens a file of the folder, or one with a URI of its own; the workbench is loaded with it. */
  async open(name) {
    // With the authority: without it, squiggles are not drawn.
    const file = name.includes(':') ? name : `vscode-remote://127.0.0.1:${this.port}${join(this.work, name)}`;
    const payload = encodeURIComponent(JSON.stringify([['openFile', file]]));
    await this.page.goto(`http://127.0.0.1:${this.port}/?folder=${this.work}&payload=${payload}`);
    await this.page.waitForSelector('.monaco-editor .view-line', { timeout: 90000 });
  }

  /** Opens the folder without a file. */
  async openNothing() {
    await this.page.goto(`http://127.0.0.1:${this.port}/?folder=${this.work}`);
    await this.page.waitForSelector('.monaco-workbench .statusbar-item', { timeout: 90000 });
  }

  /** What stands in the editor, as far as it is on the screen. */
  async text() {
    const lines = await this.page.locator('.editor-instance .view-line').allInnerTexts();
    return lines.join('\n').replace(/\u00a0/g, ' ');
  }

  squiggles() {
    return this.page.locator('.squiggly-error, .squiggly-warning').count();
  }

  /** Carries out a command of the palette. */
  async command(title) {
    const input = this.page.locator('.quick-input-widget input');
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    // A palette that opens while the workbench is still settling closes again: whoever uses it asks once more.
    for (let left = 3; left > 0; left--) {
      await this.page.keyboard.press('F1');
      const shown = await input
        .fill(`>${title}`, { timeout: 5000 })
        .then(() => row.waitFor({ timeout: 5000 }))
        .then(() => true, () => false);
      if (shown) break;
      if (left === 1) throw new Error(`the palette does not offer ${title}: ${await this.page.locator('.quick-input-list').allInnerTexts()}`);
      await this.page.keyboard.press('Escape');
    }
    // Not by Enter: what was used last may stand above what is meant.
    await row.click();
  }

  /** Puts the cursor of the editor somewhere; lines and columns from 1. */
  async go(line, column) {
    await this.page.keyboard.press('Control+g');
    await this.page.locator('.quick-input-widget input').fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.waitForTimeout(200);
  }

  /** Follows squiggles and keys from now on, in the page: whoever asks from outside sees what is drawn late. */
  follow() {
    return this.page.evaluate(() => {
      window.following?.disconnect();
      window.seen = [];
      window.keys = [];
      window.drawn = 0;
      const key = (event) => event.key.length === 1 && window.keys.push(performance.now());
      if (!window.hears) document.addEventListener('keydown', (event) => window.hears(event), true);
      window.hears = key;
      const look = () => {
        const count = document.querySelectorAll('.squiggly-error, .squiggly-warning').length;
        if (window.seen.at(-1)?.count !== count) window.seen.push({ count, at: performance.now(), key: window.keys.length });
      };
      look();
      window.following = new MutationObserver((all) => {
        if (all.some((one) => one.target.closest?.('.view-lines'))) window.drawn = performance.now();
        look();
      });
      window.following.observe(document.querySelector('.editor-instance'), { subtree: true, childList: true });
    });
  }

  /** What was seen since: numbers of squiggles with their times, times of keys, and when the text was drawn last. */
  followed() {
    return this.page.evaluate(() => ({ seen: window.seen, keys: window.keys, drawn: window.drawn }));
  }

  /** The frame of the profile panel. */
  async panel() {
    return until(async () => {
      for (const frame of this.page.frames()) {
        if (await frame.locator('#grid-canvas').count().catch(() => 0)) return frame;
      }
      return undefined;
    });
  }

  /** The texts of messages that are shown. */
  notifications() {
    return this.page.locator('.notification-list-item-message, .notification-toast').allInnerTexts();
  }

  /** What terminals show. */
  async terminal() {
    return (await this.page.locator('.xterm-rows').allInnerTexts()).join('\n').replace(/\u00a0/g, ' ');
  }

  /** The server that came with the extension. */
  bundled() {
    const folder = readdirSync(join(this.folder, 'extensions')).find((name) => name.startsWith('pallas-workbench.'));
    return join(this.folder, 'extensions', folder, 'server/pallas-lsp');
  }

  /** MiB that the server has, and that the process has which runs the extensions. */
  memory() {
    const [server] = this.servers();
    const status = readFileSync(`/proc/${server}/status`, 'utf8');
    const parent = /PPid:\s*(\d+)/.exec(status)?.[1];
    const resident = (text) => Math.round(Number(/VmRSS:\s*(\d+)/.exec(text)?.[1]) / 1024);
    return { server: resident(status), host: resident(readFileSync(`/proc/${parent}/status`, 'utf8')) };
  }

  /** The processes of the server that this page has. A page that was left keeps its extensions, and their server, until its connection
   * is given up, which may be long after another one was loaded. */
  servers() {
    const processes = this.processes();
    const hosts = processes.filter((one) => one.line.includes('--type=extensionHost')).sort((a, b) => a.begun - b.begun);
    const own = processes.filter((one) => one.line.startsWith(this.folder) && one.line.split(' ')[0].endsWith('pallas-lsp'));
    return own.filter((one) => one.parent === hosts.at(-1)?.pid).map((one) => one.pid);
  }

  /** All processes of the workbench: what they are, whose they are, and when they began. */
  processes() {
    const found = [];
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const [, parent, group, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
        if (Number(group) !== this.process.pid) continue;
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        found.push({ pid: Number(pid), parent: Number(parent), begun: Number(rest[16]), line });
      } catch {
        // It has ended meanwhile.
      }
    }
    return found;
  }

  async end() {
    await this.browser?.close().catch(() => {});
    if (this.process) {
      try {
        process.kill(-this.process.pid, 'SIGTERM');
      } catch {
        // It has ended by itself.
      }
      await until(() => this.process.exitCode !== null || this.process.signalCode !== null, 5000);
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
