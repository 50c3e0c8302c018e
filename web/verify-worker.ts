// The verifier, off the page's thread.
import type { Piece, Told } from './ask-verifier.ts';
import { checkRun, type RunAnswer, type RunQuestion } from './check-run.ts';

/** So many at a time are taken in without a stutter. */
const AT_ONCE = 500;

const tell = (told: Told<RunAnswer>): void => postMessage(told);

addEventListener('message', async ({ data }: MessageEvent<RunQuestion>) => {
  try {
    const answer = await checkRun(data);
    for (const piece of piecesOf(answer)) tell({ piece });
    tell({ answer: { ...answer, entries: [], shown: new Map() } });
  } catch (error) {
    tell({ failure: error instanceof Error ? error.message : String(error) });
  }
});

function* piecesOf({ entries, shown }: RunAnswer): Generator<Piece> {
  const contents = [...shown];
  for (let at = 0; at < Math.max(entries.length, contents.length); at += AT_ONCE)
    yield {
      entries: entries.slice(at, at + AT_ONCE),
      // A copy of each: a part of the archive would take all of it along.
      shown: contents.slice(at, at + AT_ONCE).map(([name, bytes]) => [name, bytes.slice()]),
    };
}
