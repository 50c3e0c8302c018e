// A small MCP server for tests: it does as its tools are called, and leaves a mark for each call that it makes.
import { appendFileSync } from 'node:fs';

const marks = process.env.MARKS;
const send = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
let rest = [];
/** Answers that wait for a ping, which alone goes on while nothing can be recorded. */
const held = [];

process.on('SIGUSR2', () => process.stderr.write('got SIGUSR2\n'));
process.stdin.on('data', (chunk) => {
  let from = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
    const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString();
    rest = [];
    from = end + 1;
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      process.stderr.write(`unreadable ${line.length}\n`);
      continue;
    }
    handle(message);
  }
  rest.push(chunk.subarray(from));
});
process.stdin.on('end', () => {
  process.stderr.write('end of input\n');
  process.exitCode = Number(process.env.EXIT ?? 0);
});
process.stderr.write('ready\n');

function handle({ id, method, params }) {
  if (method === 'ping') for (const answer of held.splice(0)) answer();
  if (method !== 'tools/call') {
    if (id !== undefined) send({ jsonrpc: '2.0', id, result: method === 'ping' ? {} : { method } });
    return;
  }
  if (marks !== undefined) appendFileSync(marks, `${JSON.stringify(id)}\n`);
  const { name, arguments: args = {} } = params;
  const text = (value) => send({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: value }] } });
  if (name === 'echo') text(args.text);
  else if (name === 'held') {
    held.push(() => text('released'));
    process.stderr.write('held\n');
  } else if (name === 'length') text(String(args.text.length));
  else if (name === 'large') text('y'.repeat(args.length));
  else if (name === 'junk') {
    process.stdout.write('listening on \u001b[1m3000\u001b[0m\r\nno newline yet');
    setImmediate(() => {
      process.stdout.write('\n\n');
      text('done');
    });
  } else if (name === 'twice') {
    text('one');
    text('two');
    send({ jsonrpc: '2.0', id: 'nobody', result: {} });
  } else if (name === 'exit') process.exit(args.code);
  else if (name === 'die') process.kill(process.pid, args.signal);
  else if (name === 'close') process.stdout.end();
  else if (name === 'never') process.stderr.write('never\n');
}
