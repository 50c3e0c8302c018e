// One table for all hosts: each scenario is run once with each real program, and each of its cells is a test.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTS } from './agents/index.ts';
import { KNOWN_FAULTS } from './known-faults.ts';
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

    for (const [cell, holds] of Object.entries(scenario.cells)) {
      const known = KNOWN_FAULTS.find(
        (fault) => fault.host === host.name && fault.scenario === scenario.name && fault.cell === cell,
      );
      if (known === undefined) it(cell, () => holds(left));
      else
        it(`${cell} (known fault: ${known.fault})`, async () => {
          const failure = await Promise.resolve()
            .then(() => holds(left))
            .then(
              () => 'it holds: take it out of known-faults.ts',
              (error: unknown) => (error as Error).message,
            );
          expect(failure).toMatch(known.seen);
        });
    }
  });
});

it('each known fault names a cell of the table', () => {
  const cells = HOSTS.flatMap(({ name: host }) =>
    SCENARIOS.flatMap(({ name, cells }) => Object.keys(cells).map((cell) => [host, name, cell].join(' > '))),
  );
  for (const { host, scenario, cell } of KNOWN_FAULTS)
    expect(cells).toContain([host, scenario, cell].join(' > '));
});
