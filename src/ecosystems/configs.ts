// The configurations of all runners and checkers together, and by which names their files are known.
import type { Checker, OneOf } from './runner.ts';
import { checkers, configs, once } from './runners.ts';

/** All words that the runners give for one member. */
export function configWords(
  member: 'scripts' | 'sections' | 'leavesOut' | 'letsThrough' | 'reaches',
): readonly string[] {
  return configs().flatMap((config) => config[member]?.split(' ') ?? []);
}

const names = once(() => {
  const scripts = `(?:${configWords('scripts').join('|')})[.-](?:config|conf|workspace|setup|projects)\\.[a-z.]+`;
  return new RegExp(`^(?:${[scripts, ...configs().flatMap((config) => config.names ?? [])].join('|')})$`);
});

/** Does a file of this name, in small letters, say which tests run and how? */
export function isConfigName(name: string): boolean {
  return names().test(name);
}

const forms = once(() =>
  checkers().map((checker) => [new RegExp(`^(?:${checker.names ?? '(?!)'})$`), checker] as const),
);

/** The checkers for which a file of this name, in small letters, says how strict they are. */
export function checkersOf(name: string): readonly Checker[] {
  return forms().flatMap(([form, checker]) => (form.test(name) ? [checker] : []));
}

/** Configurations that may stand in one of several files. */
export function alternatives(): readonly OneOf[] {
  return [...configs(), ...checkers()].flatMap(({ oneOf }) => oneOf ?? []);
}
