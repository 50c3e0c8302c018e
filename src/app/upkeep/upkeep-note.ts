// When a ledger was last tidied up: one small file with the day. Disposable: where it is missing or can't be read, the
// next run looks at everything, and erases nothing by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UPKEEP_FILE } from '../../format/index.ts';
import { nodeFs, writeDurably } from '../../store/files/index.ts';

export interface UpkeepNote {
  /** In UTC, `2026-11-15`. */
  readonly day: string;
  /** False while it runs, and where it was stopped or failed. */
  readonly done: boolean;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

export function readUpkeepNote(directory: string): UpkeepNote | undefined {
  try {
    const { v, day, done } = JSON.parse(readFileSync(join(directory, UPKEEP_FILE), 'utf8')) as Record<
      string,
      unknown
    >;
    return v === 1 && typeof day === 'string' && DAY.test(day) && typeof done === 'boolean'
      ? { day, done }
      : undefined;
  } catch {
    return undefined;
  }
}

export function writeUpkeepNote(directory: string, { day, done }: UpkeepNote): Promise<void> {
  const text = `${JSON.stringify({ v: 1, day, done })}\n`;
  return writeDurably(nodeFs, join(directory, UPKEEP_FILE), Buffer.from(text));
}

/** Was it tidied up today, to the end? */
export function isUpkeepDue(directory: string, now: number): boolean {
  const note = readUpkeepNote(directory);
  return note?.day !== dayOf(now) || !note.done;
}
