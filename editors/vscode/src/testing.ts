/**
 * The Testing view: files of tests that have to do with JAX, found by their names; what is in them is asked of `pallas-tui test`, which
 * runs them, too.
 */

import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import * as vscode from 'vscode';
import * as programs from './programs';
import { compared, type Event, fileOf, type Finding, type Finished, Reader, type Row, rows, shown, speaksOfJax } from './tests';

/** Files of tests, by pytest's rules. */
const FILES = '**/{test_*,*_test}.py';
const NOT_SEARCHED = '**/{.*,build,dist,node_modules,venv,__pycache__}/**';
/** Processes that say what is in files, at once. */
const MOST = 2;

/** What an item is: a folder or file, or a test with its name on the command line. */
interface Known {
  folder: vscode.WorkspaceFolder;
  /** What `pallas-tui test` is given. */
  name: string;
}

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('pallas', 'Pallas');
  private readonly known = new WeakMap<vscode.TestItem, Known>();
  private readonly strict: vscode.TestRunProfile;
  private readonly plain: vscode.TestRunProfile;
  private readonly parts: vscode.Disposable[];
  private waiting: (() => void)[] = [];
  private busy = 0;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const { controller } = this;
    const profile = (name: string, isDefault: boolean, strict: boolean) =>
      controller.createRunProfile(name, vscode.TestRunProfileKind.Run, (request, token) => this.run(request, strict, token), isDefault);
    this.plain = profile('Run', true, false);
    this.strict = profile('Check (strict)', false, true);
    controller.resolveHandler = (item) => (item ? this.resolve(item) : this.find());
    controller.refreshHandler = () => this.find();
    const watcher = vscode.workspace.createFileSystemWatcher(FILES);
    watcher.onDidCreate((uri) => void this.add(uri));
    watcher.onDidDelete((uri) => this.remove(uri));
    watcher.onDidChange((uri) => void this.changed(uri));
    const open = (document: vscode.TextDocument) => {
      if (vscode.languages.match({ language: 'python', pattern: FILES }, document)) void this.changed(document.uri);
    };
    this.parts = [controller, watcher, vscode.workspace.onDidOpenTextDocument(open), vscode.workspace.onDidGrantWorkspaceTrust(() => void this.find())];
    for (const document of vscode.workspace.textDocuments) open(document);
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  /** Finds the files of tests. */
  private async find(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    const found = await vscode.workspace.findFiles(FILES, NOT_SEARCHED);
    const there = new Set(found.map((uri) => uri.toString()));
    for (const file of this.files()) if (file.uri && !there.has(file.uri.toString())) this.remove(file.uri);
    await Promise.all(found.map((uri) => this.add(uri)));
  }

  /** The items of files. */
  private files(among: vscode.TestItemCollection = this.controller.items): vscode.TestItem[] {
    const found: vscode.TestItem[] = [];
    among.forEach((item) => {
      if (item.uri?.path.endsWith('.py')) found.push(item);
      else found.push(...this.files(item.children));
    });
    return found;
  }

  /** The item of a file, made with those of its folders, if it has to do with JAX. */
  private async add(uri: vscode.Uri): Promise<vscode.TestItem | undefined> {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (!folder || uri.scheme !== 'file' || !vscode.workspace.isTrusted) return undefined;
    const known = this.files().find((item) => item.uri?.toString() === uri.toString());
    if (known) return known;
    try {
      if (!speaksOfJax(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)))) return undefined;
    } catch {
      // It is gone.
      return undefined;
    }
    let among = this.controller.items;
    const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
    if (several) among = this.item(among, folder.uri, folder.name, { folder, name: '.' }).children;
    const parts = relative(folder.uri.fsPath, uri.fsPath).split(/[\\/]/);
    parts.slice(0, -1).forEach((part, depth) => {
      const path = parts.slice(0, depth + 1).join('/');
      among = this.item(among, vscode.Uri.joinPath(folder.uri, path), part, { folder, name: path }).children;
    });
    const item = this.item(among, uri, parts.at(-1) ?? '', { folder, name: parts.join('/') });
    item.canResolveChildren = true;
    return item;
  }

  private item(among: vscode.TestItemCollection, uri: vscode.Uri, label: string, known: Known): vscode.TestItem {
    const found = among.get(uri.toString());
    if (found) return found;
    const item = this.controller.createTestItem(uri.toString(), label, uri);
    this.known.set(item, known);
    among.add(item);
    return item;
  }

  private remove(uri: vscode.Uri): void {
    const item = this.files().find((one) => one.uri?.toString() === uri.toString());
    let parent = item?.parent;
    (parent?.children ?? this.controller.items).delete(uri.toString());
    // Folders without tests go, too.
    while (parent && parent.children.size === 0) {
      const above: vscode.TestItem | undefined = parent.parent;
      (above?.children ?? this.controller.items).delete(parent.id);
      parent = above;
    }
  }

  /** A file was opened or saved: what is in it may be something else now. */
  private async changed(uri: vscode.Uri): Promise<void> {
    const item = await this.add(uri);
    if (item) await this.resolve(item);
  }

  /** Asks what is in a file. */
  private async resolve(item: vscode.TestItem): Promise<void> {
    const known = this.known.get(item);
    if (!known || !item.uri?.path.endsWith('.py') || known.name.includes('::')) return;
    item.busy = true;
    await this.turn();
    try {
      await this.ask(['--collect-only', known.name], known.folder, undefined, (event) => {
        if (event.event === 'collected') this.collected(item, known, event);
      });
    } finally {
      this.busy -= 1;
      this.waiting.shift()?.();
      item.busy = false;
    }
  }

  /** Waits until few enough processes run. */
  private async turn(): Promise<void> {
    while (this.busy >= MOST) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.busy += 1;
  }

  /** Makes the items of a file those that were collected. */
  private collected(item: vscode.TestItem, known: Known, event: Event & { event: 'collected' }): void {
    const error = event.errors.find((one) => one.file === known.name || one.text?.includes(known.name)) ?? event.errors[0];
    item.error = error ? new vscode.MarkdownString().appendCodeblock(error.text ?? error.message ?? '', 'text') : undefined;
    if (error) return;
    this.fill(item, rows(event.tests.filter((test) => test.file === known.name)), known);
  }

  private fill(item: vscode.TestItem, wanted: Row[], known: Known): void {
    const kept = wanted.map((row) => {
      const found = item.children.get(row.id) ?? this.controller.createTestItem(row.id, row.label, item.uri);
      this.known.set(found, { folder: known.folder, name: row.id });
      const line = (row.line ?? 0) - 1;
      found.range = line >= 0 ? new vscode.Range(line, 0, line, 0) : undefined;
      found.sortText = String(wanted.indexOf(row)).padStart(6, '0');
      this.fill(found, row.rows, known);
      return found;
    });
    item.children.replace(kept);
  }

  /** Runs tests of a file, for lenses and commands: one that is named, else all. */
  async runHere(uri: vscode.Uri, test: string | undefined, strict: boolean): Promise<void> {
    let file = await this.add(uri);
    if (!file) {
      void vscode.window.showErrorMessage(`Pallas: ${uri.fsPath} is no file of tests in this workspace: they are called test_*.py or *_test.py.`);
      return;
    }
    await this.resolve(file);
    let item = file;
    let name = this.known.get(file)?.name ?? '';
    for (const part of (test ?? '').split('::').filter((one) => one !== '')) {
      name = `${name}::${part}`;
      item = item.children.get(name) ?? item;
    }
    await this.run(new vscode.TestRunRequest([item], undefined, strict ? this.strict : this.plain), strict);
  }

  private async run(request: vscode.TestRunRequest, strict: boolean, token?: vscode.CancellationToken): Promise<void> {
    await vscode.workspace.saveAll(false);
    const wanted: vscode.TestItem[] = [];
    if (request.include) wanted.push(...request.include);
    else this.controller.items.forEach((item) => wanted.push(item));
    const left = new Set((request.exclude ?? []).map((item) => this.known.get(item)?.name));
    const run = this.controller.createTestRun(request);
    const stop = new vscode.CancellationTokenSource();
    const stops = [token?.onCancellationRequested(() => stop.cancel()), run.token.onCancellationRequested(() => stop.cancel())];
    const folders = new Map<vscode.WorkspaceFolder, vscode.TestItem[]>();
    for (const item of wanted) {
      const folder = this.known.get(item)?.folder;
      if (folder) folders.set(folder, [...(folders.get(folder) ?? []), item]);
    }
    try {
      for (const [folder, items] of folders) {
        // Folders hold tests that have nothing to do with JAX, too.
        const named = items.flatMap((item) => (item.uri?.path.endsWith('.py') ? [item] : this.files(item.children)));
        const names = named.map((item) => this.known.get(item)?.name ?? '').filter((name) => !left.has(name));
        if (names.length === 0) continue;
        const without = [...left].filter((name) => name?.includes('::')).flatMap((name) => ['--deselect', name ?? '']);
        const session = new Session(run, folder, named, (name) => this.named(folder, name));
        for (const item of named) session.wait(item);
        const more = strict ? ['--strict'] : [];
        const problem = await this.ask([...more, ...without, ...names], folder, stop.token, (event) => {
          if (event.event === 'collected') {
            for (const file of new Set(names.map(fileOf))) {
              const item = this.named(folder, file);
              const tests = event.tests.filter((test) => test.file === file);
              // What is named is all of the file only if nothing else of it is there.
              const known = item && this.known.get(item);
              if (item && known && item.children.size === 0) this.fill(item, rows(tests), known);
            }
          }
          session.take(event);
        });
        session.end(problem);
      }
    } finally {
      for (const one of stops) one?.dispose();
      run.end();
    }
  }

  /** The item with this name on the command line. */
  private named(folder: vscode.WorkspaceFolder, name: string): vscode.TestItem | undefined {
    const file = this.files().find((item) => {
      const known = this.known.get(item);
      return known?.folder === folder && known.name === fileOf(name);
    });
    const inside = (item: vscode.TestItem): vscode.TestItem | undefined => {
      if (this.known.get(item)?.name === name) return item;
      let found: vscode.TestItem | undefined;
      item.children.forEach((child) => (found ??= inside(child)));
      return found;
    };
    return file && inside(file);
  }

  /** Starts `pallas-tui test`, and tells what it says. What went wrong beside tests, if something did. */
  private async ask(names: string[], folder: vscode.WorkspaceFolder, token: vscode.CancellationToken | undefined, take: (event: Event) => void): Promise<string | undefined> {
    const program = await programs.runner(this.context);
    if (!('path' in program)) return program.reason;
    const python = await programs.selectedPython();
    const line = ['test', '--color', 'never', '--output-format', 'json', ...(python === '' ? [] : ['--python', python]), ...names];
    return new Promise((resolve) => {
      const child = spawn(program.path, line, { cwd: folder.uri.fsPath, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] });
      const reader = new Reader(take);
      let errors = '';
      const stopping = token?.onCancellationRequested(() => child.kill());
      child.stdout.setEncoding('utf8').on('data', (text: string) => reader.push(text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      child.on('error', (error) => resolve(`${program.path}: ${error.message}`));
      child.on('close', () => {
        stopping?.dispose();
        if (errors !== '') this.log.warn(errors.trimEnd());
        resolve(errors === '' ? undefined : errors);
      });
    });
  }
}

