// Steps of patches over runs that were really made: each wrong order and signer is refused with the code that the facet has for
// it, and nothing is written.
import { mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  encodeVerifierKey,
  type JsonObject,
  makeSigner,
  plainBlake3,
  type Signer,
  type VerifierKey,
} from '../../src/core/index.ts';
import { createLedger } from '../../src/entry/index.ts';
import { openRecording, type Recording } from '../../src/entry/recorder.ts';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { RUN_KEY, runEventId } from '../../src/format/index.ts';
import { acceptGrants, changeOperator } from '../../src/ledger/index.ts';
import {
  applyPatch,
  type NewStep,
  revertPatch,
  type StepPlace,
  surveyRun,
  takeStep,
} from '../../src/runtime/index.ts';
import { openFiles } from '../../src/store/files/index.ts';
import { verifyLedger } from '../../src/verify/index.ts';
import { fastDirectory, removeDirectory } from '../temporary.ts';
import { eventsOf, GRANTS, kindsOf, optionsAt, type Place, trustOnly } from './run-ledger.ts';

const signer = (byte: number): Signer => makeSigner('operator', new Uint8Array(32).fill(byte));
const [AGENT, OPERATOR, REVOKED, STRANGER] = [signer(7), signer(9), signer(11), signer(13)];
const PINNED = [OPERATOR as VerifierKey, REVOKED as VerifierKey, AGENT as VerifierKey];
const OTHER = 'c'.repeat(64);
const TESTS = [{ name: 'works', command: ['true'] }];

let place: Place;
let recording: Recording;
beforeAll(async () => {
  const directory = join(mkdtempSync(join(fastDirectory, 'foil-steps-')), 'ledger');
  place = { directory, keyDirectory: join(directory, 'keys') };
  await (await createLedger(place)).close();
  recording = await openRecording({ place, cwd: directory, config: {} });
  const { store } = recording;
  await acceptGrants({ store }, GRANTS, OPERATOR);
  trustOnly(PINNED, join(dirname(directory), 'config'));
  await changeOperator({ store }, 'revoke', encodeVerifierKey(REVOKED as VerifierKey), OPERATOR);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await recording.close();
  removeDirectory(dirname(place.directory));
});

type Step = 'propose' | 'tested' | 'audited' | 'approved' | 'applied' | 'reverted' | 'goOn' | 'end';

/** A run that waits for its first observation, and its patch 0. */
class Course {
  readonly run: string;
  /** The agent's own state, where it is not that of the newest snapshot. */
  state: JsonObject | undefined;
  #hash = OTHER;

  constructor(run: string) {
    this.run = run;
  }

  static async begin(): Promise<Course> {
    const run = await startRun(optionsAt(place));
    await run.close();
    return new Course(run.id);
  }

  async take(kind: string, payload: JsonObject, more: Partial<NewStep> = {}, pinned = PINNED): Promise<void> {
    const at: StepPlace = { store: recording.store, source: 'runtime', run: this.run, pinned };
    const id = runEventId(this.run, 0);
    await takeStep(at, { kind: `patch.${kind}`, payload: () => ({ id, ...payload }), ...more });
  }

  async propose(more: JsonObject = {}): Promise<void> {
    const inverse = [{ op: 'replace', path: '/state/total', value: 0 }];
    const operations = [{ op: 'replace', path: '/state/total', value: 10 }];
    const base = (await surveyRun(recording.store, this.run)).judge.state;
    const words = {
      base,
      change: { target: 'state', operations, inverse },
      tests: TESTS,
      reason: 'x',
      ...more,
    };
    await this.take('created', words, { signed: { member: 'proposed_by', signer: AGENT } });
    this.#hash = (await this.found()).patches.judge.course.patch({ run: this.run, number: 0 })?.hash ?? OTHER;
  }

  tested(more: JsonObject = {}): Promise<void> {
    const tests = [{ name: 'works', result: 'pass' }];
    return this.take('tested', { result: 'pass', tests, sandbox: 'bubblewrap', ...more });
  }

  audited(more: JsonObject = {}): Promise<void> {
    return this.take('audited', { result: 'pass', violations: [], ...more });
  }

