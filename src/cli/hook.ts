// foil hook AGENT: one event of a host on standard input, recorded, and the host's answer on standard output. Started
// by the host with every step it takes. Whatever goes wrong, the answer is one the host understands, and in guard mode
// one that lets nothing through.
import { existsSync } from 'node:fs';
import {
  type HookLine,
  hostPlace,
  hostSession,
  isStrict,
  isUpkeepLate,
  locateHook,
  ownBuild,
  parseHookLine,
  readInput,
  say,
} from '../app/index.ts';
import { adapterOf } from '../capture/hooks/index.ts';
import { CHECKPOINT_FILE } from '../format/index.ts';
import { isFoilOff, readSettings } from '../ledger/index.ts';
import { type Adapter, type Answer, answerHook, type HookOutcome, refuseHook } from '../record/index.ts';
import { harmless } from '../report/index.ts';
import { withoutWayPast } from '../rules/index.ts';
import { isServedByOlder, startApart } from '../service/index.ts';
import type { RecordStore } from '../store/files/index.ts';
import type { Given } from './relay.ts';

export interface HookRooms {
  openRecord(directory: string): RecordStore;
  /** What judges, loaded when there is something to judge. */
  gate(): typeof import('./gate.ts');
  /** What looks for our hooks in a host's settings, loaded when a session or a turn begins or ends. */
  hooksSeen(): typeof import('./hooks-seen.ts');
  /** What tells an attack on the recording from what only looks like one, loaded for what does. */
  defence(): Pick<typeof import('./defence.ts'), 'makeDefence'>;
  /** What tells what a call needs, loaded where a session has grants. */
  authority(): typeof import('./authority.ts');
  /** What a project with a configuration needs, loaded when there is one. */
  project(): typeof import('./project.ts');
  /** What is seldom needed. */
  more(): Pick<
    typeof import('./hook-more.ts'),
    | 'ensureLedger'
    | 'openLedgerCipher'
    | 'openTally'
    | 'replaceOldService'
    | 'reviveService'
    | 'sealQuietly'
    | 'wholeLedger'
  >;
}

/** What the hook has of the process that it is. */
export interface HookProcess {
  readonly env: NodeJS.ProcessEnv;
  /** The host's. */
  readonly ppid: number;
  cwd(): string;
  readInput(pieces: Uint8Array[]): Promise<Uint8Array>;
  /** Gives the exit code. */
  say(answer: Answer, strict: boolean): number;
  /** Starts `foil` with these words as a process that outlives this one. False where it can't. */
  startApart(words: readonly string[], env: NodeJS.ProcessEnv): boolean;
}

const OWN_PROCESS: HookProcess = {
  env: process.env,
  get ppid() {
    return process.ppid;
  },
  cwd: () => process.cwd(),
  readInput,
  say,
  startApart: (words, env) => startApart(words, { env }),
};

/** `given` is what is left by whoever tried to have it recorded elsewhere. Gives the exit code. Never throws. */
export async function runHook(
  words: readonly string[],
  rooms: HookRooms,
  given: Given,
  self: HookProcess = OWN_PROCESS,
): Promise<number> {
  const { say } = self;
  const strict = isStrict(words, self.env);
  try {
    const line = parseHookLine(words);
    if (typeof line === 'string')
      return say({ exit: strict ? 2 : 1, stdout: '', stderr: `foil: ${line}\n` }, strict);
    const adapter = adapterOf(line.agent);
    if (adapter === undefined) throw new Error(`unknown agent "${line.agent}".`);
    const body = await self.readInput(given.pieces);
    const { failure } = given;
    // In locked mode nothing of the ledger is ours to read, and our notes count for nobody.
    if (failure !== null && line.socket !== undefined)
      return say(refuseHook({ ...line, adapter, body }, failure), strict);
    return say(await record(line, adapter, body, failure, rooms, self), strict);
  } catch (error) {
    // A bug of ours. Guard lets nothing through for it.
    const message = error instanceof Error ? error.message : String(error);
    return say(
      { exit: strict ? 2 : 1, stdout: '', stderr: `foil: ${harmless(withoutWayPast(message))}\n` },
      strict,
    );
  }
}

