// The screen at the end of `foil run` is about this session: its own verdict, and the claims that nothing proves. What is
// wrong elsewhere in the ledger is told beside it.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sessionVerdict } from '../../src/cli/run-summary.ts';
import { locate } from '../../src/ledger/index.ts';
import { readState } from '../../src/service/index.ts';
import { CODES, type Code, type Facet, type Finding, type Report } from '../../src/verify/index.ts';
import { Sandbox } from './foil.ts';

/** `says` are the last words of the stand-in for Claude Code. */
function standIn(sandbox: Sandbox, says: string, session = 'one'): void {
  const bin = join(sandbox.root, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = readFileSync(join(import.meta.dirname, 'agent.mjs'), 'utf8');
  writeFileSync(
    join(bin, 'claude'),
    script.replace("'It is built.'", JSON.stringify(says)).replace('host-session', session),
  );
  chmodSync(join(bin, 'claude'), 0o755);
  // A script without an extension is an ES module only by its package.
  copyFileSync(join(import.meta.dirname, '../../package.json'), join(bin, 'package.json'));
  sandbox.env.PATH = `${bin}:${process.env.PATH}`;
}

describe('the screen at the end of foil run', () => {
  it('names the claim that nothing proves, and is silent about those of sessions before', () => {
    const sandbox = new Sandbox();
    onTestFinished(async () => {
      await endService(sandbox);
      sandbox.remove();
    });
    standIn(sandbox, 'All tests pass.');
    const liar = sandbox.run(['run', '--', 'claude']).stderr;
    const [, claim] = /^ {2}claims +1 not proven: "All tests pass\.?" \(foil why (\d+)\)$/m.exec(liar) ?? [];
    expect(claim, liar).toBeDefined();
    expect(sandbox.run(['why', claim ?? '']).stdout).toContain('All tests pass');
    const first = verdictIn(liar);
    standIn(sandbox, 'A ledger is a list of entries.', 'two');
    const honest = sandbox.run(['run', '--', 'claude']).stderr;
    expect(honest).not.toMatch(/^ {2}claims /m);
    expect(verdictIn(honest)).toBe('INTACT');
    expect(honest).toMatch(/^recorded by foil$/m);
    expect(first).toBe('VIOLATION');
    expect(honest).toContain('INTACT for this session, VIOLATION for the whole ledger');
    // As with `claude --continue`: what it did is in the run that started it.
    const resumed = sandbox.run(['run', '--', 'claude']).stderr;
    expect(resumed).toMatch(/^recorded by foil$/m);
    expect(resumed).toMatch(/^ {2}tools +Bash 2$/m);
    expect(verdictIn(resumed)).toBe('INTACT');
    expect(sandbox.ok(['log', '--kind', 'gap'])).not.toContain('unrecorded');
  });
});

describe('the verdict of one session', () => {
  const NAMES: readonly Facet[] = [
    ...(['integrity', 'truncation', 'identity', 'time', 'sessions'] as const),
    ...(['evidence', 'receipts', 'completeness', 'authority', 'replay', 'patches'] as const),
  ];

  function report(verdict: Report['verdict'], facet: Facet, findings: Finding[], more = 0): Report {
    const facets = Object.fromEntries(
      NAMES.map((name) => {
        const status = name === facet ? 'fail' : 'pass';
        return [name, { status, message: '', findings: name === facet ? findings : [] }];
      }),
    );
    return { verdict, facets, counts: { findings: findings.length + more } } as unknown as Report;
  }

  const own = new Set([7, 8]);
  /** The first code of that facet that fails. */
  function finding(facet: Facet, seq: number): Finding {
    const [code] = Object.entries(CODES).find(([, of]) => of.facet === facet && of.level === 'fail') ?? [];
    return { code: code as Code, seq, message: '' };
  }

  it.each<[string, Report, Report['verdict']]>([
    ['a claim of another session', report('VIOLATION', 'evidence', [finding('evidence', 3)]), 'INTACT'],
    ['a claim of this session', report('VIOLATION', 'evidence', [finding('evidence', 7)]), 'VIOLATION'],
    ['another session’s chain', report('BROKEN', 'sessions', [finding('sessions', 3)]), 'INTACT'],
    ['this session’s chain', report('BROKEN', 'sessions', [finding('sessions', 8)]), 'BROKEN'],
    ['a line that was changed anywhere', report('BROKEN', 'integrity', [finding('integrity', 3)]), 'BROKEN'],
    [
      'more findings than are listed',
      report('VIOLATION', 'evidence', [finding('evidence', 3)], 1),
      'VIOLATION',
    ],
  ])('with %s', (_, given, verdict) => {
    expect(sessionVerdict(given, own)).toBe(verdict);
  });
});

function verdictIn(screen: string): string | undefined {
  return /^ {2}record +([A-Z]+)\b/m.exec(screen)?.[1];
}

/** The service that a run started outlives it. */
async function endService(sandbox: Sandbox): Promise<void> {
  const pid = readState(locate({ cwd: sandbox.work, env: sandbox.env }).directory)?.pid;
  try {
    if (pid !== undefined)
      for (process.kill(pid, 'SIGTERM'); ; await new Promise((resolve) => setImmediate(resolve)))
        process.kill(pid, 0);
  } catch {
    // It has ended.
  }
}
