// Programs that the tables of runners know by their name, also in a text that runs nothing, such as a comment.
import { kindOf, own, toolOf } from '../ecosystems/index.ts';
import type { Check } from '../format/index.ts';
import { isWord } from './programs.ts';
import { HTTP } from './runners/http.ts';
import { SHIP } from './runners/ship.ts';

export const known = (name: string): ReturnType<typeof toolOf> =>
  toolOf(name) ?? own(SHIP, name) ?? own(HTTP, name);

/** Names that only a runner of tests or a checker has: a word that names one names a check. */
export function isRunnerName(name: string): boolean {
  return (!isWord(name) && known(name) !== undefined) || /^(?:go test|cargo test|npm test)$/.test(name);
}

/** The runner a text names, or null. Bounded, so that a long text is not searched word by word. */
export function namedRunner(text: string): { runner: string; kind: Check['kind'] } | null {
  const words = text.slice(0, 4096).split(/[^\w.@+-]+/, 400);
  for (const [at, word] of words.entries()) {
    const pair = `${word} ${words[at + 1] ?? ''}`;
    if (
      /^(?:go|cargo|npm|yarn|pnpm|bun|dotnet|mix|swift|make|deno|gradle|mvn|rails|flutter) tests?$/.test(pair)
    )
      return { runner: pair, kind: 'test' };
    if (/^(?:npm|pnpm|yarn|bun|cargo|go) (?:run|build|lint|vet)$/.test(pair))
      return { runner: pair, kind: 'build' };
    if (/^git (?:push|commit)$/.test(pair)) return { runner: pair, kind: 'ship' };
    if (/^(?:curl|wget)$/.test(word)) return { runner: word, kind: 'http' };
    if (word.length > 2 && isRunnerName(word)) {
      const kind = kindOf(word) ?? 'run';
      return { runner: word, kind: kind === 'run' ? 'lint' : kind };
    }
  }
  return null;
}
