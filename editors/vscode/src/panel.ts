/** Profile panels: a webview for each file that was profiled. The report goes in, clicks come out; what is drawn is in `webview`. */

import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { cellAt, lineOfProgram } from './cells';
import type { FromPanel, ToPanel } from '../webview/messages';

const TYPE = 'pallas.profile';

class Panel {
  private report: unknown;
  private ready = false;

  constructor(
    readonly file: string,
    readonly view: vscode.WebviewPanel,
    context: vscode.ExtensionContext,
  ) {
    const dist = vscode.Uri.joinPath(context.extensionUri, 'dist');
    const media = vscode.Uri.joinPath(context.extensionUri, 'media');
    view.webview.options = { enableScripts: true, localResourceRoots: [dist, media] };
    view.iconPath = new vscode.ThemeIcon('dashboard') as unknown as vscode.Uri;
    view.webview.onDidReceiveMessage((message: FromPanel) => this.receive(message));
    view.webview.html = this.html(
      view.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'profile.js')).toString(),
      view.webview.asWebviewUri(vscode.Uri.joinPath(media, 'profile.css')).toString(),
    );
  }

  private html(script: string, style: string): string {
    const nonce = randomBytes(16).toString('base64');
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${this.view.webview.cspSource}`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${style}">
<title>Pallas profile</title>
</head>
<body>
<main id="profile" tabindex="-1"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
  }

  show(report: unknown): void {
    this.report = report;
    if (this.ready) this.send({ type: 'report', report: report as never, file: this.file });
  }

  send(message: ToPanel): void {
    void this.view.webview.postMessage(message);
  }

  private async receive(message: FromPanel): Promise<void> {
    switch (message.type) {
      case 'ready':
        // Views that were hidden begin anew.
        this.ready = true;
        if (this.report) this.show(this.report);
        else this.send({ type: 'empty', file: this.file });
        return;
      case 'reveal':
        return reveal(message);
      case 'explain':
        await vscode.commands.executeCommand('pallas.explainFinding', message.code);
        return;
      case 'again':
        await vscode.commands.executeCommand('pallas.profileFile', vscode.Uri.file(this.file));
        return;
    }
  }
}

/** Goes to a place of the source, in the column where the file is open already. */
async function reveal(place: Extract<FromPanel, { type: 'reveal' }>): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const uri = isAbsolute(place.path) || !folder ? vscode.Uri.file(place.path) : vscode.Uri.joinPath(folder.uri, place.path);
  const range = new vscode.Range(place.line - 1, place.column - 1, place.endLine - 1, place.endColumn - 1);
  if (uri.path.endsWith('.ipynb')) {
    await revealCell(uri, range, place.keepFocus);
    return;
  }
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  try {
    await vscode.window.showTextDocument(uri, { selection: range, viewColumn: open?.viewColumn ?? vscode.ViewColumn.One, preserveFocus: place.keepFocus });
  } catch (error) {
    void vscode.window.showErrorMessage(`Pallas: ${place.path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The same in a notebook, of whose program the lines are. */
async function revealCell(uri: vscode.Uri, range: vscode.Range, keepFocus: boolean): Promise<void> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  const cell = cellAt(notebook, range.start.line);
  const open = vscode.window.visibleNotebookEditors.find((editor) => editor.notebook === notebook);
  const options = { viewColumn: open?.viewColumn ?? vscode.ViewColumn.One, preserveFocus: keepFocus };
  if (!cell) {
    await vscode.window.showNotebookDocument(notebook, options);
    return;
  }
  const selection = new vscode.Range(range.start.translate(-cell.first), range.end.translate(-cell.first));
  await vscode.window.showTextDocument(cell.document, { ...options, selection });
}

/** All panels of the window. */
export class Panels implements vscode.Disposable {
  private readonly panels = new Map<string, Panel>();
  private readonly registrations: vscode.Disposable[];

  constructor(private readonly context: vscode.ExtensionContext) {
    this.registrations = [
      vscode.window.registerWebviewPanelSerializer(TYPE, {
        deserializeWebviewPanel: async (view, state: { file?: string } | undefined) => {
          if (state?.file) this.keep(state.file, view);
          else view.dispose();
        },
      }),
      vscode.window.onDidChangeTextEditorSelection((change) => {
        const file = change.textEditor.document.uri.fsPath;
        const line = lineOfProgram(change.textEditor.document, change.selections[0]?.active.line ?? 0);
        for (const panel of this.panels.values()) {
          if (panel.view.visible) panel.send({ type: 'cursor', file, line: line + 1 });
        }
      }),
    ];
  }

  private keep(file: string, view: vscode.WebviewPanel): Panel {
    const panel = new Panel(file, view, this.context);
    this.panels.set(file, panel);
    view.onDidDispose(() => this.panels.delete(file));
    return panel;
  }

  /** Shows the report of a file, in its panel if there is one. */
  show(report: unknown, file: string): void {
    const existing = this.panels.get(file);
    if (existing) {
      existing.view.reveal(undefined, true);
      existing.show(report);
      return;
    }
    const title = `Profile: ${file.replace(/^.*[\\/]/, '')}`;
    const view = vscode.window.createWebviewPanel(TYPE, title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    this.keep(file, view).show(report);
  }

  dispose(): void {
    for (const panel of this.panels.values()) panel.view.dispose();
    for (const registration of this.registrations) registration.dispose();
  }
}
