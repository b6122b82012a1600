#!/usr/bin/env node
// A server of another version, which knows nothing but how to begin and to end.
let buffer = Buffer.alloc(0);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
process.stdin.on('data', (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const end = buffer.indexOf('\r\n\r\n');
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, Math.max(0, end)).toString())?.[1]);
    if (end < 0 || buffer.length < end + 4 + length) return;
    const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString());
    buffer = buffer.subarray(end + 4 + length);
    if (message.method === 'initialize') send({ id: message.id, result: { capabilities: {}, serverInfo: { name: 'pallas-lsp', version: '9.9.9' } } });
    else if (message.method === 'exit') process.exit(0);
    else if (message.id !== undefined) send({ id: message.id, result: null });
  }
});
process.stdin.on('end', () => process.exit(0));
