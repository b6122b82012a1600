// The extension in a real workbench: node test.mjs EXTENSION.vsix
// `PALLAS_FIXTURES` is the folder of the files; pictures are kept in `PICTURES` if that is set.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, Workbench } from './workbench.mjs';

const vsix = process.argv[2];
const fixtures = process.env.PALLAS_FIXTURES;
const pictures = process.env.PICTURES;
if (!vsix || !fixtures) throw new Error('usage: PALLAS_FIXTURES=folder node test.mjs EXTENSION.vsix');

let checks = 0;
let failures = 0;
function check(what, ok, seen) {
  checks += 1;
  if (!ok) failures += 1;
  console.log(`  ${ok ? 'ok  ' : 'FAIL'} ${what}${ok || seen === undefined ? '' : `\n    seen: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`}`);
  return ok;
}

const bench = await Workbench.start({ vsix, fixtures });
const { page } = bench;
/** Takes back what a click has put into the user's settings, of which there are those of the machine, too. */
function forget(key) {
  for (const folder of ['User', 'Machine']) {
    const path = join(bench.folder, 'user', folder, 'settings.json');
    if (!existsSync(path)) continue;
    const { [key]: _gone, ...settings } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify(settings));
  }
}
async function picture(name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

const tests = {
  async testsUnopened() {
    await bench.openNothing();
    await bench.command('Testing: Focus on Test Explorer View');
    const rows = page.locator('.test-explorer .monaco-list-row');
    const shown = async () => (await rows.allInnerTexts()).join(' ');
    check('tests are in the Testing view before anything is open', await until(async () => (await shown()).includes('test_scale.py'), 60000), await shown());
    check('and no server was needed for that', bench.servers().length === 0, bench.servers());
    await picture('tests-unopened');
  },

  async finds() {
    await bench.open('scale.py');
    check('a squiggle is drawn', await until(async () => (await bench.squiggles()) > 0, 60000), bench.output);
    await page.locator('.view-line', { hasText: 'in_specs' }).first().click();
    await bench.go(17, 45);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    const hover = page.locator('.monaco-hover:visible');
    await until(async () => (await hover.allInnerTexts()).join().includes('PL106'), 15000);
    const text = (await hover.allInnerTexts()).join('\n');
    check('its hover says what is wrong', text.includes('called with 2 program ids') && text.includes('PL106'), text);
    await picture('finding');
    await page.keyboard.press('Escape');
  },

  async fixes() {
    await bench.go(17, 45);
    const item = page.locator('.action-widget .monaco-list-row', { hasText: 'Add the parameter' });
    // The menu stays away where a hover is just closing: whoever uses it asks once more.
    for (let left = 3; left > 0 && !(await item.first().isVisible()); left--) {
      await page.keyboard.press('Control+.');
      await item.first().waitFor({ timeout: 5000 }).catch(() => page.keyboard.press('Escape'));
    }
    await item.first().waitFor({ timeout: 1000 });
    await picture('fix');
    await item.first().click();
    check('a fix is applied', await until(async () => (await bench.text()).includes('lambda i, j: (i, 0)'), 15000), await bench.text());
    check('and its squiggle goes', await until(async () => (await bench.squiggles()) === 0), await bench.squiggles());
    await page.keyboard.press('Control+s');
  },

  async shows() {
    check('inlay hints say blocks', await until(async () => /x_ref: ref<f32\[4, ?128\]/.test(await bench.text())), await bench.text());
    const lens = page.locator('.codelens-decoration');
    await until(async () => (await lens.allInnerTexts()).join().includes('Profile'));
    const lenses = (await lens.allInnerTexts()).join(' ');
    check('lenses offer Run and Profile, and say the grid', /Run/.test(lenses) && /Profile/.test(lenses) && /2.?[×x,].?2/.test(lenses), lenses);
    await bench.go(9, 24);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    const hover = page.locator('.monaco-hover:visible');
    await until(async () => (await hover.allInnerTexts()).join().includes('x_ref'), 10000);
    check('a hover behind an emoji says the block', (await hover.allInnerTexts()).join().includes('x_ref'), await hover.allInnerTexts());
    await picture('shapes');
    await page.keyboard.press('Escape');
  },

  async runs() {
    await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
    check('the lens runs the kernel in a terminal', await until(async () => (await bench.terminal()).includes('4096.0')), await bench.terminal());
    await picture('run');
    await bench.command('View: Toggle Panel Visibility');
  },

  async profiles() {
    await page.locator('.codelens-decoration a', { hasText: 'Profile' }).first().click();
    const panel = await bench.panel();
    if (!check('the lens opens the profile panel', panel !== undefined, await bench.notifications())) return;
    check('with the grid of this launch', (await panel.locator('#grid h2').innerText()).includes('2 × 2'));
    check('and its operands', (await panel.locator('.card strong').allInnerTexts()).join() === 'x_ref,o_ref');
    check('and what is measured by line', (await panel.locator('#timings tr.linked').count()) > 1);
    const drawn = await panel.locator('#pipeline-canvas').evaluate((view) => {
      const { data } = view.getContext('2d').getImageData(0, 0, view.width, view.height);
      const colours = new Set();
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0) colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
      return colours.size;
    });
    check('and the pipeline is drawn', drawn > 5, drawn);
    const box = await panel.locator('#grid-canvas').boundingBox();
    await panel.locator('#grid-canvas').click({ position: { x: box.width * 0.75, y: box.height * 0.75 } });
    check('a click chooses a program', (await panel.locator('#grid-caption').innerText()).startsWith('program (1, 1)'), await panel.locator('#grid-caption').innerText());
    check('whose blocks are shown', (await panel.locator('.card code').first().innerText()) === 'x_ref[4..8, 0..128]', await panel.locator('.card code').first().innerText());
    await panel.locator('#grid-canvas').press('ArrowUp');
    check('keys choose others', (await panel.locator('#grid-caption').innerText()).startsWith('program (0, 1)'));
    // By keyboard alone: what has it keeps it while all is drawn anew.
    const holder = () => panel.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const zoom = panel.locator('#pipeline button', { hasText: '+' });
    await zoom.focus();
    await zoom.press('Enter');
    check('a button that was pressed keeps the keyboard', (await holder()) === '+', await holder());
    await panel.locator('#pipeline-canvas').press('ArrowDown');
    check('keys choose programs in the pipeline, too', (await panel.locator('#grid-caption').innerText()).startsWith('program (1, 0)'), await panel.locator('#grid-caption').innerText());
    await panel.locator('#pipeline-canvas').press('0');
    await panel.locator('#timings tr.linked').first().focus();
    await panel.locator('#timings tr.linked').first().press('Enter');
    await page.waitForTimeout(300);
    check('and so does a line that was followed', (await panel.evaluate(() => document.activeElement?.tagName)) === 'TR', await holder());
    const row = panel.locator('#timings tr.linked').first();
    const line = await row.getAttribute('data-line');
    await row.click();
    const active = async () => (await page.locator('.active-line-number').allInnerTexts()).join();
    check('a click on a line goes to the source', await until(async () => (await active()) === line, 10000), await active());
    await page.locator('.view-line', { hasText: 'out_specs' }).first().click();
    check('the cursor chooses the operand of its line', await until(async () => (await panel.locator('.card.selected').getAttribute('data-operand')) === 'o_ref', 10000));
    await picture('profile');
    await bench.command('View: Close Other Editors in Group').catch(() => {});
  },

  /**
   * 200 keys, 20 a second: a comment first, then a name that is wrong with every letter but the last. What is drawn is followed from
   * mutation to mutation: a squiggle under something that does not stand there any more would be stale.
   */
  async types() {
    await page.locator('.view-line', { hasText: 'out_specs' }).first().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    const had = await bench.squiggles();
    await bench.follow();
    const comment = `# ${'a comment that goes on and on, '.repeat(8)}`.slice(0, 187);
    await page.keyboard.type(comment, { delay: 50 });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Delete');
    await page.keyboard.type('y = jnp.ones ', { delay: 50 });
    // What is drawn late comes first, or an answer that has not come yet would look like one that is right.
    await page.waitForTimeout(1000);
    await until(async () => (await bench.squiggles()) === had, 10000);
    const { seen, keys, drawn } = await bench.followed();
    const last = keys.at(-1);
    // The last key but one makes the text right; the last one changes nothing.
    const settled = Math.max(0, Math.round(seen.at(-1).at - keys.at(-2)));
    check(`typing ends with what the whole text has (${keys.length} keys)`, (await bench.squiggles()) === had && (await bench.text()).includes('y = jnp.ones'), { seen, last, text: await bench.text() });
    check('nothing is squiggled while a comment is typed', seen.every((one) => one.count <= had || one.key > comment.length), seen);
    console.log(`       squiggles settled ${settled} ms after the letter that made the text right; the editor drew its text last ${Math.round(drawn - last)} ms after the last key`);
    console.log(`       numbers of squiggles while typing: ${seen.map((one) => one.count).join(' ')}`);
    await page.keyboard.press('Escape');
    await picture('typing');
  },

  async recovers() {
    const before = bench.servers();
    check('one server runs', before.length === 1, before);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    check('a server that was killed comes back', await until(() => bench.servers().some((pid) => !before.includes(pid))));
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    const had = await bench.squiggles();
    await page.keyboard.type('z = jnp.rubbish');
    await page.keyboard.press('Escape');
    check('and says what is wrong', await until(async () => (await bench.squiggles()) > had), await bench.squiggles());
    check('nothing of the text is lost', (await bench.text()).includes('z = jnp.rubbish'));
    // Again and again: it is not started for ever, and one click starts it.
    for (let left = 6; left > 0 && (await until(() => bench.servers().length > 0, 5000)); left--) {
      for (const pid of bench.servers()) process.kill(pid, 'SIGKILL');
      await until(() => bench.servers().length === 0, 5000);
    }
    check('one that ends for ever is left', bench.servers().length === 0 && (await until(async () => (await bench.notifications()).join().includes('times in three minutes'), 10000)), await bench.notifications());
    await page.locator('.notification-toast .monaco-button', { hasText: 'Restart Server' }).first().click();
    check('and started by one click', await until(() => bench.servers().length === 1), await bench.notifications());
  },

  async explains() {
    await bench.go(17, 45);
    await bench.command('Pallas: Show Kernel IR');
    check('the kernel IR is shown', await until(async () => (await page.locator('.tab', { hasText: 'scale.py.ir' }).count()) > 0, 15000), await bench.notifications());
    await page.locator('.tab[data-resource-name="scale.py"]').first().click();
    await bench.go(9, 24);
    await bench.command('Pallas: Show Generated Code');
    const forms = page.locator('.quick-input-list .monaco-list-row');
    await forms.filter({ hasText: 'SIMT IR' }).first().waitFor({ timeout: 15000 });
    const offered = (await forms.allInnerTexts()).join(' ');
    check('generated code is offered in three forms', ['CUDA C++', 'SIMT IR', 'Triton IR'].every((form) => offered.includes(form)), offered);
    await forms.filter({ hasText: 'CUDA C++' }).first().click();
    check('CUDA C++ is shown', await until(async () => (await page.locator('.tab', { hasText: 'scale.py.cuda' }).count()) > 0 && (await bench.text()).includes('__global__'), 15000), await bench.notifications());
    await picture('code');
    await bench.command('Pallas: Print Debug Information');
    check('and what the server is', await until(async () => (await bench.text()).includes('extension 0.1.0'), 15000), await bench.text());
  },

  /** A function that nobody calls, and that is not reached with made-up arguments: why, and what is to be said of it by one action. */
  async says() {
    const kernel = readFileSync(join(fixtures, 'scale.py'), 'utf8').replace('lambda i:', 'lambda i, j:').replace(/\nprint.*/s, '');
    writeFileSync(join(bench.work, 'said.py'), kernel.replace('  return pl', "  if hash(str(x.shape)) != 5:\n    raise ValueError('only some')\n  return pl"));
    await bench.open('said.py');
    const lens = async () => (await page.locator('.codelens-decoration').allInnerTexts()).join();
    check('a function that is not reached says why', await until(async () => /not checked: .*made-up arguments .*only some/.test(await lens()), 60000), await lens());
    const item = page.locator('.action-widget .monaco-list-row', { hasText: 'Say what `scale` is called with' });
    // From the end of its head, where people put the cursor.
    await page.locator('.view-line', { hasText: 'def scale(' }).first().click();
    for (let left = 3; left > 0 && !(await item.first().isVisible()); left--) {
      await page.keyboard.press('End');
      await page.keyboard.press('Control+.');
      await item.first().waitFor({ timeout: 5000 }).catch(() => page.keyboard.press('Escape'));
    }
    await picture('said');
    await item.first().click({ timeout: 5000 });
    check('what it is called with is written above it', await until(async () => (await bench.text()).includes('# pallas: call(x=')), await bench.text());
    await page.keyboard.press('Control+s');
  },

  /** A file of 20,000 lines is checked, and edits at its end are. */
  async notebooks() {
    await bench.openNothing();
    const line = page.locator('.notebookOverlay .view-line', { hasText: /^programs.=.3$/ });
    // Until the workbench knows of notebooks, one is a text to it.
    for (let left = 5; left > 0 && !(await line.isVisible()); left--) {
      await bench.command('View: Close All Editors');
      await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'notebook.ipynb' }).dblclick();
      await line.waitFor({ timeout: 5000 }).catch(() => {});
    }
    check('a squiggle is drawn in a cell', await until(async () => (await bench.squiggles()) > 0, 60000), await bench.notifications());
    await picture('notebook');
    await line.click();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('2');
    check('and goes when the cell is mended', await until(async () => (await bench.squiggles()) === 0), await bench.squiggles());
    await bench.command('Pallas: Profile');
    const panel = await bench.panel();
    if (!check('the notebook is profiled', panel !== undefined, await bench.notifications())) return;
    const launch = await panel.locator('#launch option').first().innerText();
    check('with its launch, in its cell', launch.includes('cell 3:3'), launch);
    await panel.locator('button', { hasText: 'Go to the launch' }).click();
    await page.waitForTimeout(1000);
    await page.keyboard.type('#');
    const cell = page.locator('.notebookOverlay .view-line', { hasText: /^scale.=.#/ });
    check('which the panel goes to', await until(() => cell.isVisible(), 10000), await page.locator('.notebookOverlay .view-line').allInnerTexts());
    await picture('notebook-profile');
    // What is not saved would be there again in the tests that follow.
    await page.keyboard.press('Control+s');
    await page.waitForTimeout(500);
    await bench.command('View: Close All Editors');
  },

  async largeFiles() {
    const kernel = readFileSync(join(fixtures, 'scale.py'), 'utf8').replace('lambda i:', 'lambda i, j:');
    const helpers = Array.from({ length: 6660 }, (_, n) => `\n\ndef helper_${n}(x):\n  return x * ${n}`).join('');
    writeFileSync(join(bench.work, 'large.py'), `${kernel}${helpers}\n\nz = jnp.rubbish\n`);
    await bench.open('large.py');
    const lens = page.locator('.codelens-decoration');
    check('a file of 20,000 lines is analysed', await until(async () => (await lens.allInnerTexts()).join().includes('programs'), 60000), await bench.notifications());
    await page.locator('.view-line').first().click();
    await page.keyboard.press('Control+End');
    check('what is wrong in its last line is squiggled', await until(async () => (await bench.squiggles()) === 1, 20000), await bench.squiggles());
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Backspace');
    await page.waitForTimeout(1000);
    await bench.follow();
    await page.keyboard.type('ones', { delay: 50 });
    check('and mended by typing', await until(async () => (await bench.squiggles()) === 0 && (await bench.text()).includes('z = jnp.ones'), 20000), await bench.text());
    const { seen, keys } = await bench.followed();
    console.log(`       squiggles settled ${Math.round(seen.at(-1).at - keys.at(-1))} ms after the last letter`);
    await page.keyboard.press('Escape');
  },

  /** `EDITS` edits (10,000 where there is time) take no more memory than the first of them, of the server and of the extension's host. */
  async staysSmall() {
    await bench.open('scale.py');
    await until(() => bench.servers().length === 1);
    await until(async () => (await page.locator('.codelens-decoration').allInnerTexts()).join().includes('Profile'));
    await page.locator('.view-line').first().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    const count = Number(process.env.EDITS ?? '') || 300;
    const had = await bench.squiggles();
    let first;
    for (let n = 1; n <= count; n++) {
      // A letter and its removal, with a pause now and then as people make them: what is drawn has to follow.
      if (n % 2 === 1) await page.keyboard.type('q');
      else await page.keyboard.press('Backspace');
      if (n % 20 === 0) await page.waitForTimeout(40);
      if (n === Math.ceil(count / 5)) {
        await page.waitForTimeout(1000);
        first = bench.memory();
      }
    }
    await page.waitForTimeout(2000);
    const last = bench.memory();
    check(`${count} edits leave the server's memory as it is: ${first.server} MiB after a fifth of them, ${last.server} MiB after all`, last.server < first.server + 8);
    // What Node has not collected yet comes and goes.
    check(`and that of the extensions' host: ${first.host} MiB, ${last.host} MiB`, last.host < first.host + 60);
    check('and the editor shows what is there', await until(async () => (await bench.squiggles()) === had, 10000), await bench.squiggles());
    await page.keyboard.press('Control+z');
  },

  async testsOf() {
    await bench.open('test_scale.py');
    const lens = page.locator('.codelens-decoration');
    check('tests have lenses', await until(async () => (await lens.allInnerTexts()).join().includes('Check tests (strict)'), 60000), [await lens.allInnerTexts(), await bench.notifications()]);
    check('and marks in the margin', await until(async () => (await page.locator('.testing-run-glyph').count()) >= 3, 30000), await page.locator('.testing-run-glyph').count());
    await bench.command('Testing: Focus on Test Explorer View');
    const rows = page.locator('.test-explorer .monaco-list-row');
    const shown = async () => (await rows.allInnerTexts()).join(' ').replace(/\s+/g, ' ');
    check('the file is in the Testing view', await until(async () => (await shown()).includes('test_scale.py')), await shown());
    check('files that are no tests are not', !(await shown()).includes(' scale.py'), await shown());
    await page.locator('.view-line', { hasText: 'def test_that_fails' }).first().click();
    await bench.command('Pallas: Run Tests of This File');
    const failed = page.locator('.testing-run-glyph.codicon-testing-failed-icon');
    check('a test that fails is marked', await until(async () => (await failed.count()) === 1, 30000), await bench.notifications());
    const passed = page.locator('.testing-run-glyph.codicon-testing-passed-icon');
    check('and those that pass', await until(async () => (await passed.count()) === 3), await passed.count());
    check('what was compared is said beside the line', await until(async () => (await page.getByText('2 != 3').count()) > 0, 10000));
    await rows.first().click();
    await page.keyboard.press('ArrowRight');
    check('classes and tests are in the Testing view', await until(async () => /TestSum.*test_that_fails.*test_that_passes/.test(await shown()), 10000), await shown());
    await picture('tests');
    await page.locator('.codelens-decoration a', { hasText: 'Check tests (strict)' }).first().click();
    const isSaid = async () => (await page.locator('.editor-instance').allInnerTexts()).join().includes('PL203');
    check('a strict run says what is found in the kernel at its line', await until(isSaid, 30000), await shown());
    // Beside the one that failed before: the one that it was found in, and what that stands in.
    check('and fails the test that it was found in', await until(async () => (await failed.count()) >= 2), await failed.count());
    await picture('tests-strict');
    await page.keyboard.press('Escape');
  },

  async misses() {
    await bench.open('scale.py');
    await until(() => bench.servers().length === 1);
    // A path that is not there: said with ways on, and put right by taking it back.
    const file = join(bench.work, '.vscode/settings.json');
    mkdirSync(join(bench.work, '.vscode'), { recursive: true });
    writeFileSync(file, JSON.stringify({ 'pallas.path': ['/nowhere/pallas-lsp'] }));
    check('a server that is not there is named', await until(async () => (await bench.notifications()).join().includes('/nowhere/pallas-lsp')), await bench.notifications());
    check('with ways on', await until(async () => (await page.locator('.notification-toast .monaco-button').allInnerTexts()).join().includes('Open Settings'), 5000), await page.locator('.notification-toast').allInnerTexts());
    await picture('missing');
    check('and none runs', await until(() => bench.servers().length === 0), bench.processes());
    writeFileSync(file, '{}');
    check('and it runs again when the setting is taken back', await until(() => bench.servers().length === 1));
    await bench.command('Notifications: Clear All Notifications');
    const other = join(bench.folder, 'old-server.mjs');
    copyFileSync(new URL('old-server.mjs', import.meta.url), other);
    chmodSync(other, 0o755);
    writeFileSync(file, JSON.stringify({ 'pallas.path': [other] }));
    check('a server of another version is named', await until(async () => (await bench.notifications()).join().includes('9.9.9')), await bench.notifications());
    await page.locator('.notification-toast .monaco-button', { hasText: 'Use Bundled Server' }).first().click();
    check('and gives way by one click, whatever the settings name', await until(() => bench.servers().length === 1), await bench.notifications());
    writeFileSync(file, '{}');
    forget('pallas.importStrategy');
    await until(() => bench.servers().length === 1);
    await bench.command('Notifications: Clear All Notifications');
    // Programs that are there and do not start.
    const server = readFileSync(bench.bundled());
    const foreign = Buffer.from(server.subarray(0, 4096));
    foreign.writeUInt16LE(foreign.readUInt16LE(18) === 183 ? 62 : 183, 18);
    const broken = [
      ['of another processor', foreign, 'and this machine is'],
      ['without a loader', '#!/nowhere/ld.so\n', 'no loader'],
      ['that says why', '#!/bin/sh\necho "GLIBC_2.99 not found" >&2\nexit 1\n', 'GLIBC_2.99 not found'],
      ['that is something else', '#!/bin/sh\nexit 0\n', 'while it was starting'],
    ];
    for (const [what, content, words] of broken) {
      const path = join(bench.folder, `server-${broken.findIndex((one) => one[0] === what)}`);
      writeFileSync(path, content, { mode: 0o755 });
      writeFileSync(file, JSON.stringify({ 'pallas.path': [path] }));
      const said = async () => (await bench.notifications()).join('\n');
      check(`a server ${what} is named, with the reason`, await until(async () => (await said()).includes(words) && (await said()).includes(path), 15000), await said());
      // Settings of the user and of the workspace arrive one by one: between them the server of another version may have been started
      // once more, and have said so.
      const messages = await page.locator('.notification-toast', { hasText: 'does not start' }).count();
      check('in one message', messages === 1, await bench.notifications());
      await picture(`server-${words.replace(/\W+/g, '-')}`);
      await bench.command('Notifications: Clear All Notifications');
    }
    writeFileSync(file, '{}');
    check('and the right one starts afterwards', await until(() => bench.servers().length === 1), await bench.notifications());
  },
};