/** One process of a run: what it says becomes states of items. */
class Session {
  private readonly expected = new Set<vscode.TestItem>();
  private readonly findings = new Map<vscode.TestItem, vscode.TestMessage[]>();
  private said = false;

  constructor(
    private readonly run: vscode.TestRun,
    private readonly folder: vscode.WorkspaceFolder,
    /** What was asked for. */
    private readonly asked: vscode.TestItem[],
    private readonly named: (name: string) => vscode.TestItem | undefined,
  ) {}

  /** A test is expected to run, or all that is below it. */
  wait(item: vscode.TestItem): void {
    if (item.children.size === 0) {
      this.expected.add(item);
      this.run.enqueued(item);
    }
    item.children.forEach((child) => this.wait(child));
  }

  take(event: Event): void {
    switch (event.event) {
      case 'collected':
        for (const error of event.errors) {
          const item = error.file ? this.named(error.file) : undefined;
          if (item) this.run.errored(item, this.messages(error, item));
        }
        break;
      case 'started': {
        const item = this.named(event.id);
        if (item) this.run.started(item);
        break;
      }
      case 'finished':
        this.finished(event);
        break;
      case 'output':
        this.run.appendOutput(shown(event.text, this.folder.uri.fsPath));
        break;
      case 'ended':
        this.said = true;
        for (const finding of event.findings) this.found(finding);
        for (const [item, messages] of this.findings) this.run.failed(item, messages);
        break;
    }
  }

