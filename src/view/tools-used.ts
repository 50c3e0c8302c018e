// Which tools the newest sessions used, and how often: for the list of sessions and its charts. It looks at so many entries,
// from the newest back, and says where it stopped.
import type { LogReader } from '../ledger/index.ts';
import { scanLines } from '../report/index.ts';
import type { ToolsUsed } from './answers.ts';

const MOST_ENTRIES = 100_000;
const MOST_TOOLS = 200;
/** Canonical JSON, so that a name ends at the first quote that isn't escaped. */
const TOOL = /"tool":("(?:[^"\\]|\\.)+")/;
const LONGEST = 80;

export async function toolsUsed(store: LogReader): Promise<ToolsUsed> {
  const { seq } = await store.head();
  const from = Math.max(1, seq - MOST_ENTRIES + 1);
  const sessions = new Map<string, Map<string, number>>();
  for await (const lines of scanLines(store, from, seq))
    for (const { kind, session, bytes } of lines) {
      if (kind !== 'tool.call' || session === null) continue;
      const [, name] = TOOL.exec(bytes.toString('utf8')) ?? [];
      const tool = name === undefined ? undefined : String(JSON.parse(name)).slice(0, LONGEST);
      const tools = sessions.get(session) ?? new Map<string, number>();
      sessions.set(session, tools);
      if (tool !== undefined && (tools.size < MOST_TOOLS || tools.has(tool)))
        tools.set(tool, (tools.get(tool) ?? 0) + 1);
    }
  return { from, sessions: [...sessions].map(([id, tools]) => [id, [...tools]]) };
}
