// Stands between two ends of a wire, writes down what passes each way, and hands it on in pieces of random size where it
// is told to: `node mcp-tap.mjs FILE whole|split CMD [ARGUMENTS…]`.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';

const [, , file, how, command, ...args] = process.argv;
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

async function pass(from, to, name) {
  const fd = openSync(`${file}.${name}`, 'w');
  for await (const chunk of from) {
    writeSync(fd, chunk);
    for (let at = 0; at < chunk.length; ) {
      const end = how === 'split' ? at + 1 + Math.floor(Math.random() * 40) : chunk.length;
      to.write(chunk.subarray(at, end));
      at = end;
      // Each piece must arrive by itself.
      if (how === 'split') await new Promise(setImmediate);
    }
  }
  closeSync(fd);
}

void pass(process.stdin, child.stdin, 'in').then(() => child.stdin.end());
const out = pass(child.stdout, process.stdout, 'out');
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code) => void out.then(() => process.exit(code ?? 1)));
