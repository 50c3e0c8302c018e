// A fork may decide before it observed anything, if it says so; no other run may.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { parseRunEvent, parseRunPayload, runEventId } from '../../src/format/index.ts';
import { RunJudge } from '../../src/rules/index.ts';

interface Vectors {
  readonly events: readonly JsonObject[];
  readonly cases: readonly {
    readonly name: string;
    readonly replace?: Readonly<Record<string, JsonObject>>;
  }[];
}
const { events, cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../spec/vectors/run.json'), 'utf8'),
) as Vectors;
const forked = cases.find(({ name }) => name === 'a fork')?.replace?.[0] ?? {};

/** The flaws of a decision right behind the first snapshot. */
function judged(decides: boolean, cause: number): string[] {
  const { payload } = forked as { payload: JsonObject & { parent: JsonObject } };
  const first = parseRunEvent({ ...forked, payload: { ...payload, parent: { ...payload.parent, decides } } });
  const snapshot = parseRunEvent(events[1] ?? {});
  const judge = new RunJudge(first.run);
  for (const [at, event] of [first, snapshot].entries())
    expect(judge.event(event, parseRunPayload(event.kind, event.payload ?? {}), at + 3)).toEqual([]);
  const decision = {
    ...snapshot,
    sequence: 2,
    parent: runEventId(first.run, 1),
    kind: 'Decision' as const,
    payload: { action: { wait: true } },
    cause: runEventId(first.run, cause),
  };
  return judge.event(decision, parseRunPayload('Decision', decision.payload), 5).map(({ code }) => code);
}

describe('a fork', () => {
  it('O1 O8 that decides at once does so because of its first event', () => {
    expect(judged(true, 0)).toEqual([]);
    expect(judged(true, 1)).toEqual(['RUN_CAUSE']);
  });

  it('O1 O8 that waits must observe something first', () => {
    expect(judged(false, 0)).toContain('RUN_ORDER');
  });
});
