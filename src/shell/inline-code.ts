// Code on the line: `node -e`, `python -c`, `php -r`.
import type { Check } from '../format/index.ts';

export function isLineCode({ kind, runner, command }: Pick<Check, 'kind' | 'runner' | 'command'>): boolean {
  return kind === 'run' && (/ -[cer]$/.test(runner) || /^(?:lua|Rscript|julia|elixir) .*-e\b/.test(command));
}
