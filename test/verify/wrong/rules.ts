// Calls under rules about files and hosts, and under one that nobody can judge.
import type { Json } from '../../../src/core/index.ts';
import type { Runs } from '../bundle-maker.ts';
import { type BundleCase, FILES_RULED, failing, made, unknown } from '../make-bundles.ts';

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
      'rule-not-judged',
      'The run called a tool for which the pack has a rule that nobody can judge.',
      unsure,
      (runs) => void runs.tool('Write', { file_path: '/work/x' }),
    ),
  ];
}
