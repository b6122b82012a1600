/**
 * The Python file that a command is about when none is named: the one in the active editor, else the one that was there last. The
 * walkthrough and the profile panel are no text editors, and their buttons mean the file that was just looked at.
 */

import * as vscode from 'vscode';

function isPython(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
  return editor?.document.languageId === 'python';
}

export class Recent implements vscode.Disposable {
  private last = isPython(vscode.window.activeTextEditor) ? vscode.window.activeTextEditor.document.uri : undefined;
  private readonly registration = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (isPython(editor)) this.last = editor.document.uri;
  });

  /** The file; `undefined` where none was looked at, or where it is closed. */
  uri(): vscode.Uri | undefined {
    const active = vscode.window.activeTextEditor;
    // Another text is looked at: it is not for us to say that a Python file is meant.
    if (active) return active.document.uri;
    const last = this.last?.toString();
    return vscode.workspace.textDocuments.find((document) => document.uri.toString() === last)?.uri;
  }

  /** Its editor, with the cursor where it was. */
  async editor(): Promise<vscode.TextEditor | undefined> {
    const active = vscode.window.activeTextEditor;
    if (active) return active;
    const uri = this.uri();
    if (!uri) return undefined;
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
    return visible ?? vscode.window.showTextDocument(uri, { preserveFocus: true });
  }

  dispose(): void {
    this.registration.dispose();
  }
}
