// Pictures of the real workbench for the README: node pictures.mjs EXTENSION.vsix FOLDER
// `PALLAS_FIXTURES` is the folder of the files that are shown.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, Workbench } from './workbench.mjs';

const [vsix, folder] = process.argv.slice(2);
const fixtures = process.env.PALLAS_FIXTURES;
if (!vsix || !folder || !fixtures) throw new Error('usage: PALLAS_FIXTURES=folder node pictures.mjs EXTENSION.vsix FOLDER');
mkdirSync(folder, { recursive: true });
const settings = { 'workbench.colorTheme': 'Default Dark Modern', 'workbench.activityBar.location': 'hidden', 'window.commandCenter': false, 'workbench.sideBar.location': 'right', 'editor.fontSize': 13, 'editor.scrollbar.horizontal': 'hidden' };
const bench = await Workbench.start({ vsix, fixtures, settings });
const { page } = bench;
const picture = async (name) => {
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(folder, `${name}.png`) });
};
try {
  await page.setViewportSize({ width: 1180, height: 640 });
  // Browsers without a screen have no font for what is there to test positions.
  const scale = join(bench.work, 'scale.py');
  writeFileSync(scale, readFileSync(scale, 'utf8').replace(/rocket = .*?; /, '').replace(/ \p{Emoji_Presentation}/u, ''));
  await bench.open('scale.py');
  await until(async () => (await bench.squiggles()) > 0, 60000);
  await bench.command('View: Toggle Primary Side Bar Visibility');
  await page.locator('.view-line', { hasText: 'in_specs' }).first().click();
  await bench.go(17, 45);
  const hover = async () => (await page.locator('.monaco-hover:visible').allInnerTexts()).join();
  for (let left = 5; left > 0 && !(await hover()).includes('Quick Fix...'); left--) {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    await until(async () => (await hover()).includes('Quick Fix...'), 5000);
  }
  await picture('finding');
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 1400, height: 1120 });
  await bench.open('05_templated_matmul.py');
  await page.locator('.codelens-decoration a', { hasText: 'Profile' }).first().waitFor({ timeout: 60000 });
  await bench.command('View: Toggle Primary Side Bar Visibility');
  await page.locator('.codelens-decoration a', { hasText: 'Profile' }).first().click();
  const panel = await bench.panel();
  await until(async () => (await bench.notifications()).length === 0);
  await panel.locator('#launch').selectOption({ index: 4 });
  const box = await panel.locator('#grid-canvas').boundingBox();
  await panel.locator('#grid-canvas').click({ position: { x: box.width * 0.6, y: box.height * 0.4 } });
  await page.locator('.view-line', { hasText: 'in_specs' }).first().click();
  await picture('profile');
} finally {
  await bench.end();
}
