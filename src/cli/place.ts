// The ledger a command is about, opened without the thread that seals by itself: commands are short-lived. A command
// that only reads takes no lock, so that it works where the ledger can't be written or another process holds it.

import { openLedger } from '../entry/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { locate } from '../ledger/index.ts';
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

/** NOT_FOUND where there is none. */
export function openPlace(located: Located): Ledger {
  return openLedger(located, { sealEvery: 0 });
}

/** For reading only. NOT_FOUND where there is none. */
export function openToRead(located: Located): Ledger {
  return openLedger(located, { readOnly: true });
}

export async function reading<T>(located: Located, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = openToRead(located);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

export async function withLedger<T>(located: Located, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = openPlace(located);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
