// Commands that change what is recorded, or how, are a person's. In guard and locked, one that comes from inside a
// recorded session is refused, and the attempt is on record. What is said here is read by the model that ran it, so it
// names no other way.
import { existsSync } from 'node:fs';
import { findInstalledHooks, type Inside, insideOf, modeInForce } from '../app/index.ts';
import { ParseError, StoreError } from '../core/index.ts';
import { openLedger } from '../entry/index.ts';
import { type Located, locate } from '../ledger/index.ts';
import { noteMissed, runtimeDirectory } from '../record/index.ts';
import { OWN_COMMANDS, ownAct } from '../rules/index.ts';

export interface Caller {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now?: () => number;
  /** For tests: what the system would tell. */
  readonly ancestors?: readonly number[];
}

/** How long the entry may take. */
const PATIENCE = 3000;

/** `words` are those behind `foil`. Throws StoreError DENIED where the command is not the caller's to run. */
export async function assertOutside(words: readonly string[], caller: Caller): Promise<void> {
  const [name = ''] = words;
  const rule = Object.hasOwn(OWN_COMMANDS, name) ? OWN_COMMANDS[name] : undefined;
  if (rule === undefined) return;
  const located = aimedAt(words, caller);
  const act =
    located && ownAct(words, { ledger: located.directory, cwd: caller.cwd, env: [], real: (path) => path });
  if (!act) return;
  const places = rule.ledgerOnly === true ? [located] : [located, ...hooked(located, caller)];
  for (const place of places) {
    if (!isGuarded(place.directory, caller)) continue;
    const { ancestors, now = Date.now } = caller;
    const inside = insideOf(place.directory, caller.env, {
      ...(ancestors === undefined ? {} : { ancestors }),
      now: now(),
    });
    if (inside === null) continue;
    await record(place, name, act, inside, caller);
    throw new StoreError(
      'DENIED',
      `this would ${act}, and it comes from inside a recorded session of ${inside.agent}. So foil refused it and recorded the attempt. Only a person may do this, in their own terminal.`,
    );
  }
}

/** Does what is printed here come before the eyes of a model whose session is recorded in guard? Never throws. */
export function isReadByModel(words: readonly string[], caller: Caller): boolean {
  const located = aimedAt(words, caller);
  if (located === null) return false;
  const { env, ancestors, now = Date.now } = caller;
  return [located, ...hooked(located, caller)].some(
    ({ directory }) =>
      isGuarded(directory, caller) &&
      insideOf(directory, env, { ...(ancestors === undefined ? {} : { ancestors }), now: now() }) !== null,
  );
}

function aimedAt(words: readonly string[], { cwd, env }: Caller): Located | null {
  const at = words.indexOf('--ledger');
  const inline = words.find((word) => word.startsWith('--ledger='))?.slice('--ledger='.length);
  try {
    return locate({ ledger: at >= 0 ? words[at + 1] : inline, cwd, env });
  } catch {
    return null; // the command itself says what is wrong
  }
}

/** The ledgers that hooks of this project write to: whoever changes the hooks, changes what is recorded there. */
function hooked(located: Located, { cwd, env }: Caller): Located[] {
  try {
    const found = findInstalledHooks({ cwd, env }).map(({ ledger }) => ledger);
    const { FOIL_LEDGER: _, ...rest } = env;
    const own = locate({ cwd, env: rest }).directory;
    return [...new Set([...found, own])]
      .filter((directory) => directory !== null && directory !== located.directory)
      .map((directory) => locate({ ledger: directory ?? '', cwd, env }));
  } catch {
    return [];
  }
}

/** Settings that are damaged count as guard, as they do for hooks. One that can't be read is another user's. */
function isGuarded(directory: string, caller: Caller): boolean {
  if (!existsSync(directory)) return false;
  try {
    return modeInForce(directory, caller).mode !== 'observe';
  } catch (error) {
    return error instanceof ParseError;
  }
}

async function record(
  located: Located,
  command: string,
  act: string,
  { agent, session, by }: Inside,
  { env, now = Date.now }: Caller,
): Promise<void> {
  try {
    const ledger = openLedger(located, { sealEvery: 0 });
    try {
      const payload = { what: 'refused', command: `foil ${command}`, would: act, agent, by };
      await ledger.append(
        { kind: 'config.change', payload, source: 'cli', session_id: session },
        { timeout: PATIENCE },
      );
    } finally {
      await ledger.close();
    }
  } catch (error) {
    const why = `that foil ${command} was refused to ${agent} could not be recorded: ${(error as Error).message}`;
    const { directory } = located;
    noteMissed(runtimeDirectory(directory, env), {
      at: now(),
      agent: 'cli',
      event: command,
      call: null,
      why,
    });
  }
}
