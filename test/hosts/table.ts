// The table of docs/agents.md: what the suite shows of each host. There is no third mark: a cell that does not hold is a failure.
import { HOSTS } from './agents/index.ts';
import { SCENARIOS } from './scenarios/index.ts';

export function hostTable(): string {
  const rows = SCENARIOS.map(({ name, applies }) => [
    name,
    ...HOSTS.map((host) => (applies?.(host) === false ? '—' : '✓')),
  ]);
  const head = ['with the real program', ...HOSTS.map(({ name }) => name)];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
