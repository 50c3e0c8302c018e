// A run as a page shows it: what the check gave, and what a reader sees of it.
import type { RunAnswer } from '../check-run.ts';
import { readSession, type SessionModel } from '../model/session.ts';
import { inSlices } from '../slices.ts';

export interface ShownRun {
  readonly answer: RunAnswer;
  readonly model: SessionModel;
}

/**
 * Where a run comes from. `own file`: the one that holds this page, too. `file`: one that somebody sent, shown by a page that
 * came from elsewhere. `ledger`: one of the reader's own machine.
 */
export type From = 'own file' | 'file' | 'ledger';

/** What is said of content that is not there. */
export function absentWords({ early, erased }: RunAnswer): string {
  if (early !== null) return 'being read';
  return erased === null ? 'not shown' : 'erased';
}

export async function shownRun(answer: RunAnswer): Promise<ShownRun> {
  return { answer, model: await inSlices(readSession(answer.entries, answer.shown, absentWords(answer))) };
}
