// An MCP server for tests that keeps its answers until it is told to give them. Each call that it makes leaves a mark.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const held = [];
const send = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  // A ping goes on also while nothing can be recorded.
  if (method === 'ping') for (const give of held.splice(0)) give();
  if (method !== 'tools/call') {
    if (id !== undefined) send({ jsonrpc: '2.0', id, result: method === 'ping' ? {} : { method } });
  } else {
    appendFileSync(process.env.MARKS, `${JSON.stringify(id)}\n`);
    const give = () =>
      send({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'the answer' }] } });
    if (params.name === 'hold') held.push(give);
    else give();
    process.stderr.write(`made ${JSON.stringify(id)}\n`);
  }
});
process.stderr.write('ready\n');
