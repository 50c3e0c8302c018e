// That hooks were put in or taken out is an entry of the ledgers that they write to: a reader must be able to tell a ledger
// without hooks, which is silent, from an agent that did nothing. Where it can't be written, a note is left, and the hooks
// come or go all the same: whoever can't write a ledger must still get rid of hooks that refuse everything.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findInstalledHooks, withLedger } from '../app/index.ts';
import type { Plan } from '../capture/settings/index.ts';
import { SEGMENT_DIR } from '../format/index.ts';
import { type Located, locate } from '../ledger/index.ts';
import { noteMissed, runtimeDirectory } from '../record/index.ts';
import type { Context } from './command.ts';

/** How long the entry may take before the ledger counts as wedged. */
const PATIENCE = 5000;

/** For `install` once they are in, for `uninstall` before they go. Gives what could not be recorded, in words. */
export async function recordHooks(
  what: 'install' | 'uninstall',
  plans: readonly Plan[],
  context: Context,
): Promise<readonly string[]> {
  const { env, now } = context;
  const problems: string[] = [];
  for (const [located, changed] of ledgersOf(plans, context)) {
    const hooks = changed.map(({ agent, scope, path }) => ({ agent, scope, path }));
    const payload = { what, hooks };
    try {
      await withLedger(located, (ledger) =>
        ledger.append({ kind: 'config.change', payload, source: 'cli' }, { timeout: PATIENCE }),
      );
    } catch (error) {
      const done = what === 'install' ? 'put in' : 'taken out';
      const why = `that hooks were ${done} could not be recorded: ${(error as Error).message}`;
      noteMissed(runtimeDirectory(located.directory, env), {
        at: now(),
        agent: 'cli',
        event: what,
        call: null,
        why,
      });
      problems.push(why);
    }
  }
  return problems;
}

/** Those that are there, each with the files whose hooks write to it. */
function ledgersOf(plans: readonly Plan[], { cwd, env }: Context): [Located, readonly Plan[]][] {
  const installed = findInstalledHooks({ cwd, env });
  const found = new Map<string, { located: Located; plans: Plan[] }>();
  for (const plan of plans) {
    const ledger = installed.find(({ path }) => path === plan.path)?.ledger ?? undefined;
    const located = locate({ ledger, cwd, env });
    const { directory } = located;
    if (!existsSync(join(directory, SEGMENT_DIR))) continue;
    const entry = found.get(directory) ?? { located, plans: [] };
    entry.plans.push(plan);
    found.set(directory, entry);
  }
  return [...found.values()].map(({ located, plans: changed }) => [located, changed]);
}
