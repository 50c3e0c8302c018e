// What a demo leaves behind, which must be nothing.
import { readdirSync, readFileSync } from 'node:fs';

/** Files of a demo, and processes that name one. */
export function left(directory: string): string[] {
  const files = readdirSync(directory).filter((name) => name.startsWith('foil-demo-'));
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(`${directory}/foil-demo-`));
  return [...files, ...processes.map((pid) => `process ${pid}`)];
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
