// O7: what can somebody who has the salt change in a run, member by member, so that neither the judge nor a replay names it? Every
// hash is made anew. What passes is listed here, and spec/run.md says why ("What nothing is held against").
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import type { RunEvent } from '../../src/format/index.ts';
import { RunError } from '../../src/runtime/index.ts';
import { replayed, sandboxProblem } from './replayed.ts';
import { rewritten } from './rewritten-ledger.ts';
import { eventsOf, grantedPlace, optionsAt, type Place, verified } from './run-ledger.ts';

/** By the form of the event and the path in its payload. */
const PASSES = [
  'AgentInit code.bundle.type',
  'AgentInit limits.calls',
  'AgentInit limits.events',
  'AgentInit node',
  'AgentInit nonce',
  'Snapshot first snapshot.type',
  'Snapshot last snapshot.type',
];

/** Found in a run that nobody forged as well. */
const ALWAYS: ReadonlySet<string> = new Set(['RUN_NOT_REPLAYED', 'RUN_PAYLOAD_UNKNOWN']);

/** Another value of the same type; of null, a text and a number. */
function others(value: Json): readonly Json[] {
  if (value === null) return ['forged', 5];
  if (typeof value === 'string')
    return [/^[0-9a-f]{64}$/.test(value) ? value.replace(/^./, (c) => (c === '0' ? '1' : '0')) : `${value}x`];
  if (typeof value === 'number') return value === 0 ? [1] : [value + 1, value - 1];
  return [!value];
}

/** Events of one form are forged once. */
function formOf(kind: string, payload: JsonObject | null): string {
  const { reason, action } = payload ?? {};
  if (kind === 'Snapshot') return `${kind} ${reason}`;
  return kind === 'Decision' ? `${kind} ${Object.keys((action ?? {}) as JsonObject)[0]}` : kind;
}

type Change = readonly [path: string, payload: JsonObject];

/** Every leaf changed, every list without its last and with one more, one at a time. */
function* changes(value: Json, path: string, put: (changed: Json) => JsonObject): Generator<Change> {
  if (typeof value !== 'object' || value === null) {
    for (const other of others(value)) yield [path, put(other)];
  } else if (Array.isArray(value)) {
    yield [`${path}[]`, put(value.length === 0 ? ['tool:call:x'] : value.slice(0, -1))];
    for (const [at, each] of value.entries())
      yield* changes(each as Json, `${path}[]`, (changed) => put(value.with(at, changed)));
  } else
    for (const [name, each] of Object.entries(value as JsonObject))
      yield* changes(each as Json, path === '' ? name : `${path}.${name}`, (changed) =>
        put({ ...(value as JsonObject), [name]: changed }),
      );
}

interface Forgeable {
  readonly place: Place;
  readonly run: string;
  readonly events: readonly RunEvent[];
}

/** With an event of every kind. */
async function wholeRun(): Promise<Forgeable> {
  const place = await grantedPlace();
  const begun = await startRun(optionsAt(place));
  const run = begun.id;
  await begun.observe({ times: 1 });
  await begun.observe({ send: 'a.example.org' });
  await begun.close();
  const again = await recoverRun({ ...optionsAt(place), run });
  await again?.observe({ send: 'evil.example.com' });
  await again?.observe({ times: 0, end: true });
  await again?.close();
  return { place, run, events: await eventsOf(place) };
}

/** Whether anybody names that the payload of this event is another one. */
async function isNamed(
  { place, run }: Forgeable,
  sequence: number | null,
  payload: JsonObject,
): Promise<boolean> {
  const forged = await rewritten(place, run, (event) => (event.sequence === sequence ? payload : null));
  const { replay, authority } = (await verified(forged)).facets;
  const codes = [...replay.findings, ...authority.findings].map(({ code }) => code);
  if (codes.some((code) => code.startsWith('RUN_') && !ALWAYS.has(code))) return true;
  try {
    const { outcome, flaw } = await replayed(forged, run);
    return outcome !== 'matches' || flaw !== null;
  } catch (error) {
    if (error instanceof RunError) return true; // It can't be replayed any more, and the command says why.
    throw error;
  }
}

it.skipIf(sandboxProblem !== null)(
  'O7 names a forged member, unless nothing can be held against it',
  async () => {
    const whole = await wholeRun();
    expect(new Set(whole.events.map(({ kind }) => kind)).size).toBe(10);
    expect(await isNamed(whole, null, {})).toBe(false);
    const passing = new Set<string>();
    const seen = new Set<string>();
    for (const { kind, sequence, payload } of whole.events) {
      const form = formOf(kind, payload);
      if (payload === null || seen.has(form)) continue;
      seen.add(form);
      for (const [path, changed] of changes(payload, '', (value) => value as JsonObject))
        if (!passing.has(`${form} ${path}`) && !(await isNamed(whole, sequence, changed)))
          passing.add(`${form} ${path}`);
    }
    expect([...passing].sort()).toEqual(PASSES);
  },
);
