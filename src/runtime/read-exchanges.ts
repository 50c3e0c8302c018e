// What the tools of a run were given and what they gave, as its record has it: the answers of models, for another run.
import type { Blake3, JsonObject } from '../core/index.ts';
import type { LogReader } from '../ledger/index.ts';
import type { Exchange } from './models.ts';
import { payloadOf, type ReadContent, readEvents, readInit } from './read-run.ts';

export interface ExchangesOf {
  readonly log: LogReader;
  readonly run: string;
  readonly read: ReadContent;
  /** Of its payloads. */
  readonly hash: Blake3;
}

/** Of calls that went well. One whose content is gone is left out. RunError where there is no such run. */
export async function readExchanges({ log, run, read, hash }: ExchangesOf): Promise<Exchange[]> {
  const { seq: from } = await readInit(log, run, 1);
  const { seq: to } = await log.head();
  const found: Exchange[] = [];
  let call: JsonObject | null = null;
  for await (const events of readEvents(log, run, from, to))
    for (const { event } of events) {
      if (event.kind === 'ToolCall') call = await payloadOf(event, read, hash);
      if (event.kind !== 'ToolResult') continue;
      const result = await payloadOf(event, read, hash);
      if (call !== null && result?.outcome === 'ok')
        found.push({ tool: String(call.tool_id), input: call.input ?? null, output: result.output ?? null });
      call = null;
    }
  return found;
}
