// Which ledger a command is about.
import { type Located, locate } from '../ledger/index.ts';
import type { Context } from './command.ts';

type Asking = Pick<Context, 'values' | 'cwd' | 'env' | 'warn'>;

/** A command may ask more than once, and is told once. */
const told = new WeakSet<Asking>();

/** What must be known of a `.foil/` that does not count is said on standard error. */
export function place(context: Asking): Located {
  const { values, cwd, env } = context;
  const located = locate({ ledger: values.text('ledger'), cwd, env });
  if (located.notice !== undefined && !told.has(context)) context.warn(located.notice);
  told.add(context);
  return located;
}
