/**
 * Places in notebooks. To the server and in reports a notebook is one text: its code cells in order, each behind a line that marks it;
 * an editor has the cells.
 */

import * as vscode from 'vscode';

/** The code cells of a notebook, each with the line of the program that its first one is; lines from 0. */
function stretches(notebook: vscode.NotebookDocument): { document: vscode.TextDocument; first: number }[] {
  let first = 0;
  const code = notebook.getCells().filter((cell) => cell.kind === vscode.NotebookCellKind.Code);
  return code.map(({ document }) => {
    const stretch = { document, first: first + 1 };
    first = stretch.first + document.lineCount;
    return stretch;
  });
}

/** The open notebook that this is, or that this is a cell of. */
export function notebookOf(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const named = (other: vscode.Uri) => other.toString() === uri.toString();
  return vscode.workspace.notebookDocuments.find((open) => named(open.uri) || open.getCells().some((cell) => named(cell.document.uri)));
}

/** The line of the program that a line of a document is: of a cell another, of other documents the same. */
export function lineOfProgram(document: vscode.TextDocument, line: number): number {
  const notebook = notebookOf(document.uri);
  const stretch = notebook && stretches(notebook).find((one) => one.document === document);
  return line + (stretch?.first ?? 0);
}

/** The cell that a line of a notebook's program is in, and the line that its first one is. */
export function cellAt(notebook: vscode.NotebookDocument, line: number): { document: vscode.TextDocument; first: number } | undefined {
  return stretches(notebook).findLast((one) => one.first <= line);
}
