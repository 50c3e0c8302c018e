// A passphrase or a key typed at a terminal, without an echo. From the terminal itself and never from standard input, which an
// agent or a script has as well as a person.
import { openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { StoreError } from '../../core/index.ts';

const ENTER = ['\r', '\n'];
const BACKSPACE = ['\u007f', '\b'];
const INTERRUPT = '\u0003';
const LONGEST = 1024;

/** One answer a question. `otherwise` is what is said where there is no terminal. Throws StoreError where there is no terminal, and where the person would rather not. */
export async function askSecrets(
  questions: readonly string[],
  otherwise = 'there is no terminal to type the passphrase into. For automation, name a file of mode 0600 in FOIL_OPERATOR_PASSPHRASE_FILE.',
): Promise<string[]> {
  let fd: number;
  try {
    fd = openSync('/dev/tty', 'r+');
  } catch (cause) {
    throw new StoreError('KEY', otherwise, { cause });
  }
  const terminal = new ReadStream(fd);
  try {
    terminal.setRawMode(true);
    return await readLines(terminal, questions, (text) => void writeSync(fd, text));
  } finally {
    terminal.setRawMode(false);
    terminal.destroy();
  }
}

/** What is typed ahead belongs to the next question, so that all are asked of one stream. */
function readLines(
  terminal: ReadStream,
  questions: readonly string[],
  say: (text: string) => void,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const answers: string[] = [];
    let typed: string[] = [];
    const refuse = (why: string): void => reject(new StoreError('KEY', why));
    const press = (key: string): void => {
      if (ENTER.includes(key)) {
        answers.push(typed.join(''));
        typed = [];
        say('\r\n');
        if (answers.length === questions.length) resolve(answers);
        else say(questions[answers.length] ?? '');
      } else if (key === INTERRUPT) refuse('interrupted. Nothing was done.');
      else if (BACKSPACE.includes(key)) typed = typed.slice(0, -1);
      else if (key >= ' ' && typed.length < LONGEST) typed.push(key);
    };
    terminal.setEncoding('utf8');
    terminal.on('data', (piece: string) => {
      for (const key of piece) if (answers.length < questions.length) press(key);
    });
    terminal.on('end', () => refuse('the terminal was closed. Nothing was done.'));
    terminal.on('error', reject);
    say(questions[0] ?? '');
  });
}
