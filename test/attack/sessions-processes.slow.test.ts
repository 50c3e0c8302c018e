// One session that many processes write to at once, as real ones do: programs, hooks of two hosts, somebody who ends it by
// hand; some are killed in the middle. Whatever was in whose memory then, the verdict does not cry wolf, the audit
// neither, and the git repository that follows from it agrees.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from '../../src/verify/index.ts';
import { real } from '../anchor/blocks/servers.ts';
import { ends, FOIL, prints, Sandbox } from '../cli/foil.ts';

const PACKAGE = join(import.meta.dirname, '../../dist/index.js');
const TALKER = join(import.meta.dirname, 'talker.mjs');

let sandbox: Sandbox;
let children: ChildProcessWithoutNullStreams[] = [];
beforeEach(() => {
  sandbox = new Sandbox();
  sandbox.ledger();
  const file = sandbox.path('headers.json');
  writeFileSync(file, JSON.stringify([real(900_001)]));
  sandbox.write('counterfoil.yaml', `anchor:\n  git: true\n  blocks:\n    - file: ${file}\n`);
  sandbox.ok(['anchor', 'accept']);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  sandbox.remove();
});

function start(
  command: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [command, ...words], {
    cwd: sandbox.work,
    env: { ...sandbox.env, ...env },
  });
  child.stdin.on('error', () => undefined);
  children.push(child);
  return child;
}

const claude = (session: string, event: string, more: object): [string, string] => [
  'claude-code',
  JSON.stringify({ session_id: session, cwd: sandbox.work, hook_event_name: event, ...more }),
];
const gemini = (session: string, event: string, more: object): [string, string] => [
  'gemini',
  JSON.stringify({
    session_id: session,
    cwd: sandbox.work,
    hook_event_name: event,
    timestamp: '2026-11-15T10:00:00Z',
    ...more,
  }),
];

function hook([agent, input]: [string, string], env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const child = start(FOIL, ['hook', agent], env);
  child.stdin.end(input);
  return child;
}

function verified(): Report {
  const { stdout, code } = sandbox.run(['verify', '--json']);
  const report = JSON.parse(stdout) as Report;
  const findings = [...report.facets.sessions.findings, ...report.facets.time.findings];
  const told = findings.map(({ code: name, message }) => `${name} ${message}`).join('\n');
  expect(report.facets.sessions.status, told).not.toBe('fail');
  expect(report.facets.time.status, told).not.toBe('fail');
  expect(code, report.sentence).not.toBe(4);
  return report;
}

function audited(session: string): string {
  const { stdout, code } = sandbox.run(['audit', 'session', session]);
  expect(stdout).toContain('Chain integrity: VALID');
  expect(stdout).not.toMatch(/^Wrong: /m);
  expect(code).toBe(0);
  return stdout;
}

describe('one session that many write to', () => {
  it.each(['sdk', 'hook:claude-code'])(
    'G4 survives kills at any moment (%s counts)',
    async (source) => {
      const { session, ledger } =
        source === 'sdk'
          ? (sandbox.json(['session', 'start']) as { session: string; ledger: string })
          : { session: '', ledger: '' };
      const env = source === 'sdk' ? { FOIL_SESSION: session, FOIL_LEDGER: ledger } : {};
      const talkers =
        source === 'sdk' ? ['a', 'b', 'c'].map((name) => start(TALKER, [PACKAGE, name], env)) : [];
      await Promise.all(talkers.map((talker) => prints(talker, /ready/)));
      for (let round = 0; round < 4; round++) {
        const hooks = [
          hook(claude('one', 'UserPromptSubmit', { prompt: `do ${round}` }), env),
          hook(
            claude('one', 'Stop', { stop_hook_active: false, last_assistant_message: `Did ${round}.` }),
            env,
          ),
          hook(gemini('two', 'BeforeAgent', { prompt: `and ${round}` }), env),
          hook(
            gemini('two', 'AfterAgent', { prompt: `and ${round}`, prompt_response: `That too, ${round}.` }),
            env,
          ),
        ];
        if (round > 0) {
          const victim = hooks[round % hooks.length];
          const killed = victim?.kill('SIGKILL');
          expect(killed).toBeDefined();
        }
        await Promise.all(hooks.map(ends));
        if (round < 2) talkers[round]?.kill('SIGKILL');
      }
      if (source === 'sdk') {
        sandbox.ok(['session', 'end', session]); // while one still talks
        const last = talkers.at(-1) as ChildProcessWithoutNullStreams;
        const ended = ends(last);
        last.kill('SIGTERM');
        await ended;
      } else {
        await ends(hook(claude('one', 'SessionEnd', { reason: 'exit' }), env));
        await ends(
          hook(claude('one', 'Stop', { stop_hook_active: false, last_assistant_message: 'Late.' }), env),
        );
      }
      const report = verified();
      expect(report.counts.interactions).toBeGreaterThan(3);
      sandbox.ok(['anchor', 'git']);
      verified();
      const { sessions } = sandbox.json(['session', 'list']) as { sessions: { id: string }[] };
      for (const { id } of sessions) expect(audited(id)).toMatch(/^Git: agrees/m);
    },
    180_000,
  );
});
