// Files that are kept in memory. What they say at first is in the folder that PALLAS_MEMORY names.
const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

exports.activate = (context) => {
  const folder = process.env.PALLAS_MEMORY ?? '';
  const files = new Map(readdirSync(folder).map((name) => [`/${name}`, new Uint8Array(readFileSync(join(folder, name)))]));
  const changed = new vscode.EventEmitter();
  const of = (uri) => {
    const bytes = files.get(uri.path);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  };
  const provider = {
    onDidChangeFile: changed.event,
    watch: () => ({ dispose() {} }),
    stat: (uri) => (uri.path === '/' ? { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 } : { type: vscode.FileType.File, ctime: 0, mtime: 0, size: of(uri).length }),
    readDirectory: () => [...files.keys()].map((path) => [path.slice(1), vscode.FileType.File]),
    readFile: of,
    writeFile: (uri, bytes) => void files.set(uri.path, bytes),
    createDirectory() {},
    delete() {},
    rename() {},
  };
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider('memory', provider));
};