  private finished(event: Finished): void {
    const item = event.id === null ? undefined : this.named(event.id);
    if (!item) return;
    this.expected.delete(item);
    const took = event.seconds * 1000;
    switch (event.outcome) {
      case 'passed':
      case 'xpassed':
      case 'xfailed':
        this.run.passed(item, took);
        break;
      case 'skipped':
        this.run.skipped(item);
        break;
      case 'failed':
        this.run.failed(item, this.messages(event, item), took);
        break;
      case 'error':
        this.run.errored(item, this.messages(event, item), took);
        break;
    }
  }

  private messages(event: Finished, item: vscode.TestItem): vscode.TestMessage[] {
    const said = event.message ?? 'it failed';
    const sides = compared(said);
    const message = sides ? vscode.TestMessage.diff(said, sides.expected, sides.actual) : new vscode.TestMessage(event.text && event.text !== '' ? `${said}\n\n${event.text}` : said);
    message.location = event.file && event.line ? this.place(event.file, event.line) : item.uri && new vscode.Location(item.uri, item.range ?? new vscode.Position(0, 0));
    return [message];
  }

  private place(file: string, line: number): vscode.Location {
    const uri = /^([\\/]|[a-zA-Z]:)/.test(file) ? vscode.Uri.file(file) : vscode.Uri.joinPath(this.folder.uri, file);
    return new vscode.Location(uri, new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER));
  }

  /** A finding is shown where it is, and fails the tests that it was found in; where that is not known, what was asked for. */
  private found(finding: Finding): void {
    const parts = [`${finding.code}: ${finding.message}`, finding.evidence, finding.help === null ? null : `help: ${finding.help}`];
    const words = parts.filter((part) => part !== null).join('\n');
    const location = this.place(finding.filename, finding.location.row);
    this.run.appendOutput(shown(`\n${finding.severity}[${words}\n  --> ${finding.filename}:${finding.location.row}:${finding.location.column}\n`.replace(`[${finding.code}: `, `[${finding.code}]: `), this.folder.uri.fsPath), location);
    if (finding.severity !== 'error') return;
    const message = new vscode.TestMessage(words);
    message.location = location;
    const items = (finding.tests ?? []).map((test) => this.named(test)).filter((item) => item !== undefined);
    for (const item of items.length > 0 ? items : this.asked) this.findings.set(item, [...(this.findings.get(item) ?? []), message]);
  }

  /** The process has ended: tests that have not run are said to be skipped, with the reason. */
  end(problem: string | undefined): void {
    if (problem && !this.said) this.run.appendOutput(shown(`${problem}\n`, this.folder.uri.fsPath));
    for (const item of this.expected) {
      if (problem && !this.said) this.run.errored(item, new vscode.TestMessage(problem));
      else this.run.skipped(item);
    }
  }
}
