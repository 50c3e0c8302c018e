// The configurations of all runners together, and by which names their files are known.
import { configs } from './runners.ts';

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
