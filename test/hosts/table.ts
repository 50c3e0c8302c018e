// The table of the README: what the suite shows of each host. A cell that does not hold names its fault.
import { HOSTS } from './agents/index.ts';
import { KNOWN_FAULTS } from './known-faults.ts';
import { SCENARIOS } from './scenarios/index.ts';

export function hostTable(): string {
  const rows = SCENARIOS.map((scenario) => [
    scenario.name,
    ...HOSTS.map((host) => {
      if (scenario.applies?.(host) === false) return '—';
      const faults = KNOWN_FAULTS.filter(
        (fault) => fault.host === host.name && fault.scenario === scenario.name,
      );
      return faults.length === 0 ? '✓' : [...new Set(faults.map(({ fault }) => fault))].join('; ');
    }),
  ]);
  const head = ['with the real program', ...HOSTS.map(({ name }) => name)];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
