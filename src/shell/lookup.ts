// What variables, and commands inside words, stand for while a line is read.
import type { State } from './shell-state.ts';
import type { Frame, Walk } from './walk.ts';
import type { Lookup } from './words.ts';

export function lookup(walk: Walk, state: State, at: Frame): Lookup {
  return {
    variable: (name) => state.variables.get(name)?.text ?? (name === 'PWD' ? state.cwd : null),
    output: (text) =>
      newFolder(walk, text, state) ??
      (/^(?:\$\(|`)\s*git rev-parse --show-toplevel(?:\s+2>\/dev\/null)?\s*[)`]$/.test(text)
        ? walk.where.root
        : /^(?:\$\(|`)\s*pwd\s*[)`]$/.test(text)
          ? state.cwd
          : (/^(?:\$\(|`)\s*(?:echo|printf|realpath|readlink -f)\s+(["']?)([\w./~-]+)\1\s*[)`]$/.exec(
              text,
            )?.[2] ?? null)),
    given: state.given ?? at.given,
  };
}

/** `$(mktemp -d)`: a name that nothing else has. */
function newFolder({ guesses }: Walk, text: string, { variables }: State): string | null {
  if (!guesses || !/^(?:\$\(|`)\s*mktemp (?:-d|--directory)(?: -t [\w.-]+)?\s*[)`]$/.test(text)) return null;
  const folder = variables.has('TMPDIR') ? (variables.get('TMPDIR')?.text ?? null) : '/tmp';
  return folder === null ? null : `${folder}/new-folder-of-mktemp`;
}
