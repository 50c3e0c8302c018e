// What the service serves: one store kept open, on which each event is recorded as the hook command would record it.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { adapterOf } from '../../capture/hooks/index.ts';
import { parseYaml, readConfig } from '../../config/index.ts';
import { openLedger } from '../../entry/index.ts';
import { STATE_DIR } from '../../format/index.ts';
import { ExecutionQueue, keepGitShell, refuse } from '../../gate/index.ts';
import {
  LastingLedger,
  type Located,
  modeOrGuard,
  readSettings,
  strictest,
  workspaceRoot,
} from '../../ledger/index.ts';
import {
  type Answer,
  type AuthGuard,
  answerHook,
  type Cipher,
  isAuthEnforced,
  openCipher,
  openNotes,
  parseState,
} from '../../record/index.ts';
import { counted } from '../../report/index.ts';
import type { Caller, Executions, OpenRecording, Upstreams } from '../../service/index.ts';
import { type AnchorConfig, authDirectory, NO_ANCHOR, openAuth, SessionTally } from '../../session/index.ts';
import { openKeyring } from '../../store/files/index.ts';
import { anchorInForce } from '../anchor/anchor-in-force.ts';
import { openGitKeeper } from '../anchor/git-keeper.ts';
import { type LedgerBlocks, ledgerBlocks } from '../anchor/ledger-blocks.ts';
import { openStamper } from '../anchor/stamper.ts';
import { makeAuthority } from '../hook/authority.ts';
import { makeDefence, wireDefence } from '../hook/defence.ts';
import { hooksOf } from '../hook/hooks-seen.ts';
import { hostPlace } from '../hook/host-place.ts';
import { judgeMaker } from '../hook/judge-maker.ts';
import { wholeLedger } from '../hook/whole-ledger.ts';
import { tidyUp, type Upkeep } from '../upkeep/upkeep.ts';
import { isUpkeepDue } from '../upkeep/upkeep-note.ts';
import { executeHere } from './execute-here.ts';
import { gatewayAccess } from './gateway-access.ts';
import { openGateway } from './open-gateway.ts';
import { openWires } from './open-wires.ts';
import { wireAuthority } from './wire-authority.ts';

const UNKNOWN_AGENT: Answer = { exit: 1, stdout: '', stderr: 'foil: there is no such agent.\n' };
/** A session that nobody ended, as when its host was killed, keeps the service for so long after its last event. */
const FORGOTTEN = 6 * 3_600_000;
/** That are asked what the project says. */
const MOST_DIRECTORIES = 64;

/** `FOIL_SESSION` is for processes: the service's own environment says nothing about who calls it. */
const NO_ENVIRONMENT = { XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR, TMPDIR: process.env.TMPDIR };

export interface RecordingOptions {
  readonly upstreams: Upstreams;
  /** Where the service was started. */
  readonly cwd: string;
  /** Whose counterfoil.yaml counts for what the gateway records, instead of the project's. */
  readonly root?: string;
  /** An independent gateway goes straight to its upstreams, whatever the settings say. */
  readonly isIndependent?: boolean;
  /** Where the agent's user finds the service of a locked ledger. */
  readonly socket?: string | undefined;
}

