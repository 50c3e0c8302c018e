// What sessions were begun with, asked for when a row is drawn and a few at a time. Nothing of it is in the list itself: there
// may be thousands of sessions, and of most nobody sees the row.
import { useEffect, useState } from 'preact/hooks';
import type { Prompts, SessionRow } from '../../src/view/answers.ts';
import { api } from './api.ts';

const PAUSE = 20;
const MOST_AT_ONCE = 100;

interface Waiting {
  readonly ledger: number;
  readonly id: string;
}

const known = new Map<string, string | null>();
const waiting = new Map<string, Waiting>();
const listeners = new Set<() => void>();
let isAsking = false;
let isBusy = false;

/** Grows when all of them are asked for anew. */
let times = 0;

const keyOf = (ledger: number, id: string): string => `${times} ${ledger} ${id}`;

/** Undefined while it isn't known, and null where it isn't kept. */
export function usePrompt(ledger: number, id: string | null): string | null | undefined {
  const [, drawAgain] = useState(0);
  const key = keyOf(ledger, id ?? '');
  useEffect(() => {
    if (id === null || known.has(key)) return undefined;
    waiting.set(key, { ledger, id });
    if (!isAsking) setTimeout(() => void askAll(), PAUSE);
    isAsking = true;
    const listen = (): void => drawAgain((count) => count + 1);
    listeners.add(listen);
    return () => {
      listeners.delete(listen);
      waiting.delete(key);
    };
  }, [key]);
  return id === null ? null : known.get(key);
}

/** Of so many sessions the first prompt is looked at when somebody filters: the newest. */
export const MOST_FILTERED = 2000;

/** Asks for what all of them were begun with, where that is wanted, and changes once more of it is known. */
export function usePrompts(ledger: number, rows: readonly SessionRow[], isWanted: boolean): number {
  const [drawn, drawAgain] = useState(0);
  useEffect(() => {
    if (!isWanted) return undefined;
    for (const row of rows.slice(0, MOST_FILTERED)) {
      const own = row.ledger ?? ledger;
      const key = keyOf(own, row.id);
      if (row.prompts > 0 && !known.has(key)) waiting.set(key, { ledger: own, id: row.id });
    }
    if (waiting.size > 0 && !isAsking) {
      isAsking = true;
      setTimeout(() => void askAll(), PAUSE);
    }
    const listen = (): void => drawAgain((count) => count + 1);
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, [ledger, rows, isWanted]);
  return drawn;
}

/** More of them are on their way. */
export function arePromptsComing(): boolean {
  return isAsking || isBusy;
}

/** Empty while it isn't known. */
export function knownPrompt(ledger: number, id: string): string {
  return known.get(keyOf(ledger, id)) ?? '';
}

/** They came with something else. One that isn't kept may come later, and is asked for. */
export function knowPrompts(ledger: number, prompts: Prompts['prompts']): void {
  for (const [id, prompt] of prompts) if (prompt !== null) known.set(keyOf(ledger, id), prompt);
}

/** Something happened to the ledger: what was kept may have been erased. */
export function forgetPrompts(): void {
  known.clear();
  times++;
  for (const listen of [...listeners]) listen();
}

async function askAll(): Promise<void> {
  isAsking = false;
  isBusy = true;
  const all = [...waiting.values()];
  waiting.clear();
  for (const ledger of new Set(all.map((each) => each.ledger))) {
    const ids = all.flatMap((each) => (each.ledger === ledger ? each.id : []));
    for (let at = 0; at < ids.length; at += MOST_AT_ONCE) {
      await ask(ledger, ids.slice(at, at + MOST_AT_ONCE));
      for (const listen of [...listeners]) listen();
    }
  }
  isBusy = false;
  for (const listen of [...listeners]) listen();
}

async function ask(ledger: number, ids: readonly string[]): Promise<void> {
  try {
    const { prompts } = await api.prompts(ledger, ids);
    for (const [id, prompt] of prompts) known.set(keyOf(ledger, id), prompt);
  } catch {
    // The rows stand without it.
  }
  for (const id of ids) if (!known.has(keyOf(ledger, id))) known.set(keyOf(ledger, id), null);
}
