// That hooks were taken out is an entry of the ledgers that they wrote to: from then on the ledger is silent, and a reader
// must be able to tell that from an agent that did nothing. Where it can't be written, a note is left, and the hooks go
// all the same: whoever can't write a ledger must still get rid of hooks that refuse everything.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../capture/settings/index.ts';
import { SEGMENT_DIR } from '../format/index.ts';
import { type Located, locate } from '../ledger/index.ts';
import { noteMissed, runtimeDirectory } from '../record/index.ts';
import type { Context } from './command.ts';
import { findInstalledHooks } from './installed.ts';
import { withLedger } from './place.ts';

/** How long the entry may take before the ledger counts as wedged. */
const PATIENCE = 5000;

/** Before anything is taken out. Gives what could not be recorded, in words. */
export async function recordUninstall(plans: readonly Plan[], context: Context): Promise<readonly string[]> {
  const { env, now } = context;
  const problems: string[] = [];
  for (const [located, taken] of ledgersOf(plans, context)) {
    const hooks = taken.map(({ agent, scope, path }) => ({ agent, scope, path }));
    const payload = { what: 'uninstall', hooks };
    try {
      await withLedger(located, (ledger) =>
        ledger.append({ kind: 'config.change', payload, source: 'cli' }, { timeout: PATIENCE }),
      );
    } catch (error) {
      const why = `that hooks were taken out could not be recorded: ${(error as Error).message}`;
      noteMissed(runtimeDirectory(located.directory, env), {
        at: now(),
        agent: 'cli',
        event: 'uninstall',
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
  return [...found.values()].map(({ located, plans: taken }) => [located, taken]);
}
