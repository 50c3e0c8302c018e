// The configurations of all runners and checkers together, and by which names their files are known.
import type { Checker, OneOf } from './runner.ts';
import { checkers, configs } from './runners.ts';

/** All words that the runners give for one member. */
export function configWords(
  member: 'scripts' | 'sections' | 'leavesOut' | 'letsThrough' | 'reaches',
): readonly string[] {
  return configs().flatMap((config) => config[member]?.split(' ') ?? []);
}

let names: RegExp | undefined;

/** Does a file of this name, in small letters, say which tests run and how? */
export function isConfigName(name: string): boolean {
  names ??= new RegExp(
    `^(?:(?:${configWords('scripts').join('|')})[.-](?:config|conf|workspace|setup|projects)\\.[a-z.]+|${configs()
      .flatMap((config) => config.names ?? [])
      .join('|')})$`,
  );
  return names.test(name);
}

let forms: readonly (readonly [RegExp, Checker])[] | undefined;

/** The checkers for which a file of this name, in small letters, says how strict they are. */
export function checkersOf(name: string): readonly Checker[] {
  forms ??= checkers().flatMap((checker) =>
    checker.names === undefined ? [] : [[new RegExp(`^(?:${checker.names})$`), checker] as const],
  );
  return forms.filter(([form]) => form.test(name)).map(([, checker]) => checker);
}

/** Configurations that may stand in one of several files. */
export function alternatives(): readonly OneOf[] {
  return [...configs(), ...checkers()].flatMap(({ oneOf }) => oneOf ?? []);
}
