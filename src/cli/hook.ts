// foil hook AGENT: one event of a host on standard input, recorded, and the host's answer on standard output. Started
// by the host with every step it takes. Whatever goes wrong, the answer is one the host understands, and in guard mode
// one that lets nothing through.
import { existsSync, fstatSync, readSync, writeSync } from 'node:fs';
import { ADAPTERS, adapterOf } from '../capture/hooks/index.ts';
import { CHECKPOINT_FILE, SETTINGS_FILE } from '../format/index.ts';
import { locate } from '../ledger/index.ts';
import {
  type Adapter,
  type Answer,
  answerHook,
  type HookOutcome,
  isMode,
  type Mode,
} from '../record/index.ts';
import type { RecordStore } from '../store/files/index.ts';
import { hostPlace } from './host-place.ts';
import { relayStop } from './relay-stop.ts';
import { harmless } from './text.ts';

export interface HookRooms {
  openRecord(directory: string): RecordStore;
  /** What judges, loaded when there is something to judge. */
  gate(): typeof import('./gate.ts');
  /** Everything else, loaded when it is needed. */
  cli(): typeof import('./main.ts');
}

interface HookLine {
  readonly adapter: Adapter;
  readonly event: string | null;
  readonly ledger: string | undefined;
  readonly pinned: Mode;
  /** The service's socket, in locked mode. */
  readonly socket: string | undefined;
}

/** More is read by nobody. One byte above what is understood, so that too much is known as such. */
const MOST = 64 * 1024 * 1024 + 1;

/** Gives the exit code. Never throws. */
export async function runHook(words: readonly string[], rooms: HookRooms): Promise<number> {
  const strict = words.some((word) => /^(?:--mode=)?(?:guard|locked)$/.test(word));
  try {
    const line = parseHookLine(words);
    if (typeof line === 'string') return say({ exit: strict ? 2 : 1, stdout: '', stderr: `foil: ${line}\n` });
    const body = await readInput();
    if (line.socket !== undefined)
      return say(await rooms.cli().relayHook({ ...line, socket: line.socket, body }), strict);
    return say(await record(line, body, rooms), strict);
  } catch (error) {
    // A bug of ours. Guard lets nothing through for it.
    const message = error instanceof Error ? error.message : String(error);
    return say({ exit: strict ? 2 : 1, stdout: '', stderr: `foil: ${harmless(message)}\n` });
  }
}

async function record(line: HookLine, body: Uint8Array, rooms: HookRooms): Promise<Answer> {
  const { adapter, event, pinned } = line;
  const { env } = process;
  let directory = '';
  const relayed = await relayStop({
    ...line,
    body,
    env,
    located: locate({ ledger: line.ledger, cwd: hereOr(null), env }),
  });
  if (relayed !== undefined) return relayed;
  const outcome = await answerHook({
    adapter,
    body,
    event,
    pinned,
    place(cwd) {
      const here = hereOr(cwd);
      const located = locate({ ledger: line.ledger, cwd: here, env });
      directory = located.directory;
      return hostPlace({
        located,
        cwd: cwd ?? here,
        pinned,
        env,
        pid: process.ppid,
        async open() {
          // A ledger that was named must be there; the project's own is made when it is first needed.
          if (located.how === 'project' && !existsSync(`${located.directory}/${CHECKPOINT_FILE}`))
            await rooms.cli().ensureLedger(located);
          return rooms.openRecord(located.directory);
        },
        parseYaml: (text) => rooms.cli().parseYaml(text),
        cipher: () => rooms.cli().openLedgerCipher(located),
        makeJudge: () => rooms.gate().makeJudge,
      });
    },
  });
  // Everything is durable. What is open closes with the process, which is about to end, or to seal.
  await afterwards(outcome, directory, rooms);
  return outcome.answer;
}

/** A turn or a session that ended is sealed; one that begins finds the service running, where there is one. */
async function afterwards(outcome: HookOutcome, directory: string, rooms: HookRooms): Promise<void> {
  if (outcome.failure !== null) return;
  const types = new Set(outcome.events.map(({ type }) => type));
  try {
    if (types.has('stop') || types.has('session.end')) await rooms.cli().sealQuietly(directory, process.env);
    // Loading what starts the service takes longer than to see that there is none to start.
    if ((types.has('prompt') || types.has('session.start')) && existsSync(`${directory}/${SETTINGS_FILE}`))
      await rooms.cli().reviveService(directory);
  } catch {
    // The entries are there. What is not sealed, or not running, `foil status` tells.
  }
}

/** Our directory may have been deleted under us; then the host's word will do. */
function hereOr(cwd: string | null): string {
  try {
    return process.cwd();
  } catch {
    return cwd ?? '/';
  }
}

/** By hand and forgiving: options that a newer version installed must not stop an older one from recording. */
function parseHookLine(words: readonly string[]): HookLine | string {
  const values: Record<string, string> = {};
  let agent: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, name, inline] = /^--([a-z]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== undefined) values[name] = inline ?? words[++at] ?? '';
    else agent ??= word;
  }
  const adapter = agent === undefined ? undefined : adapterOf(agent);
  if (adapter === undefined)
    return `hook: ${agent === undefined ? 'which agent?' : `there is no agent ${harmless(agent)}.`} There are ${ADAPTERS.map(({ agent: name }) => name).join(', ')}.`;
  const { mode = 'observe', event = null, ledger, socket } = values;
  if (!isMode(mode)) return `hook: there is no mode ${harmless(mode)}. There are observe, guard, locked.`;
  if (mode === 'locked' && socket === undefined) return 'hook: locked mode needs --socket PATH.';
  return { adapter, event, ledger, pinned: mode, socket };
}

async function readInput(): Promise<Uint8Array> {
  if (fstatSync(0).isCharacterDevice() && process.stdin.isTTY)
    writeSync(2, 'foil: hook reads one event as JSON from standard input; hosts start it by themselves.\n');
  const pieces: Uint8Array[] = [];
  let length = 0;
  let size = 65_536;
  try {
    while (length < MOST) {
      const piece = Buffer.allocUnsafe(Math.min(size, MOST - length));
      const count = readSync(0, piece, 0, piece.length, null);
      if (count === 0) return joined(pieces);
      pieces.push(piece.subarray(0, count));
      length += count;
      if (count === piece.length) size = Math.min(2 * size, 8 * 1024 * 1024);
    }
    return joined(pieces);
  } catch (error) {
    const { code } = error as { code?: unknown };
    // What can't be read is recorded as far as it came, and in guard refused: the settings may say so, not our command line.
    if (code !== 'EAGAIN') return joined(pieces);
  }
  for await (const piece of process.stdin) {
    pieces.push(piece as Uint8Array);
    length += (piece as Uint8Array).length;
    if (length >= MOST) break;
  }
  return joined(pieces);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
}

/** A host that can't be told still sees the exit code, and 2 is a refusal at every one. */
function say({ exit, stdout, stderr }: Answer, strict = false): number {
  const told = writeAll(1, stdout);
  writeAll(2, stderr);
  return told || !strict ? exit : 2;
}

/** False where nobody listens. */
function writeAll(fd: number, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN') return false;
    }
  }
  return true;
}
