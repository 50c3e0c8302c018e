// Replays a recorded session of a real agent: its command once more, in a sandbox, over a copy of the work tree as it was,
// with a player in the place of its models. The agent talks to 127.0.0.1 in a network of its own, where a relay of ours hands
// each connection to the player's socket; nothing else is to be reached. Nothing is written into the ledger.
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { normalForm } from '../../capture/llm/index.ts';
import { gatewaySettings } from '../../capture/settings/index.ts';
import type { AgentSandbox, SandboxOutcome } from '../../gate/index.ts';
import { type Difference, openPlayer, PlayList, type Taken } from '../../service/index.ts';
import { type KeptSession, Unreplayable } from './kept-session.ts';
import { layTree } from './lay-tree.ts';
import {
  BASE,
  borrowedFrom,
  ownEnvironment,
  ownStub,
  partsOf,
  relayed,
  SETTINGS,
  SOCKET,
  writeGitSettings,
} from './replayed-agent.ts';

export interface SessionReplay {
  readonly outcome: 'same' | 'differs' | 'unknown';
  /** Of models, as recorded and as played. */
  readonly calls: number;
  readonly played: number;
  readonly difference: Difference | null;
  /** In words, where it is not the same. */
  readonly reason: string | null;
  /** Requests that were none of a model and that nobody asked then: they were refused. */
  readonly refused: number;
  readonly exit: number | null;
  readonly recordedExit: number | null;
  /** Taken as it is now, because it was not kept. */
  readonly borrowed: readonly string[];
  /** The end of what the agent printed. */
  readonly output: string;
}

export interface ReplaySession {
  readonly kept: KeptSession;
  /** For the digests of requests. */
  readonly key: Uint8Array;
  readonly sandbox: AgentSandbox;
  readonly env: NodeJS.ProcessEnv;
  /** Folders of which the agent must see nothing: ledger and keys. */
  readonly hidden: readonly string[];
  readonly signal: AbortSignal;
}

const LIMIT_MS = 30 * 60_000;
const MOST_OUTPUT = 64 * 1024;
const LAST_WORDS = 2000;
/** What a shell says of a program that can't be started. */
const NOT_STARTED = [126, 127];

/** Throws Unreplayable. */
export async function replaySession({
  kept,
  key,
  sandbox,
  env,
  hidden,
  signal,
}: ReplaySession): Promise<SessionReplay> {
  const { start, command, files, calls } = kept;
  const problem = await sandbox.available();
  if (problem !== null) throw new Unreplayable(`a replay needs a sandbox, and ${problem}`);
  const models = calls.filter(({ number }) => number !== null);
  if (models.length === 0) throw new Unreplayable('it has no model call: nothing came through the gateway');
  const lost = models.find(({ requestHash }) => requestHash === '');
  if (lost !== undefined) throw new Unreplayable(`call ${lost.number}: ${lost.missing}`);
  if (start.terminal)
    throw new Unreplayable('somebody could type at its terminal, and what was typed is not kept');
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'foil-replay-')));
  const stop = new AbortController();
  const list = new PlayList(key, calls);
  const heard = new Heard(() => stop.abort());
  const socket = join(place, 'player');
  const player = await openPlayer(socket, {
    list,
    normal: normalForm([start, sandbox.places]),
    onTaken: (taken) => heard.take(taken),
  });
  try {
    chmodSync(socket, 0o666);
    const copy = join(place, 'tree');
    const borrowed = borrowedFrom(start.root);
    const below = relative(start.root, command.cwd);
    if (isAbsolute(below) || below.split('/').includes('..'))
      throw new Unreplayable('it was not started in its work tree');
    await layTree(copy, files, { root: start.root, folders: [below, ...borrowed] });
    const gitSettings = join(place, 'git');
    await writeGitSettings(gitSettings, start.root, env);
    const settings = gatewaySettings(command.agent, { base: BASE, env: {} });
    if (typeof settings === 'string') throw new Unreplayable(settings);
    const [program = '', ...words] = command.argv;
    const running = sandbox.runAgent({
      argv: relayed([program, ...settings.args, ...words]),
      ...{ root: start.root, copy, cwd: command.cwd },
      seen: [
        { from: socket, to: SOCKET },
        { from: gitSettings, to: SETTINGS },
        ...borrowed.map((name) => ({
          from: realpathSync(join(start.root, name)),
          to: join(start.root, name),
        })),
        ...partsOf(command.argv, env, [start.root, ...hidden]),
        ...ownStub(join(place, 'stub'), start.root),
      ],
      env: { ...ownEnvironment(env), ...settings.env },
      timeoutMs: LIMIT_MS,
      maxOutput: MOST_OUTPUT,
      signal: AbortSignal.any([signal, stop.signal]),
    });
    const ran = await running.catch((error: Error) => {
      throw new Unreplayable(error.message);
    });
    const found = { ...judged(kept, list, heard, ran), refused: heard.asides, borrowed };
    return { ...found, exit: ran.exit, recordedExit: kept.exitCode, output: ran.output.slice(-LAST_WORDS) };
  } finally {
    await player.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** What came to the player: the first request that can't be answered ends the replay. */
class Heard {
  asides = 0;
  asked = 0;
  first: Extract<Taken, { state: 'differs' | 'unkept' }> | undefined;
  readonly #stop: () => void;

  constructor(stop: () => void) {
    this.#stop = stop;
  }

  take(taken: Taken): void {
    if (taken.state === 'aside') this.asides++;
    else this.asked++;
    if (taken.state !== 'differs' && taken.state !== 'unkept') return;
    this.first ??= taken;
    this.#stop();
  }
}

type Judged = Pick<SessionReplay, 'outcome' | 'calls' | 'played' | 'difference' | 'reason'>;

function judged({ calls }: KeptSession, list: PlayList, heard: Heard, ran: SandboxOutcome): Judged {
  const models = calls.filter(({ number }) => number !== null);
  const counts = { calls: models.length, played: list.played.length, difference: null };
  const say = (outcome: Judged['outcome'], reason: string | null): Judged => ({ ...counts, outcome, reason });
  const { first } = heard;
  if (first?.state === 'differs') {
    const { difference } = first;
    return { ...counts, outcome: 'differs', difference, reason: wordsOf(difference, models.length) };
  }
  if (first !== undefined) {
    const call = models.find(({ number }) => number === first.call.number);
    return say('unknown', `call ${first.call.number}: ${call?.missing}`);
  }
  if (ran.timedOut) return say('unknown', 'the agent did not end within 30 minutes');
  if (ran.cancelled) return say('unknown', 'it was interrupted');
  if (heard.asked === 0 && NOT_STARTED.includes(ran.exit ?? 0))
    return say('unknown', 'the agent could not be started in the sandbox');
  const tools = list.played.filter((number) => models[number - 1]?.tools.length);
  const early = tools.find((number, i) => number < Math.max(0, ...tools.slice(0, i)));
  if (early !== undefined)
    return say('differs', `call ${early}: the agent asked it later than in the recorded session`);
  // One whose answer broke off may be made again or not.
  const unasked = models.find(({ number, answer }) => answer !== null && !list.played.includes(number ?? 0));
  if (unasked !== undefined)
    return say('differs', `call ${unasked.number}: the agent ended without asking it`);
  return say('same', null);
}

function wordsOf({ call, part, how }: Difference, calls: number): string {
  if (call === null) return `call ${calls + 1}: the agent asked more than was recorded`;
  const where = { other: 'differs', new: 'was not there', gone: 'is missing' };
  return `call ${call}: the agent asked something else${part === null || how === null ? '' : `: ${part} ${where[how]}`}`;
}
