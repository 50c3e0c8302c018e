// The rim: the one place where a command meets the process. It prints, paints, listens for Ctrl-C and turns what was
// thrown into an exit code. Written for a fast start: process.stdout, process.stdin and node:tty are touched only
// when a command asks, because loading them takes longer than an append.
import { fstatSync, statSync, writeSync } from 'node:fs';
import { ParseError, StoreError, UsageError } from '../core/index.ts';
import { PackError } from '../format/index.ts';
import { colourful, harmless, plain } from '../report/index.ts';
import { plainly } from '../store/files/index.ts';
import { parseCommandLine } from './arguments.ts';
import { type Bytes, type Command, type Context, type ErrorCode, EXIT, type Outcome } from './command.ts';
import { wrap } from './wrap.ts';

/** What of a text may be printed here. */
export type Cleared = (text: string) => Promise<string>;
const asItIs: Cleared = async (text) => text;
/** Shows a long text; false where there is no pager, and nothing of it was asked for. */
export type Page = (pieces: AsyncIterable<Bytes>) => Promise<boolean>;
/** Commands that show what is recorded, and nothing of it may be left out. */
const QUOTING = ' log show why evidence audit contract verify receipt scan ';

/**
 * Runs a command and gives the exit code. Never throws. `help` is printed where it is asked for; `clear` is asked about
 * everything that is our own word, and `page` shows a long text on a terminal.
 */
export async function runCommand(
  command: Command,
  words: readonly string[],
  help: () => string = () => '',
  clear: Cleared = asItIs,
  page: Page = async () => false,
): Promise<number> {
  let json = words.includes('--json');
  try {
    const line = parseCommandLine(command, words);
    json = line.values.flag('json');
    if (line.values.flag('help')) {
      await print(help());
      return EXIT.FINE;
    }
    const outcome = await command.run(contextOf(line));
    try {
      await printOutcome(outcome, json, QUOTING.includes(` ${command.name} `) ? asItIs : clear, page);
    } catch (error) {
      // Nobody reads on, which changes nothing about what was found: `foil verify | head -1` is still BROKEN.
      if (!isClosedPipe(error)) throw error;
    }
    return (typeof outcome.exit === 'function' ? outcome.exit() : outcome.exit) ?? EXIT.FINE;
  } catch (error) {
    if (isClosedPipe(error)) return EXIT.FINE;
    const exit = await fail(error, json, clear);
    return command.answers === true ? EXIT.FAILED : exit;
  }
}

/** Tells of an error in the form asked for, and gives its exit code. */
export async function fail(error: unknown, json: boolean, clear: Cleared = asItIs): Promise<number> {
  const { code, message: whole, exit } = describe(error);
  const message = await clear(whole);
  try {
    if (json) await print(`${JSON.stringify({ error: { code, message } })}\n`);
    else await write(2, `foil: ${harmless(message)}\n`);
  } catch {
    // Nobody listens.
  }
  return exit;
}

export async function print(text: Bytes): Promise<void> {
  await write(1, text);
}

/** What is told of it. What the system said is put into words first. */
export function describe(thrown: unknown): { code: ErrorCode; message: string; exit: number } {
  const error = plainly(thrown);
  if (error instanceof UsageError) return { code: 'USAGE', message: error.message, exit: EXIT.USAGE };
  if (error instanceof StoreError) {
    return {
      code: error.code,
      message: error.message,
      exit: error.code === 'NOT_FOUND' ? EXIT.NOT_FOUND : EXIT.FAILED,
    };
  }
  if (error instanceof PackError) return { code: error.code, message: error.message, exit: EXIT.FAILED };
  if (error instanceof ParseError) return { code: 'UNPARSABLE', message: error.message, exit: EXIT.FAILED };
  return { code: 'INTERNAL', message: error.message, exit: EXIT.FAILED };
}

function contextOf(line: Pick<Context, 'arguments' | 'values'>): Context {
  return {
    ...line,
    cwd: process.cwd(),
    env: process.env,
    now: Date.now,
    get paint() {
      return isTerminal(1) && process.stdout.isTTY && !process.env.NO_COLOR ? colourful : plain;
    },
    get columns() {
      return columnsHere();
    },
    stdin: () => process.stdin,
    progress(text) {
      if (isTerminal(2) && process.stderr.isTTY)
        writeSync(2, text === '' ? '\r\u001b[K' : `\r\u001b[K${harmless(text)}`);
    },
    warn: (text) => void writeSync(2, `foil: ${harmless(text)}\n`),
    onInterrupt(listener) {
      const once = (): void => {
        process.off('SIGINT', once); // a second Ctrl-C ends the process at once
        listener();
      };
      process.on('SIGINT', once);
      return () => void process.off('SIGINT', once);
    },
  };
}

/** False where it is none for certain. Node's own answer takes a fifth of its start, for streams nobody asked for. */
function isTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

async function printOutcome(
  { json, text, aside, paged }: Outcome,
  asJson: boolean,
  clear: Cleared,
  page: Page,
): Promise<void> {
  const cleared = async (piece: Bytes): Promise<Bytes> => (typeof piece === 'string' ? clear(piece) : piece);
  if (aside !== undefined && !asJson) await write(2, await cleared(aside));
  if (asJson && json !== undefined) await print(`${await clearedJson(JSON.stringify(json), clear)}\n`);
  else if (typeof text === 'string') await print(wrapped(await clear(text), asJson));
  else if (text instanceof Uint8Array) await print(text);
  else if (text !== undefined) {
    const pieces = clearedPieces(text, cleared);
    if (paged === true && !asJson && columnsHere() !== undefined && (await page(pieces))) return;
    for await (const piece of pieces) await print(piece);
  }
}

/** As broad as the terminal is; as it is elsewhere. */
function wrapped(text: string, asJson: boolean): string {
  const width = asJson ? undefined : columnsHere();
  return width === undefined ? text : wrap(text, width);
}

function columnsHere(): number | undefined {
  return isTerminal(1) && process.stdout.isTTY ? process.stdout.columns || undefined : undefined; // some say 0
}

async function* clearedPieces(
  pieces: Iterable<Bytes> | AsyncIterable<Bytes>,
  cleared: (piece: Bytes) => Promise<Bytes>,
): AsyncGenerator<Bytes> {
  for await (const piece of pieces) yield await cleared(piece);
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

/** Each text within it, by itself. */
async function clearedJson(json: string, clear: Cleared): Promise<string> {
  if ((await clear(json)) === json) return json;
  const texts = new Map<string, string>();
  for (const [text] of json.matchAll(STRING))
    texts.set(text, JSON.stringify(await clear(JSON.parse(text) as string)));
  return json.replace(STRING, (text) => texts.get(text) ?? text);
}

/** All of it, also where the other end of a pipe is slow and does not block. */
async function write(fd: number, text: Bytes): Promise<void> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error as { code?: unknown }).code === 'EPIPE' &&
    (error as { syscall?: unknown }).syscall === 'write'
  );
}