export function recordingOf(
  located: Located,
  { upstreams, cwd, root, isIndependent = false, socket }: RecordingOptions,
): OpenRecording {
  return async (host) => {
    // A disk that was full or read-only for a while must not leave the service refusing for ever.
    const ledger = new LastingLedger(() => openLedger(located), openLedger(located));
    let cipher: Promise<Cipher> | undefined;
    let assumed = modeOrGuard(located.directory);
    const directories = new Set<string>();
    const makeCipher = async (): Promise<Cipher> =>
      openCipher(openKeyring(located.keyDirectory), (await ledger.use((opened) => opened.identity())).origin);
    const openedCipher = (): Promise<Cipher> => {
      cipher ??= makeCipher();
      return cipher;
    };
    const guard: AuthGuard = {
      auth: openAuth(authDirectory(located)),
      enforced: () => isAuthEnforced(located.directory),
    };
    const sources = ledgerBlocks(located.directory);
    const blocks: LedgerBlocks = (given) => sources(anchorOr(located.directory, () => given));
    const notes = openNotes(located.directory);
    const makeJudge = judgeMaker(() => wholeLedger, socket);
    const gateway = openGateway({
      guard,
      notes,
      ledger,
      blocks,
      upstreams,
      cipher: openedCipher,
      // What hooks told last; the ledger is one project's.
      root: () => root ?? rootOf([...directories].at(-1) ?? cwd),
      mode: () => modeOrGuard(located.directory),
      access: (asked) => (isIndependent ? null : gatewayAccess(located.directory, asked)),
    });
    const hook = async (
      agent: string,
      body: Uint8Array | 'too-large',
      event: string | null,
      caller: Caller | null = null,
    ): Promise<Answer> => {
      const adapter = adapterOf(agent);
      if (adapter === undefined) return UNKNOWN_AGENT;
      const { answer, events } = await answerHook({
        adapter,
        body,
        event,
        pinned: 'observe',
        remote: caller === null,
        place(told) {
          const cwd = told ?? caller?.cwd ?? null;
          if (cwd !== null && directories.size < MOST_DIRECTORIES) directories.add(cwd);
          const place = hostPlace({
            located,
            assumed,
            cwd,
            pinned: 'observe',
            env: caller?.env ?? NO_ENVIRONMENT,
            open: () => ledger.store,
            tally: (session, first) => new SessionTally(ledger.store, { session, first }),
            parseYaml,
            cipher: openedCipher,
            blocks,
            pid: caller?.pid ?? null,
            makeJudge: () => makeJudge,
            makeDefence: () => makeDefence,
            makeAuthority: () => makeAuthority,
            whole: () => wholeLedger,
            hooksOf: () => hooksOf,
            places: caller?.env ?? process.env,
            asked: (session) => gateway.asked(session),
          });
          assumed = place.mode;
          return place;
        },
      });
      const ends = events.some(({ type }) => type === 'session.end');
      // Whoever looks at the ledger once the host is gone finds all of its session sealed.
      if (ends && caller !== null) await ledger.use((opened) => opened.seal()).catch(() => host.sealSoon());
      else if (ends || events.some(({ type }) => type === 'stop')) host.sealSoon();
      return answer;
    };
    const openSessions = (): number => countOpen(join(located.directory, STATE_DIR)) + gateway.openSessions;
    const anchor = (): AnchorConfig => {
      const where = root ?? rootOf([...directories].at(-1) ?? cwd);
      return anchorInForce(located.directory, () =>
        where === null ? NO_ANCHOR : readConfig(where, parseYaml).anchor,
      );
    };
    const stamper = openStamper({
      directory: located.directory,
      ledger,
      openSessions,
      config: anchor,
    });
    const git = openGitKeeper({ directory: located.directory, ledger, config: anchor });
    const queue = new ExecutionQueue();
    const shell = keepGitShell();
    const executions: Executions = {
      async run(request, signal) {
        const mode = strictest('observe', readSettings(located.directory).mode);
        const answer = queue.add(
          (either) => executeHere({ located, source: 'service', locked: mode === 'locked' }, request, either),
          signal,
        );
        if (answer === undefined) return refuse('busy', 'Too many checks wait to be run. Try again later.');
        const given = await answer;
        host.sealSoon();
        return given;
      },
      end: () => queue.end(),
    };
    return {
      executions,
      gateway,
      wires: openWires({
        guard,
        notes,
        defend: (directory) => wireDefence(located, { cwd: directory, env: process.env }),
        authority: (server, directory) =>
          wireAuthority(located, { server, cwd: directory, env: process.env }),
        ledger,
        blocks,
        cipher: openedCipher,
        mode: () => modeOrGuard(located.directory),
        sealSoon: () => host.sealSoon(),
      }),
      hook,
      tooLarge: (agent, event) => hook(agent, 'too-large', event),
      async seal() {
        await ledger.use((opened) => opened.seal());
        void stamper.stampSoon();
        void git.keepSoon();
      },
      async upkeep(stopping) {
        // Without a word from the project nothing may go: it may say that all is kept.
        if (directories.size === 0 || !isUpkeepDue(located.directory, Date.now())) return null;
        const roots = [...directories].map(rootOf).filter((root) => root !== null);
        const done = await tidyUp(located, { roots, now: Date.now(), automatic: true, stopping });
        return done === undefined ? null : describe(done);
      },
      openSessions: async () => openSessions(),
      async close() {
        queue.end();
        await queue.idle();
        const ending = gateway.openSessions;
        await gateway.close();
        // The ends of its sessions come behind the last seal.
        if (ending > 0) await ledger.use((opened) => opened.seal()).catch(() => undefined);
        await stamper.close();
        await git.close();
        shell.close();
        await ledger.close();
      },
    };
  };
}

/** A session begins without a block where the file that counts can't be understood; `foil serve` says so when it starts. */
function anchorOr(directory: string, project: () => AnchorConfig): AnchorConfig {
  try {
    return anchorInForce(directory, project);
  } catch {
    return NO_ANCHOR;
  }
}

/** A host's word, which may be anything. */
function rootOf(cwd: string): string | null {
  try {
    return workspaceRoot(cwd);
  } catch {
    return null;
  }
}

/** Numbers alone: a log holds nothing that a host sent. */
function describe({ rolled, gzipped, cut, erased, finished, problem }: Upkeep): string | null {
  const parts = [
    ...(rolled === null ? [] : ['a segment closed']),
    ...(cut === 0 ? [] : [`${counted(cut, 'session')} cut`]),
    ...(gzipped.length === 0 ? [] : [`${counted(gzipped.length, 'segment')} gzipped`]),
    ...(erased.length + finished.length === 0
      ? []
      : [`content of ${counted(erased.length + finished.length, 'session')} erased`]),
    ...(problem === null ? [] : ['nothing erased, because counterfoil.yaml could not be understood']),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function countOpen(directory: string): number {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    return 0;
  }
  return names.filter((name) => {
    const path = join(directory, name);
    try {
      if (Date.now() - statSync(path).mtimeMs > FORGOTTEN) return false;
      const state = parseState(readFileSync(path));
      return state !== undefined && !state.ended;
    } catch {
      return false;
    }
  }).length;
}
