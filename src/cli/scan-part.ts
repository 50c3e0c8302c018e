// A thread of `foil scan`: reads the transcripts that it is asked for, one at a time, and answers with their turns.
import { parentPort } from 'node:worker_threads';
import { TRANSCRIPTS } from '../capture/transcripts/index.ts';
import type { PartAnswer, PartOrder } from '../report/index.ts';
import { type FoundTurn, foundIn } from '../report/index.ts';

export function scanParts(): void {
  parentPort?.on('message', (order: PartOrder) => parentPort?.postMessage(answerOf(order)));
}

function answerOf({ agent, path, bytes, changed, ...asked }: PartOrder): PartAnswer {
  const turns: FoundTurn[] = [];
  const kind = TRANSCRIPTS.find((each) => each.agent === agent);
  if (kind === undefined) return { turns, problem: `foil can't read transcripts of ${agent}` };
  try {
    for (const turn of foundIn({ kind, path, bytes, changed }, asked)) if (turn !== null) turns.push(turn);
    return { turns, problem: null };
  } catch (error) {
    return { turns, problem: (error as Error).message };
  }
}
