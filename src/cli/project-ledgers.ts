// The ledgers of one project. There should be one; where there are more, a command that reads says so, because a new one
// that is INTACT must not stand in for an old one that is BROKEN.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findInstalledHooks } from '../app/index.ts';
import { SEGMENT_DIR } from '../format/index.ts';
import { HERE, type Located, locate, projectDirectory, standingOf } from '../ledger/index.ts';
import type { Context } from './command.ts';
import { place } from './place.ts';

type Asking = Pick<Context, 'values' | 'cwd' | 'env' | 'warn'>;

/** This user's `.foil/` here and above, the one in the state directory, and those that installed hooks write to. */
export function projectLedgers({ cwd, env }: Pick<Context, 'cwd' | 'env'>): readonly string[] {
  const found: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const here = join(folder, HERE);
    if (isLedger(here) && standingOf(here, env).is !== 'foreign') found.push(here);
    if (dirname(folder) === folder) break;
  }
  found.push(projectDirectory(cwd, env));
  for (const { ledger } of findInstalledHooks({ cwd, env })) if (ledger !== null) found.push(ledger);
  return distinct(found.filter(isLedger));
}

/**
 * The ledger that a command reads, and the others of the project. Where none is found but hooks write to one, that one is
 * meant. Whoever names one means that one, and no other.
 */
export function placeToRead(context: Asking): {
  readonly located: Located;
  readonly others: readonly string[];
} {
  const { cwd, env } = context;
  const found = place(context);
  if (found.how === 'option' || found.how === 'environment') return { located: found, others: [] };
  const all = projectLedgers({ cwd, env });
  const [first] = all;
  const located =
    first === undefined || isLedger(found.directory) ? found : locate({ ledger: first, cwd, env });
  const others = all.filter((each) => !isSame(each, located.directory));
  for (const other of others)
    context.warn(
      `this project has more than one ledger. This is about ${located.directory}. For the other one, use --ledger ${other}.`,
    );
  return { located, others };
}

function isLedger(directory: string): boolean {
  return existsSync(join(directory, SEGMENT_DIR));
}

function distinct(paths: readonly string[]): string[] {
  return paths.filter((path, index) => paths.findIndex((each) => isSame(each, path)) === index);
}

function isSame(a: string, b: string): boolean {
  return a === b || realpathSync(a) === realpathSync(b);
}
