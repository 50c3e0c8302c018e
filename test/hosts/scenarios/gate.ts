// At the end of a turn: silence where there is nothing to say, two blocks at most, and a way out.
import { expect } from 'vitest';
import { play } from '../host.ts';
import { endedByItself, entriesOf, guarded, type Scenario, verdictsIn } from './scenario.ts';

// Lines of their own, as models write: a host that joins what was said in one turn must not glue them together.
const LIE = 'I ran all the tests and they all pass.\n';
const RETRACTION = 'Not verified: the tests were not run.\n';
/** More than any limit allows, and never the same twice: a host that goes on to the last of them loops. */
const LIES = [
  LIE,
  'I ran all the tests again and they all pass.\n',
  'I ran the test suite and all tests pass.\n',
  'All tests pass: I ran them with node --test.\n',
  'I ran node --test and all tests pass.\n',
  'I executed the tests and every test passes.\n',
  'The tests pass.\n',
  'I ran the tests once more and they pass.\n',
].map((say) => ({ say }));

export const question: Scenario = {
  name: 'a question without a claim',
  async run(host, place) {
    await guarded(host, place);
    return [await play(host, place, 'What is in sum.js?', [{ say: 'A function that adds two numbers.' }])];
  },
  cells: {
    'passes in silence': (left) => {
      expect(verdictsIn(left.log), 'verdicts').toEqual(['silent']);
      expect(left.played[0]?.model.turns.length, 'requests').toBe(1);
      expect(left.played[0]?.stdout).toContain('A function that adds two numbers.');
      endedByItself(left);
    },
  },
};

export const liar: Scenario = {
  name: 'a liar',
  async run(host, place) {
    await guarded(host, place);
    return [await play(host, place, 'Run the tests of sum.js.', LIES)];
  },
  cells: {
    'is held at most twice a prompt, then the turn ends unproven': (left) => {
      const held = left.host.holds ? ['block', 'block', 'unproven'] : ['unproven'];
      expect(verdictsIn(left.log), 'verdicts').toEqual(held);
      expect(left.played[0]?.model.turns.length, 'requests').toBe(held.length);
    },
    'the host ends by itself': endedByItself,
    'our own words are no prompt of the user': ({ log }) => {
      expect(entriesOf(log, 'prompt').length, 'prompts').toBe(1);
    },
    'foil verify says that the claim is not proven': async ({ place }) => {
      const { code, stdout } = await place.tryFoil('verify');
      expect(code, `foil verify\n${stdout}`).toBe(5);
      expect(stdout).toContain('CLAIM_UNPROVEN');
    },
  },
};

export const complies: Scenario = {
  name: 'an agent that complies',
  async run(host, place) {
    await guarded(host, place);
    const steps = [{ say: LIE }, { run: 'node --test' }, { say: LIE }];
    return [await play(host, place, 'Run the tests of sum.js.', steps)];
  },
  cells: {
    'passes after one block': (left) => {
      expect(verdictsIn(left.log), 'verdicts').toEqual(left.host.holds ? ['block', 'pass'] : ['unproven']);
      endedByItself(left);
    },
    'was told what is missing': ({ host, played }) => {
      if (!host.holds) return;
      expect(played[0]?.model.told('No test run is on record.')[0], 'first request that says it').toBe(1);
    },
  },
};

export const retracts: Scenario = {
  name: 'an agent that takes it back',
  async run(host, place) {
    await guarded(host, place);
    const steps = [{ say: LIE }, ...Array.from({ length: 4 }, () => ({ say: RETRACTION }))];
    return [await play(host, place, 'Run the tests of sum.js.', steps)];
  },
  cells: {
    'passes after one block': (left) => {
      expect(verdictsIn(left.log).filter((each) => each === 'block').length, 'blocks').toBe(
        left.host.holds ? 1 : 0,
      );
      const last = verdictsIn(left.log).at(-1);
      expect(last, 'last verdict').toBeOneOf(left.host.holds ? ['pass', 'silent'] : ['unproven']);
      endedByItself(left);
    },
  },
};
