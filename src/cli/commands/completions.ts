// foil completions: what a shell needs to complete our command lines.

import { UsageError } from '../../core/index.ts';
import { suggest } from '../../report/index.ts';
import type { Command } from '../command.ts';
import { completionScript, SHELLS, type Shell } from '../completion-scripts.ts';

/** `load` gives every command, this one included. */
export function makeCompletions(load: () => Promise<readonly Command[]>): Command {
  return {
    name: 'completions',
    summary: 'print a script that lets bash, zsh or fish complete foil commands',
    usage: SHELLS.join(' | '),
    arguments: [1, 1],
    options: {},
    examples: [
      'source <(foil completions bash)      # in ~/.bashrc',
      'source <(foil completions zsh)       # in ~/.zshrc',
      'foil completions fish > ~/.config/fish/completions/foil.fish',
    ],
    async run({ arguments: [shell = ''] }) {
      if (!isShell(shell))
        throw new UsageError(`Unknown shell "${shell}". Use bash, zsh or fish${suggest(shell, [...SHELLS])}`);
      const script = completionScript(shell, await load());
      return { text: script, json: { shell, script } };
    },
  };
}

function isShell(word: string): word is Shell {
  return (SHELLS as readonly string[]).includes(word);
}
