// What sessions were begun with, in the words of whoever began them: people know a session by that. Read when a row is
// looked at and written down nowhere, so that what is erased is gone.
import { asContentRef } from '../format/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { contentReader, readEntry } from '../report/index.ts';
import type { Prompts } from './answers.ts';
import type { CountedSession } from './session-rows.ts';

const MOST_CONTENT = 65_536;
const MOST_TEXT = 200;

export async function firstPrompts(
  ledger: Ledger,
  located: Located,
  sessions: readonly CountedSession[],
): Promise<Prompts> {
  const read = contentReader(ledger, located);
  const promptOf = async ({ id, first_prompt: seq }: CountedSession): Promise<string | null> => {
    const text = seq === null ? undefined : (await readEntry(ledger.store, seq))?.payload.text;
    const ref = asContentRef(text);
    if (ref === undefined) return typeof text === 'string' ? cut(text) : null;
    const content = await read(id, ref, MOST_CONTENT);
    return content.state === 'kept' ? cut(Buffer.from(content.bytes).toString('utf8')) : null;
  };
  const prompts: [string, string | null][] = [];
  for (const session of sessions) prompts.push([session.id, await promptOf(session)]);
  return { prompts };
}

function cut(text: string): string {
  return text
    .slice(0, 2 * MOST_TEXT)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MOST_TEXT);
}
