// A passphrase typed at a terminal, without an echo. From the terminal itself and never from standard input, which an
// agent or a script has as well as a person.
import { closeSync, openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { StoreError } from '../core/index.ts';

const ENTER = ['\r', '\n'];
const BACKSPACE = ['\u007f', '\b'];
const INTERRUPT = '\u0003';
const LONGEST = 1024;

/** Throws StoreError where there is no terminal, and where the person would rather not. */
export async function askSecret(question: string): Promise<string> {
  let fd: number;
  try {
    fd = openSync('/dev/tty', 'r+');
  } catch (cause) {
    throw new StoreError(
      'KEY',
      'there is no terminal to type the passphrase at. For automation, name a file of mode 0600 in FOIL_OPERATOR_PASSPHRASE_FILE.',
      { cause },
    );
  }
  const terminal = new ReadStream(fd);
  try {
    terminal.setRawMode(true);
    writeSync(fd, question);
    return await readLine(terminal);
  } finally {
    terminal.setRawMode(false);
    writeSync(fd, '\r\n');
    terminal.destroy();
    try {
      closeSync(fd);
    } catch {
      // The stream has closed it.
    }
  }
}

function readLine(terminal: ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const refuse = (why: string): void => reject(new StoreError('KEY', why));
    terminal.setEncoding('utf8');
    terminal.on('data', (piece: string) => {
      for (const key of piece) {
        if (ENTER.includes(key)) return resolve(typed.join(''));
        if (key === INTERRUPT) return refuse('interrupted: nothing was done.');
        if (BACKSPACE.includes(key)) typed = typed.slice(0, -1);
        else if (key >= ' ' && typed.length < LONGEST) typed.push(key);
      }
    });
    terminal.on('end', () => refuse('the terminal was closed: nothing was done.'));
    terminal.on('error', reject);
  });
}
