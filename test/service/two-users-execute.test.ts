// Locked, with two real users: the agent's asks over the socket that its tests be run again, and the service runs them in
// a sandbox of its own user's namespaces. What it runs is the agent's code, and must not become the service's.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyDirectory } from '../../src/entry/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { FOIL } from '../cli/foil.ts';
import { makePackage } from '../e2e/working-agent.ts';
import { parseLines } from '../read-log.ts';
import {
  AGENT,
  asAgent,
  asFoil,
  become,
  CLIENTS,
  locked,
  type Place,
  SERVICE,
  serve,
} from './locked-place.ts';

const BWRAP = spawnSync(
  'bwrap',
  ['--unshare-all', '--unshare-user', '--ro-bind', '/', '/', '--proc', '/proc', 'true'],
  {
    ...SERVICE,
  },
);
const why =
  process.getuid?.() !== 0
    ? 'it needs root, to be both users'
    : BWRAP.status !== 0
      ? 'bubblewrap does not work here without root'
      : null;

const POST = `
  const [socketPath, path, body] = process.argv.slice(1);
  const request = require('node:http').request({ socketPath, method: 'POST', path, headers: { 'content-type': 'application/json' } }, (response) => {
    let text = '';
    response.on('data', (piece) => { text += piece; }).on('end', () => console.log(JSON.stringify({ status: response.statusCode, body: JSON.parse(text) })));
  });
  request.end(body);`;

interface Asked {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const ask = (place: Place, body: object = {}): Asked =>
  asAgent(POST, [place.socket, '/v1/validate', JSON.stringify(body)]) as Asked;

function hook(place: Place, cwd: string, name: string, members: object): void {
  const words = [
    'hook',
    'claude-code',
    '--mode',
    'locked',
    '--socket',
    place.socket,
    '--ledger',
    place.ledger,
  ];
  const input = { session_id: 's-1', transcript_path: '/nowhere', cwd, hook_event_name: name, ...members };
  const { status, stderr } = spawnSync(
    process.execPath,
    [...become(AGENT, asFoil, [CLIENTS]), '--', ...words],
    {
      input: JSON.stringify(input),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: '/' },
    },
  );
  if (status !== 0) throw new Error(stderr);
}

/** The agent's own project, and a session in it that claims that all tests pass. */
function claim(place: Place, work = join(place.base, 'work'), test?: string): string {
  if (work === join(place.base, 'work')) {
    mkdirSync(work);
    makePackage(work);
    writeFileSync(join(work, 'src/sum.js'), 'export const sum = (a, b) => a + b;\n');
    if (test !== undefined) writeFileSync(join(work, 'test/sum.test.js'), test);
    spawnSync('chown', ['-R', `${AGENT.uid}:${AGENT.gid}`, work]);
  }
  hook(place, work, 'SessionStart', { source: 'startup' });
  hook(place, work, 'UserPromptSubmit', { prompt: 'Fix `src/sum.js`: it subtracts' });
  const edit = {
    tool_name: 'Edit',
    tool_use_id: 'toolu_1',
    tool_input: { file_path: join(work, 'src/sum.js'), old_string: 'a', new_string: 'b' },
  };
  hook(place, work, 'PreToolUse', edit);
  hook(place, work, 'PostToolUse', { ...edit, tool_response: {} });
  hook(place, work, 'Stop', {
    stop_hook_active: false,
    last_assistant_message: 'Fixed `sum`. All tests pass.',
  });
  return work;
}

function entries(place: Place): Entry[] {
  const folder = join(place.ledger, 'ledger');
  return readdirSync(folder)
    .sort()
    .flatMap((name) => parseLines(readFileSync(join(folder, name))));
}

describe('locked, a check run again as two users', () => {
  it('is tested here, or it is said why not', ({ skip }) => {
    if (why !== null) skip(`passed over: ${why}`);
    expect(FOIL).toMatch(/foil/);
  });

  describe.skipIf(why !== null)('where it can be', () => {
    it("B5c the agent's user asks, the service runs and signs, and it verifies", async () => {
      const place = locked();
      const service = await serve(place);
      claim(place);
      const { status, body } = ask(place, { validator: 'test_pass' });
      expect([status, body]).toMatchObject([
        200,
        { outcome: 'pass', sandbox: 'bubblewrap', command: 'npm test' },
      ]);
      service.process.kill('SIGTERM');
      await service.ended;
      const validation = entries(place).at(-1);
      expect(validation).toMatchObject({
        kind: 'validation',
        source: 'service',
        payload: { grade: 're-executed' },
      });
      const { facets } = await verifyDirectory(place.ledger, { threads: 0 });
      expect(Object.values(facets).flatMap(({ findings }) => findings.map(({ code }) => code))).not.toContain(
        'VALIDATION_WRONG',
      );
    });

    it('B5c what it runs finds neither ledger, key, token nor socket, and has no user of its own outside', async () => {
      const place = locked();
      await serve(place);
      const config = place.env.XDG_CONFIG_HOME ?? '';
      const paths = [place.ledger, config, join(place.base, 'state'), place.socket, join(place.base, 'run')];
      const test = `
        import assert from 'node:assert';
        import { existsSync } from 'node:fs';
        import { test } from 'node:test';
        test('sees nothing', () => { assert.deepEqual(${JSON.stringify(paths)}.filter((path) => existsSync(path)), []); });`;
      claim(place, undefined, test);
      expect(ask(place).body).toMatchObject({ tests: { passed: 1, failed: 0 } });
    });

    it('B5c a session that says it works in the ledger, or links to it, gets nothing of it', async () => {
      const place = locked();
      await serve(place);
      claim(place, place.ledger);
      expect(ask(place).body).toMatchObject({ outcome: 'refused' });
      const other = join(place.base, 'other');
      mkdirSync(other);
      chownSync(other, AGENT.uid, AGENT.gid);
      chmodSync(other, 0o755);
      symlinkSync(place.ledger, join(other, 'link'));
      claim(place, other);
      const { body } = ask(place, { command: 'npm test' });
      expect(body.outcome).not.toBe('pass');
      expect(JSON.stringify(body)).not.toContain('ledger.open');
    });
  });
});
