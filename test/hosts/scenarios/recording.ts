// Everything is on record, and in guard nothing happens that is not.
import { expect } from 'vitest';
import { play } from '../host.ts';
import { callsOf, endedByItself, entriesOf, guarded, type Scenario, verdictsIn } from './scenario.ts';

const CLAIM = 'I ran all the tests and they all pass.';

export const works: Scenario = {
  name: 'an agent that works',
  async run(host, place) {
    await guarded(host, place);
    return [
      await play(host, place, 'Run the tests of sum.js with node --test.', [
        { run: 'exit 3' },
        { run: 'node --test' },
        { say: CLAIM },
      ]),
    ];
  },
  cells: {
    'ends by itself, and the model is asked once a step': (left) => {
      endedByItself(left);
      expect(left.played[0]?.model.turns.length, 'requests').toBe(3);
    },
    'the prompt is on record': async ({ place, log }) => {
      const prompts = entriesOf(log, 'prompt');
      expect(prompts.length, 'prompts').toBe(1);
      expect(await place.content(prompts[0]!, 'text')).toBe('Run the tests of sum.js with node --test.');
    },
    'the prompt makes a contract': ({ log }) => {
      expect(entriesOf(log, 'contract').length, 'contracts').toBe(1);
    },
    'each call is on record with its arguments': async ({ place, log }) => {
      const calls = entriesOf(log, 'tool.call');
      expect(calls.length, 'calls').toBe(2);
      expect(JSON.stringify(await place.content(calls[0]!, 'args'))).toContain('exit 3');
      expect(JSON.stringify(await place.content(calls[1]!, 'args'))).toContain('node --test');
    },
    'each result is on record with its exit code': ({ log }) => {
      const results = entriesOf(log, 'tool.result').map(({ payload }) => payload.exit_code);
      expect(results, 'exit codes').toEqual([3, 0]);
    },
    'the response is on record': async ({ place, log }) => {
      const responses = entriesOf(log, 'response');
      expect(responses.length, 'responses').toBe(1);
      expect(String(await place.content(responses[0]!, 'text')), 'response').toContain(CLAIM);
    },
    'the response names its model': ({ host, log }) => {
      expect(entriesOf(log, 'response')[0]?.payload.model, 'response.model').toBe(host.model);
    },
    'a claim that a run backs passes in silence': (left) => {
      expect(verdictsIn(left.log), 'verdicts').toEqual(['pass']);
    },
    'the session has an end': ({ log }) => {
      expect(entriesOf(log, 'session.start', 'session.end').map(({ kind }) => kind)).toEqual([
        'session.start',
        'session.end',
      ]);
    },
    'nothing is on record that did not happen': ({ log }) => {
      expect(entriesOf(log, 'compaction', 'gap', 'tool.denied')).toEqual([]);
    },
    'foil verify finds nothing wrong': async ({ place }) => {
      const { code, stdout } = await place.tryFoil('verify');
      expect(code, `foil verify\n${stdout}`).toBe(0);
    },
  },
};

export const unwritable: Scenario = {
  name: 'a ledger that can not be written',
  async run(host, place) {
    const ledger = await guarded(host, place);
    const steps = [{ before: () => place.freeze(ledger), run: 'touch made' }, { say: 'I tried.' }];
    const refused = await play(host, place, 'Make the file.', steps);
    place.thaw();
    const after = await play(host, place, 'Make the other file.', [{ run: 'touch other' }, { say: 'Yes.' }]);
    return [refused, after];
  },
  cells: {
    'a call is refused': ({ place }) => {
      expect(place.has('made'), 'the file is there').toBe(false);
    },
    'the host ends by itself': endedByItself,
    'and goes on once it can be written': async (left) => {
      expect(left.place.has('other'), 'the other file is there').toBe(true);
      expect(await callsOf(left), 'calls').toContain('touch other');
    },
    'the time in between is a gap': ({ log }) => {
      expect(entriesOf(log, 'gap').length, 'gaps').toBeGreaterThan(0);
    },
  },
};

export const serviceKilled: Scenario = {
  name: 'a service that is killed',
  async run(host, place) {
    const ledger = await guarded(host, place);
    const before = () => {
      place.killService(ledger);
    };
    const killed = await play(host, place, 'Make the file.', [
      { before, run: 'touch made' },
      { say: 'I tried.' },
    ]);
    const after = await play(host, place, 'Make the other file.', [{ run: 'touch other' }, { say: 'Yes.' }]);
    return [killed, after];
  },
  cells: {
    'no call runs that is not on record': async (left) => {
      const recorded = (await callsOf(left)).includes('touch made');
      expect(!left.place.has('made') || recorded, 'the file is there, and no call').toBe(true);
    },
    'a call that would be told to it is refused': ({ host, place }) => {
      expect(place.has('made'), 'the file is there').toBe(!host.served);
    },
    'the next prompt is recorded as ever': async (left) => {
      expect(left.place.has('other'), 'the other file is there').toBe(true);
      expect(await callsOf(left), 'calls').toContain('touch other');
    },
    'the host ends by itself': endedByItself,
  },
};
