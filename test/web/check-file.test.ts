// What a page says of a file that anybody may have made: a bundle, or the parts of a report. What only the viewer's server tells
// counts for nothing there, and without an envelope that somebody signed nothing passes.
import { describe, expect, it } from 'vitest';
import { parseTar, type TreeFile } from '../../src/format/index.ts';
import { checkRun, type Judgement } from '../../web/check-run.ts';
import { looseBundle, Runs, signedBundle } from '../verify/bundle-maker.ts';

const runs = new Runs();
runs.begin();
runs.prompt('Fix the parser.');
runs.toolResult(runs.tool('Bash', { command: 'npm test' }), 'Bash');
runs.end();
const loose = looseBundle(runs, { disclose: 'all' });
loose.signers = [{ ...runs.signer, name: runs.vkey }];
const parts = parseTar(signedBundle(loose));

const ENVELOPE = 'bundle.json';
const text = (path: string, words: string): TreeFile => ({ path, bytes: new TextEncoder().encode(words) });
const without = (path: string): TreeFile[] => parts.filter((part) => part.path !== path);
const payload = (): TreeFile => {
  const envelope = JSON.parse(
    Buffer.from(parts.find(({ path }) => path === ENVELOPE)?.bytes ?? []).toString(),
  );
  return { path: 'payload.json', bytes: Buffer.from(envelope.payload, 'base64') };
};
const check = (files: readonly TreeFile[]): Promise<Judgement> =>
  checkRun({ parts: files, isServed: false, keys: [runs.vkey], now: Date.now() });

it('X4 passes as it was made', async () => {
  expect(parts.map(({ path }) => path)).toContain(ENVELOPE);
  const answer = await check(parts);
  expect(answer).toMatchObject({ isSound: true, broken: [], signer: runs.vkey });
  expect(answer.report?.verdict).not.toBe('FAIL');
});

describe('X4 what nobody signed', () => {
  it.each<[string, TreeFile[]]>([
    ['no envelope', without(ENVELOPE)],
    ['a payload in the place of the envelope', [...without(ENVELOPE), payload()]],
    ['a payload beside the envelope', [...parts, payload()]],
    ['content that was opened', [...parts, text('opened/x', 'other words')]],
  ])('%s is no run that passes', async (_, files) => {
    const answer = await check(files);
    expect(answer.isSound).toBe(false);
    expect(answer.report?.verdict).toBe('FAIL');
  });

  it.each(['why-not.txt', 'missing.txt', 'early.json', 'erased.json'])('%s has no say', async (path) => {
    const { whyNot, missing, early, erased, isSound } = await check([...parts, text(path, '{"entries":1}')]);
    expect({ whyNot, missing, early, erased, isSound }).toEqual({
      whyNot: null,
      missing: null,
      early: null,
      erased: null,
      isSound: false,
    });
  });
});
