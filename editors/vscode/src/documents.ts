/** Texts that the server makes: pages of rules, kernel IR. Read-only, and gone with the window. */

import * as vscode from 'vscode';

const SCHEME = 'pallas';

/**
 * Python files of workspaces that are on no disk, such as a repository that is looked at without a clone. The server gets their
 * texts from the editor.
 */
export function onNoDisk(): { scheme: string; language: string }[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.scheme);
  const open = vscode.workspace.textDocuments.filter((document) => document.languageId === 'python' && vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) === true);
  const schemes = new Set(['vscode-vfs', ...folders, ...open.map((document) => document.uri.scheme)]);
  for (const other of ['file', 'untitled', SCHEME]) schemes.delete(other);
  return [...schemes].map((scheme) => ({ scheme, language: 'python' }));
}

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** Shows a text beside the editor. */
  async show(name: string, text: string, language?: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    let document = await vscode.workspace.openTextDocument(uri);
    if (language) document = await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  }

  /** Shows a document of the server's that follows its file. Whether the client knows such documents. */
  async follow(name: string, language?: string): Promise<boolean> {
    try {
      let document = await vscode.workspace.openTextDocument(vscode.Uri.parse(name, true));
      if (language) document = await vscode.languages.setTextDocumentLanguage(document, language);
      await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
      return true;
    } catch {
      return false;
    }
  }

  /** Shows Markdown as it is read. */
  async preview(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
