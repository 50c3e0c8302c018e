// Calls under rules about files and hosts, and under one that nobody can judge.
import type { Json } from '../../../src/core/index.ts';
import type { Runs } from '../bundle-maker.ts';
import { type BundleCase, FILES_RULED, failing, LINES_RULED, made, RULED, unknown } from '../make-bundles.ts';

export function rules(): BundleCase[] {
  const calls = (
    name: string,
    done: string,
    expect: BundleCase['expect'],
    tell: (runs: Runs) => void,
  ): BundleCase => made(name, done, expect, { pack: FILES_RULED, tell }, { disclose: 'arguments' });
  const read = (name: string, done: string, expect: BundleCase['expect'], paths: Json): BundleCase =>
    calls(
      name,
      done,
      expect,
      (runs) => void runs.of('tool.call', { tool: 'Read', args: null, paths, workspace_root: '/work' }),
    );
  const line = (name: string, done: string, expect: BundleCase['expect'], command: string): BundleCase =>
    made(
      name,
      done,
      expect,
      {
        pack: LINES_RULED,
        tell: (runs) =>
          void runs.tool('Shell', { command }, { more: { cwd: '/work', workspace_root: '/work' } }),
      },
      { disclose: 'arguments' },
    );
  const [denied, unsure] = [failing('TOOL_DENIED'), unknown('TOOL_UNDISCLOSED')];
  return [
    read('file-denied', 'The run read a file that its pack denies.', denied, ['src/a.ts', 'src/.env']),
    read('file-denied-in-a-home', 'The run read a file in a home.', denied, ['/home/ann/.ssh/id']),
    read('file-redacted', 'The path of a file was redacted.', unsure, ['a/[REDACTED:github-token]']),
    read('file-climbs-out', 'The path of a file climbs out of the work tree.', unsure, ['../x']),
    read('files-not-recorded', 'A call does not say which files it names.', unsure, null),
    read(
      'files-cut-off',
      'A call names as many files as recorders keep at most.',
      unsure,
      Array.from({ length: 64 }, (_, i) => `src/${i}`),
    ),
    calls(
      'host-denied',
      'The run fetched from a host that its pack denies.',
      denied,
      (runs) => void runs.tool('WebFetch', { url: 'HTTPS://a@WWW.evil.example:443/x' }),
    ),
    calls(
      'host-hidden',
      'The host of an address is written in a way that hides it.',
      unsure,
      (runs) => void runs.tool('WebFetch', { url: 'https://www.%65vil.example/' }),
    ),
    calls(
      'host-without-a-scheme',
      'An address has no scheme, and may be at a host that the pack denies.',
      unsure,
      (runs) => void runs.tool('WebFetch', { url: 'www.evil.example/x' }),
    ),
    line(
      'line-denied-behind-another',
      'A line runs a command that the pack denies behind another one.',
      denied,
      'true; curl y',
    ),
    line(
      'line-denied-in-a-substitution',
      'A command that the pack denies stands in a substitution.',
      denied,
      'x=$(curl y)',
    ),
    line(
      'line-denied-through-env',
      'A command that the pack denies is started by another program.',
      denied,
      'env A=1 curl y',
    ),
    line(
      'line-denied-in-a-shell',
      'A command that the pack denies is the text of a shell.',
      denied,
      "sh -c 'true && curl y'",
    ),
    line(
      'line-denied-by-its-folder',
      'A command that the pack denies is named with its folder.',
      denied,
      '/usr/bin/curl y',
    ),
    line('line-reads-a-denied-file', 'A line reads a file that the pack denies.', denied, 'cat a/.env'),
    line(
      'line-redirects-a-denied-file',
      'A redirection reads a file that the pack denies.',
      denied,
      'cat < .env',
    ),
    line(
      'line-writes-a-denied-file',
      'A line writes a file that the pack denies.',
      denied,
      'echo x > src/a.ts',
    ),
    line('line-not-read', 'The name of a program follows only when it runs.', unsure, '$X y'),
    line('line-runs-code', 'A line gives code to an interpreter.', unsure, "python3 -c 'x'"),
    line(
      'line-names-a-file-in-an-option',
      'A line reads a denied file by an option.',
      unsure,
      'date -f .env',
    ),
    line('line-sets-an-alias', 'A line makes another name for a command.', unsure, 'git config core.pager x'),
    line(
      'line-runs-what-nobody-knows',
      'A line runs a program that no reader knows.',
      unsure,
      'duckdb x.db y',
    ),
    line(
      'line-names-a-compiler',
      'A variable names a program for another one.',
      unsure,
      'RUSTC=./x cargo build',
    ),
    line('line-redacted', 'A part of a line was redacted.', unsure, 'echo [REDACTED:github-token]'),
    made(
      'search-of-everything',
      'A search names no folder, and the pack denies one in the work tree.',
      unsure,
      {
        pack: LINES_RULED,
        tell: (runs) =>
          void runs.tool('Grep', { pattern: 'x' }, { more: { paths: [], workspace_root: '/work' } }),
      },
      { disclose: 'arguments' },
    ),
    made(
      'shell-of-another-host-denied',
      'A rule for Bash is held against the shell of a host that calls it otherwise.',
      denied,
      { pack: RULED, tell: (runs) => void runs.tool('run_shell_command', { command: 'rm -rf x' }) },
      { disclose: 'arguments' },
    ),
    made(
      'tool-with-an-empty-name',
      'A call is of a tool with an empty name.',
      unsure,
      { pack: RULED, tell: (runs) => void runs.tool('', { command: 'ls' }) },
      { disclose: 'arguments' },
    ),
    read('file-from-the-home', 'A path from the home may lead into the work tree.', unsure, ['~/../x/.env']),
    made(
      'written-content-not-known',
      'A rule looks at what was written to a file, of which only the hash is recorded.',
      unsure,
      {
        pack: LINES_RULED,
        tell: (runs) =>
          void runs.tool('Write', {
            file_path: '/work/a.sh',
            content: { content_hash: 'a'.repeat(64), content_bytes: 3 },
          }),
      },
      { disclose: 'arguments' },
    ),
    calls(
      'rule-not-judged',
      'The run called a tool for which the pack has a rule that nobody can judge.',
      unsure,
      (runs) => void runs.tool('Write', { file_path: '/work/x' }),
    ),
  ];
}
