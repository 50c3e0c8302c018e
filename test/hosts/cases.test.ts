// One table for all hosts: each scenario is run once with each real program, and each of its cells is a test.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { HOSTS } from './agents/index.ts';
import { type Left, runScenario, SCENARIOS } from './scenarios/index.ts';

describe.each(HOSTS)('$name', (host) => {
  describe.each(SCENARIOS.filter(({ applies }) => applies?.(host) ?? true))('$name', (scenario) => {
    let left: Left;
    beforeAll(async () => {
      left = await runScenario(host, scenario);
    });
    afterAll(async () => {
      await left?.place.remove();
    });

    for (const [cell, holds] of Object.entries(scenario.cells)) it(cell, () => holds(left));
  });
});