async function record(
  line: HookLine,
  adapter: Adapter,
  body: Uint8Array,
  unanswered: Error | null,
  rooms: HookRooms,
  self: HookProcess,
): Promise<Answer> {
  const { event, pinned, assumed } = line;
  const { env } = self;
  let directory = '';
  // By which the ledger was found: what comes after must find the same.
  let own: NodeJS.ProcessEnv = env;
  const outcome = await answerHook({
    adapter,
    body,
    event,
    pinned,
    off: isFoilOff(env),
    unanswered,
    place(cwd) {
      const here = hereOr(self, cwd);
      const session = line.ledger === undefined ? hostSession(line.agent, body) : undefined;
      const { located, env: known } = locateHook({ ...line, session, cwd: here, env });
      directory = located.directory;
      own = { ...known };
      return hostPlace({
        located,
        cwd: cwd ?? here,
        pinned,
        assumed,
        env: known,
        pid: self.ppid,
        overHttp: adapter.agent === 'claude-code',
        async open() {
          // A ledger that was named must be there; the project's own is made when it is first needed.
          if (located.how === 'project' && !existsSync(`${located.directory}/${CHECKPOINT_FILE}`))
            await rooms.more().ensureLedger(located, known);
          return rooms.openRecord(located.directory);
        },
        tally: (session, first) => rooms.more().openTally(located.directory, session, first),
        parseYaml: (text) => rooms.project().parseYaml(text),
        cipher: () => rooms.more().openLedgerCipher(located),
        blocks(anchor) {
          const { acceptedAnchor, ledgerBlocks } = rooms.project();
          const { directory } = located;
          return ledgerBlocks(directory, { brief: true })(acceptedAnchor(anchor, directory, known));
        },
        makeJudge: () => rooms.gate().judgeMaker(() => rooms.more().wholeLedger),
        makeDefence: () => rooms.defence().makeDefence,
        makeAuthority: () => rooms.authority().makeAuthority,
        whole: () => rooms.more().wholeLedger,
        hooksOf: () => rooms.hooksSeen().hooksOf,
      });
    },
  });
  // Everything is durable. What is open closes with the process, which is about to end, or to seal.
  await afterwards(outcome, directory, rooms, { ...self, env: own });
  return outcome.answer;
}

/**
 * A session that ended is sealed, and so is a turn, by a process of its own: nobody need wait for that who is about to
 * answer. One that begins finds the service running, where there is one. A service of an older build, as an upgrade
 * leaves it, is replaced by the first hook that finds it. Upkeep that is late is done by a process of its own, too.
 */
async function afterwards(
  outcome: HookOutcome,
  directory: string,
  rooms: HookRooms,
  self: HookProcess,
): Promise<void> {
  if (outcome.failure !== null) return;
  const types = new Set(outcome.events.map(({ type }) => type));
  try {
    const ends = types.has('session.end');
    if (ends || (types.has('stop') && !self.startApart(['checkpoint', '--ledger', directory], self.env)))
      await rooms.more().sealQuietly(directory, self.env);
    const begins = types.has('prompt') || types.has('session.start');
    if (begins && isUpkeepLate(directory, Date.now()))
      self.startApart(['archive', '--if-due', '--ledger', directory], self.env);
    // Loading what starts the service takes longer than to see that there is none to start.
    if (begins && readSettings(directory, self.env).port !== null)
      await rooms.more().reviveService(directory, self.env);
    else if (isServedByOlder(directory, ownBuild()))
      await rooms.more().replaceOldService(directory, self.env, { wait: 0 });
  } catch {
    // The entries are there. What is not sealed, or not running, `foil status` tells.
  }
}

/** Our directory may have been deleted under us; then the host's word will do. */
function hereOr(self: HookProcess, cwd: string | null): string {
  try {
    return self.cwd();
  } catch {
    return cwd ?? '/';
  }
}