  approved(by = OPERATOR, more: JsonObject = {}, pinned = PINNED): Promise<void> {
    const payload = { patch_hash: this.#hash, ...more };
    return this.take('approved', payload, { signed: { member: 'by', signer: by } }, pinned);
  }

  found() {
    return surveyRun(recording.store, this.run, PINNED);
  }

  async parts() {
    const at: StepPlace = { store: recording.store, source: 'runtime', run: this.run, pinned: PINNED };
    const found = await this.found();
    const ref = found.snapshots.at(-1)?.ref;
    const bytes = ref === undefined ? undefined : await recording.store.getContent(this.run, ref);
    const {
      run_id: _,
      sequence: __,
      state_hash: ___,
      ...state
    } = JSON.parse(Buffer.from(bytes ?? '').toString());
    const id = { run: this.run, number: 0 };
    const key = await recording.store.deriveKey(this.run, RUN_KEY);
    const text = JSON.stringify(this.state === undefined ? state : { ...state, state: this.state });
    return {
      place: at,
      intake: recording.intake,
      found,
      id,
      hash: plainBlake3(key),
      state: async () => text,
    };
  }

  async applied(): Promise<void> {
    await applyPatch(await this.parts());
  }

  async reverted(by = OPERATOR): Promise<void> {
    await revertPatch(await this.parts(), { member: 'by', signer: by });
  }

  /** Somebody recovers the run, and tells it something. */
  async goOn(): Promise<void> {
    const run = await recoverRun({ ...optionsAt(place), run: this.run });
    await run?.observe({ times: 0 });
    await run?.close();
  }

  async end(): Promise<void> {
    const run = await recoverRun({ ...optionsAt(place), run: this.run });
    await run?.stop();
    await run?.close();
  }

  async upTo(...steps: readonly Step[]): Promise<this> {
    for (const step of steps) await this[step]();
    return this;
  }
}

const TO_APPROVAL = ['propose', 'tested', 'audited'] as const;
const TO_APPLIED = [...TO_APPROVAL, 'approved', 'applied'] as const;

describe('O6 a step of a patch', () => {
  it('is taken in order, and takes the state of the run there and back', async () => {
    const course = await (await Course.begin()).upTo(...TO_APPLIED);
    const patched = await course.found();
    expect(JSON.parse(await (await course.parts()).state())).toMatchObject({
      applied_patches: [`${course.run}:0`],
      state: { total: 10 },
    });
    await course.reverted();
    const back = await course.found();
    expect(back.judge.state).not.toBe(patched.judge.state);
    const first = (await eventsOf(place)).find(({ run }) => run === course.run);
    expect(back.judge.state).toBe(first?.stateAfter);
    expect(back.last).toMatchObject({ sequence: 3, kind: 'Snapshot', payload: { reason: 'patch' } });
  });

  it('O6 shuts out who has the run open, until the run is recovered with its patched state', async () => {
    const open = await startRun(optionsAt(place));
    await new Course(open.id).upTo(...TO_APPLIED);
    await expect(open.observe({ times: 0 })).rejects.toMatchObject({ code: 'NOT_LAST' });
    await open.close();
    const run = await recoverRun({ ...optionsAt(place), run: open.id });
    expect(await run?.observe({ times: 0, end: true })).toMatchObject({ status: 'finished', result: 10 });
    await run?.close();
  });

  it('O6 may take effect between a call and its result', async () => {
    const scope = globalThis as { doubt?: () => unknown };
    scope.doubt = () => new Promise(() => undefined);
    const live = await startRun(optionsAt(place, 'doubtful.mjs'));
    void live.observe('impure').catch(() => undefined);
    const course = new Course(live.id);
    while ((await course.found()).last.kind !== 'ToolCall') await new Promise(setImmediate);
    delete scope.doubt;
    course.state = { call: 'impure', outcome: null };
    const operations = [{ op: 'add', path: '/state/note', value: 1 }];
    const inverse = [{ op: 'remove', path: '/state/note' }];
    await course.propose({ change: { target: 'state', operations, inverse } });
    await course.upTo('tested', 'audited', 'approved', 'applied');
    const run = await recoverRun({ ...optionsAt(place, 'doubtful.mjs'), run: live.id });
    expect(await run?.resume()).toMatchObject({ status: 'finished', result: 'unknown' });
    await run?.close();
    const events = (await eventsOf(place)).filter(({ run: of }) => of === live.id);
    expect(kindsOf(events)).toContain('ToolCall Snapshot Recovery ToolResult Decision Snapshot Final');
  });

  it.each<[string, string, readonly Step[], (course: Course) => Promise<unknown>]>([
    [
      'RUN_PATCH',
      'reverted to another state than the one before',
      TO_APPLIED,
      (c) => {
        c.state = { total: 10, other: true };
        return c.reverted();
      },
    ],
    ['PATCH_ORDER', 'an audit before the tests', ['propose'], (c) => c.audited()],
    ['PATCH_ORDER', 'an approval before the audit', ['propose', 'tested'], (c) => c.approved()],
    ['PATCH_ORDER', 'applied before it was approved', TO_APPROVAL, (c) => c.applied()],
    ['PATCH_ORDER', 'tested twice', ['propose', 'tested'], (c) => c.tested()],
    ['PATCH_ORDER', 'applied twice', TO_APPLIED, (c) => c.applied()],
    ['PATCH_ORDER', 'rejected once it is applied', TO_APPLIED, (c) => c.take('rejected', { reason: 'x' })],
    ['PATCH_ORDER', 'reverted before it was applied', TO_APPROVAL, (c) => c.reverted()],
    ['PATCH_ORDER', 'reverted twice', [...TO_APPLIED, 'reverted'], (c) => c.reverted()],
    [
      'PATCH_UNTESTED',
      'other tests than it names',
      ['propose'],
      (c) => c.tested({ tests: [{ name: 'x', result: 'pass' }] }),
    ],
    ['PATCH_UNTESTED', 'no test', ['propose'], (c) => c.tested({ tests: [] })],
    [
      'PATCH_UNAUDITED',
      'an audit that found something',
      ['propose', 'tested'],
      (c) => c.audited({ violations: ['x'] }),
    ],
    ['PATCH_SELF_APPROVED', 'approved by who proposed it', TO_APPROVAL, (c) => c.approved(AGENT)],
    ['PATCH_SIGNER', 'approved by an operator who was revoked', TO_APPROVAL, (c) => c.approved(REVOKED)],
    ['PATCH_SIGNER', 'reverted by an operator who was revoked', TO_APPLIED, (c) => c.reverted(REVOKED)],
    ['PATCH_SIGNER_UNKNOWN', 'approved by a stranger', TO_APPROVAL, (c) => c.approved(STRANGER)],
    [
      'PATCH_SIGNER_UNKNOWN',
      'approved where nobody is trusted',
      TO_APPROVAL,
      (c) => c.approved(OPERATOR, {}, []),
    ],
    ['PATCH_SIGNER_UNKNOWN', 'reverted by a stranger', TO_APPLIED, (c) => c.reverted(STRANGER)],
    [
      'PATCH_ALTERED',
      'an approval of another hash',
      TO_APPROVAL,
      (c) => c.approved(OPERATOR, { patch_hash: OTHER }),
    ],
    ['PATCH_ALTERED', 'the run has continued', [...TO_APPROVAL, 'approved', 'goOn'], (c) => c.applied()],
    ['PATCH_ALTERED', 'reverted when the run has gone on', [...TO_APPLIED, 'goOn'], (c) => c.reverted()],
    ['PATCH_MISPLACED', 'a patch that nobody proposed', [], (c) => c.tested()],
    ['PATCH_INVALID', 'a member more', ['propose'], (c) => c.tested({ more: true })],
    ['RUN_PATCH', 'the run has ended', [...TO_APPROVAL, 'approved', 'end'], (c) => c.applied()],
  ])('%s: %s', async (code, _, steps, wrong) => {
    const course = await (await Course.begin()).upTo(...steps);
    const before = await recording.store.head();
    await expect(wrong(course)).rejects.toMatchObject({ code });
    expect(await recording.store.head()).toEqual(before);
  });

  it('RUN_PATCH: applied with an inverse that does not lead back', async () => {
    const course = await Course.begin();
    const operations = [{ op: 'replace', path: '/state/total', value: 10 }];
    await course.propose({ change: { target: 'state', operations, inverse: [] } });
    await course.upTo('tested', 'audited', 'approved');
    const before = await recording.store.head();
    await expect(course.applied()).rejects.toMatchObject({ code: 'RUN_PATCH' });
    expect(await recording.store.head()).toEqual(before);
  });

  it('leaves a ledger in which every step counts', async () => {
    const report = await verifyLedger(openFiles(place.directory), { operators: PINNED });
    expect(report.facets.patches).toMatchObject({ status: 'pass', findings: [] });
    expect(report.facets.replay.findings.filter(({ code }) => code !== 'RUN_NOT_REPLAYED')).toEqual([]);
  });
});
