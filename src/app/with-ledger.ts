// A ledger for short work, opened without the thread that seals by itself. Work that only reads takes no lock, so it also
// succeeds if the ledger can't be written or another process holds it.
import { openLedger } from '../entry/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';

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
