// Git is started in one place (src/gate/git-door.ts), and whoever starts programs is known by name: another file that
// did could start git without the words that keep a repository's configuration from running something.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../src');
const DEMO = '../examples/demo/';
const DOOR = 'gate/git-door.ts';

/** Each starts what its user named, ourselves, or a shell that is told what to do by the door's words. */
const STARTERS: Readonly<Record<string, string>> = {
  [DOOR]: 'git',
  'gate/git-shell.ts': 'a shell, for the door',
  'capture/hooks/opencode-plugin.ts': 'foil, from within the host',
  'capture/mcp/stdio.ts': "the user's MCP server",
  'cli/run-process.ts': "the user's command",
  'cli/commands/view.ts': "the user's browser",
  'cli/compile-start.ts': 'foil',
  [`${DEMO}gating.ts`]: "the demo's agent",
  [`${DEMO}index.ts`]: 'foil',
  [`${DEMO}stage.ts`]: 'foil',
  [`${DEMO}wires.ts`]: "the demo's servers",
  'cli/doctor/machine.ts': 'foil',
  'cli/fork-run.ts': 'foil, to run the agent of a fork',
  'cli/mcp-wrap.ts': "the user's MCP server",
  'cli/pager.ts': "the reader's pager",
  'app/replay/replayed-agent.ts': 'the agent of a session, from within the sandbox',
  'sandbox/bubblewrap/folder-run.ts': 'bubblewrap, for its version',
  'sandbox/contained-process.ts': 'a check, contained',
  'sandbox/system-programs.ts': 'a sandbox, to see whether it works',
  'service/revive.ts': 'foil',
  'view/ledger-index.ts': 'foil, to build the index of the viewer',
  'session/process-ancestry.ts': 'ps, where there is no /proc',
};

const named = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}${name}`);
const sources = [...named(''), ...named(DEMO)]
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));

it('programs are started only by the files that are listed here', () => {
  const found = sources
    .filter(({ text }) =>
      /(?<!import type \{[^}]*\} from )['"](?:node:)?child_process['"]/.test(
        text.replace(/import type .*\n/g, ''),
      ),
    )
    .map(({ name }) => name)
    .sort();
  expect(found).toEqual(Object.keys(STARTERS).sort());
});

it('none of them but the door names git as a program', () => {
  const naming = sources
    .filter(({ name, text }) => name in STARTERS && name !== DOOR && /['"`]git(?:\.exe)?['"`]/.test(text))
    .map(({ name }) => name);
  expect(naming).toEqual([]);
  // Nor does a file hand such words to one that starts them.
  const words = sources.filter(({ text }) =>
    /(?:runProgram|spawn\w*|execFile\w*)\(\s*\[?\s*['"`]git/.test(text),
  );
  expect(words.map(({ name }) => name)).toEqual([]);
});
