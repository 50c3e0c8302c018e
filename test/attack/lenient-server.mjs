// An MCP server for tests that reads as leniently as any might: lines that end in anything, the last one without an end,
// names in any case, numbers that are none, several messages in a line. Every call that it finds it makes, and leaves a
// mark. It says whatever it is told to, byte for byte.

import { once } from 'node:events';
import { appendFileSync } from 'node:fs';

const mark = (text) => appendFileSync(process.env.MARKS, `${text}\n`);
let rest = '';

function parse(text) {
  try {
    return JSON.parse(text.replace(/^\ufeff/, '').replaceAll('NaN', 'null'));
  } catch {
    return undefined;
  }
}

async function make(message) {
  if (Array.isArray(message)) {
    for (const each of message) await make(each);
    return;
  }
  if (typeof message !== 'object' || message === null) return;
  const method = message.method ?? message.METHOD ?? message.Method;
  const { id, params } = message;
  if (method === 'notifications/list') tools = params.tools;
  if (method === 'tools/list') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
  else if (method === 'ping') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  if (method !== 'tools/call') return;
  mark(JSON.stringify(id) ?? 'none');
  const { bytes, flood, exit } = params?.arguments ?? {};
  if (bytes !== undefined) process.stdout.write(Buffer.from(bytes, 'base64'));
  else if (flood !== undefined) {
    const piece = Buffer.from(flood.piece.repeat(Math.ceil(65_536 / flood.piece.length)));
    for (let sent = 0; sent < flood.size; sent += piece.length) {
      process.stderr.write(`sent ${sent}.\n`);
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    }
    process.stderr.write('flooded\n');
  } else if (exit === undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
  if (exit !== undefined) process.exit(exit);
}

let tools = [];
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) {
  process.on(signal, () => {
    process.stderr.write(`got ${signal}\n`);
    if (process.env.STUBBORN === undefined) process.exit(0);
  });
}
process.stdout.on('error', () => process.exit(3));
process.stdin.on('data', (chunk) => {
  const lines = chunk.toString('latin1').split(/\r\n|\r|\n/);
  lines[0] = rest + lines[0];
  rest = lines.pop();
  for (const line of lines) void make(parse(Buffer.from(line, 'latin1').toString()));
});
process.stdin.on('end', async () => {
  await make(parse(Buffer.from(rest, 'latin1').toString()));
  process.stderr.write('end\n');
});
process.stderr.write('ready\n');
