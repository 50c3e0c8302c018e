// Runs that ask a model with the real SDK, through the audited client, and what is left of them once the model is gone.
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { modelTool, recordedModels, startRun } from '../../src/entry/runtime.ts';
import { RecordedModels, requestKey } from '../../src/runtime/index.ts';
import { entriesIn, upstream } from '../service/gateway/stage.ts';
import { replayed, sandboxProblem } from './replayed.ts';
import { eventsOf, grantedPlace, optionsAt, type Place, verified } from './run-ledger.ts';

const message = (id: string, content: readonly object[], stop: string): string =>
  JSON.stringify({
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content,
    stop_reason: stop,
    usage: { input_tokens: 3, output_tokens: 2 },
  });

/** A run that asked twice, and whose model is gone. */
async function asked(): Promise<{ place: Place; run: string; status: unknown }> {
  const to = await upstream((request, response) => {
    const isAnswered = request.body.includes('tool_result');
    const use = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 2, b: 3 } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      isAnswered
        ? message('msg_2', [{ type: 'text', text: 'It is 5.' }], 'end_turn')
        : message('msg_1', [use], 'tool_use'),
    );
  });
  const claude = new Anthropic({ baseURL: to.url, apiKey: 'none', maxRetries: 0 });
  const place = await grantedPlace();
  const run = await startRun({ ...optionsAt(place, 'asking.mjs'), models: { claude } });
  const status = await run.observe('Add 2 and 3.');
  await run.close();
  expect(to.arrived).toHaveLength(2);
  to.answer = (_, response) => response.destroy();
  return { place, run: run.id, status };
}

describe('a run that asks a model', () => {
  it('O5 has each request and each answer on record, by the audited client as well', async () => {
    const { place, status } = await asked();
    expect(status).toMatchObject({ status: 'finished', result: 'It is 5.' });
    const kinds = entriesIn(place.directory).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('model.'))).toEqual([
      'model.call',
      'model.tool_use',
      'model.result',
      'model.tool_result',
      'model.call',
      'model.result',
    ]);
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it.skipIf(sandboxProblem !== null)('O8 replays without its model', async () => {
    const { place, run } = await asked();
    expect(await replayed(place, run, { execute: true })).toMatchObject({ outcome: 'matches' });
  });

  it('O8 can be run again from the answers on record, and refuses what was never asked', async () => {
    const { place, run } = await asked();
    const again = await startRun({
      ...optionsAt(place, 'asking.mjs'),
      models: await recordedModels({ ...optionsAt(place), run }),
    });
    expect(await again.observe('Add 2 and 3.')).toMatchObject({ status: 'finished', result: 'It is 5.' });
    await again.close();
    const other = await startRun({
      ...optionsAt(place, 'asking.mjs'),
      models: await recordedModels({ ...optionsAt(place), run }),
    });
    expect(await other.observe('Add 2 and 4.')).toMatchObject({
      result: expect.stringContaining('no answer to this request'),
    });
    await other.close();
  });

  it('says which client it was not given', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place, 'asking.mjs'));
    await run.observe('Hi');
    await run.close();
    const result = (await eventsOf(place)).find(({ kind }) => kind === 'ToolResult');
    expect(result?.payload).toMatchObject({ outcome: 'error', error: expect.stringContaining('claude') });
  });
});

describe('recorded answers', () => {
  const body = (id: string, text = 'a') => ({ messages: [{ id, text }, { tool_use_id: id }] });
  const place = { tool: 't', client: 'c', path: '/p' };

  it('are found by content: ids may be others, but must hang together in the same way', () => {
    expect(requestKey('t', body('x'))).toBe(requestKey('t', body('y')));
    expect(requestKey('t', body('x'))).not.toBe(requestKey('t', body('x', 'b')));
    expect(requestKey('t', body('x'))).not.toBe(requestKey('u', body('x')));
    expect(requestKey('t', [{ id: 'x' }, { id: 'x' }])).not.toBe(requestKey('t', [{ id: 'x' }, { id: 'y' }]));
  });

  it('are given once each, in their order', async () => {
    const models = new RecordedModels([1, 2].map((output) => ({ tool: 't', input: body('x'), output })));
    expect(await models.ask({ ...place, body: body('y') })).toBe(1);
    expect(await models.ask({ ...place, body: body('z') })).toBe(2);
    await expect(models.ask({ ...place, body: body('x') })).rejects.toThrow('none is guessed');
  });

  it('refuses a model tool without a path of its own', () => {
    expect(modelTool({ name: 'ask' }).model).toEqual({ client: 'default', path: '/v1/messages' });
    expect(() => modelTool({ name: 'ask', path: 'v1' })).toThrow(TypeError);
  });
});