try {
  for (const [name, run] of Object.entries(tests)) {
    if (process.env.ONLY && !process.env.ONLY.split(',').includes(name)) continue;
    try {
      await run();
    } catch (error) {
      check(name, false, String(error?.stack ?? error));
      await picture(`failed-${name}`);
      await page.keyboard.press('Escape').catch(() => {});
    }
  }
} finally {
  await bench.end();
}

/** A workspace that is not trusted: checked by the extension's own server, and nothing is run. */
async function restricted() {
  const settings = { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' };
  const untrusted = await Workbench.start({ vsix, fixtures, settings, trusted: false });
  try {
    mkdirSync(join(untrusted.work, '.vscode'), { recursive: true });
    writeFileSync(join(untrusted.work, '.vscode/settings.json'), JSON.stringify({ 'pallas.path': ['/nowhere/pallas-lsp'] }));
    await untrusted.open('scale.py');
    check('a file that is not trusted is checked', await until(async () => (await untrusted.squiggles()) > 0, 60000), await untrusted.notifications());
    check('by the server of the extension, whatever the workspace says', untrusted.servers().length === 1, untrusted.servers());
    writeFileSync(join(untrusted.work, 'right.py'), readFileSync(join(fixtures, 'scale.py'), 'utf8').replace('lambda i:', 'lambda i, j:'));
    await untrusted.open('right.py');
    const lenses = untrusted.page.locator('.codelens-decoration');
    check('its launches have their grid above them', await until(async () => (await lenses.allInnerTexts()).join().includes('programs')), await lenses.allInnerTexts());
    check('and cannot be run', !(await lenses.allInnerTexts()).join().includes('Run'), await lenses.allInnerTexts());
  } finally {
    await untrusted.end();
  }
}
if (!process.env.ONLY || process.env.ONLY.includes('restricted')) {
  await restricted().catch((error) => check('restricted', false, String(error?.stack ?? error)));
}
/** Who has just installed it: no Python file is open, the walkthrough leads on, and its buttons mean the file that it opened. */
async function begins() {
  const fresh = await Workbench.start({ vsix, fixtures });
  const { page } = fresh;
  try {
    await fresh.openNothing();
    await fresh.command('Welcome: Open Walkthrough');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'first five minutes' }).first().click();
    const step = (title) => page.locator('.getting-started-step', { hasText: title }).first();
    await step('Open a kernel').waitFor({ timeout: 20000 });
    if (pictures) await page.screenshot({ path: join(pictures, 'walkthrough.png') });
    const press = async (title, button) => {
      await step(title).click();
      await page.locator('.getting-started-step .monaco-button', { hasText: button }).first().click();
    };
    await press('Open a kernel', 'Open a sample');
    check('the walkthrough opens a sample', await until(async () => (await page.locator('.tab', { hasText: 'pallas_sample.py' }).count()) > 0, 30000), await fresh.notifications());
    check('whose launch has lenses', await until(async () => (await page.locator('.codelens-decoration').allInnerTexts()).join().includes('Profile'), 60000), await fresh.notifications());
    await press('Run it', 'Run this file');
    check('its button runs the sample', await until(async () => (await fresh.terminal()).includes('exactly equal'), 60000), [await fresh.notifications(), await fresh.terminal()]);
    await fresh.command('View: Toggle Panel Visibility');
    await press('See where the time goes', 'Profile this file');
    check('and profiles it', (await fresh.panel()) !== undefined, await fresh.notifications());
    if (pictures) await page.screenshot({ path: join(pictures, 'beginner.png') });
  } finally {
    await fresh.end();
  }
}
if (!process.env.ONLY || process.env.ONLY.includes('begins')) {
  await begins().catch((error) => check('begins', false, String(error?.stack ?? error)));
}

