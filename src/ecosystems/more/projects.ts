// Projects that are tested, built and run by one program: `stack test`, `cabal build`, `forge test`.
import { type Found, firstBare, own, type Reader, readOptions } from '../tool.ts';

/** `x test`, `x build`, `x run` of stack, cabal, dune and the like; bare words are packages. */
export const project =
  (name: string, more: Readonly<Record<string, Found['kind']>> = {}): Reader =>
  (args) => {
    const kinds: Readonly<Record<string, Found['kind']>> = {
      test: 'test',
      build: 'build',
      run: 'run',
      bench: 'run',
      ...more,
    };
    const at = firstBare({}, args);
    const kind = own(kinds, args[at] ?? '');
    if (kind === undefined) return null;
    return readOptions(
      {
        kind,
        runner: `${name} ${args[at]}`,
        bare: 'packages',
        values: '--test-arguments --ta --test-option --profile',
        selectors: '--match --match-contract --match-test --mc --mt',
        targets: '--match-path --mp',
        excludes: '--no-match-contract --no-match-test --no-match-path',
        dry: '--no-run-tests --list -l',
      },
      args.slice(at + 1),
    );
  };