/** A build of the extension for platforms that no server is built for. */
async function unsupported() {
  const universal = process.env.UNIVERSAL;
  if (!universal) {
    console.log('  SKIPPED unsupported: UNIVERSAL names no .vsix without a server');
    return;
  }
  const bare = await Workbench.start({ vsix: universal, fixtures });
  try {
    await bare.open('scale.py');
    check('that no server comes with it is said', await until(async () => (await bare.notifications()).join().includes('none comes with this build'), 60000), await bare.notifications());
    const way = bare.page.locator('.notification-toast .monaco-button', { hasText: 'How to Install' }).first();
    check('with a way on', await until(() => way.isVisible(), 5000));
    await way.click();
    const read = async () => (await Promise.all(bare.page.frames().map((frame) => frame.locator('body').innerText().catch(() => '')))).join('\n');
    check('which is a page that says how', await until(async () => (await read()).includes('cargo install --path lsp'), 15000), await read());
    if (pictures) await bare.page.screenshot({ path: join(pictures, 'install.png') });
  } finally {
    await bare.end();
  }
}
if (!process.env.ONLY || process.env.ONLY.includes('unsupported')) {
  await unsupported().catch((error) => check('unsupported', false, String(error?.stack ?? error)));
}

/** Files on no disk: checked one by one, and what cannot be done with them is said. */
async function onNoDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'pallas-memory-'));
  const memory = join(folder, 'memory.vsix');
  const here = new URL('.', import.meta.url).pathname;
  const vsce = join(here, '../../vscode/node_modules/.bin/vsce');
  execFileSync(vsce, ['package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', memory], { cwd: join(here, 'memory'), stdio: 'pipe' });
  const remote = await Workbench.start({ vsix, others: [memory], fixtures });
  try {
    await remote.open('memory:/scale.py');
    check('a file on no disk is checked', await until(async () => (await remote.squiggles()) > 0, 60000), await remote.notifications());
    await remote.page.locator('.view-line').first().click();
    await remote.command('Pallas: Run');
    check('that it cannot be run is said', await until(async () => (await remote.notifications()).join().includes('is on no disk'), 10000), await remote.notifications());
    check('with a way on', (await remote.page.locator('.notification-toast .monaco-button').allInnerTexts()).join().includes('Save As'), await remote.notifications());
  } finally {
    await remote.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
if (!process.env.ONLY || process.env.ONLY.includes('onNoDisk')) {
  await onNoDisk().catch((error) => check('onNoDisk', false, String(error?.stack ?? error)));
}
console.log(`vscode: ${checks} checks, ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
