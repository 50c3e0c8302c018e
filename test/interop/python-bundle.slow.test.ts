// The vectors of bundles, packs and receipts against spec/interop/python, which was written from the specification and
// shares no code with ours.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { utf8Decode, utf8Encode } from '#platform';
import { canonicalize } from '../../src/core/index.ts';
import { BUNDLE_PARTS, parseBundle } from '../../src/format/index.ts';
import { deniedByClaude } from '../../src/harness/denied-by-claude.ts';
import { judgeTool } from '../../src/policy/index.ts';
import { Sandbox } from '../cli/foil.ts';
import { resigned } from '../cli/resigned-bundle.ts';
import { EVERYDAY, ROOT } from '../policy/everyday-calls.ts';
import { DENIED, UNKNOWN } from '../policy/ways-around.ts';
import { sandboxProblem } from '../runtime/replayed.ts';
import { endedRun } from '../runtime/run-ledger.ts';

/** Judges each line as a call of Bash. */
const JUDGES = `
import json, sys
from pack import judge_call
given = json.load(open(sys.argv[1]))
payload = {'tool': 'Bash', 'cwd': given['root'], 'workspace_root': given['root'], 'paths': []}
print(json.dumps([judge_call(([], given['rules']), payload, [{'command': line}], True) for line in given['lines']]))
`;

const spec = join(import.meta.dirname, '../../spec');
const python = join(spec, 'interop/python');
const missing = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status !== 0;

interface Case {
  name: string;
  file: string;
  expect: { verdict: string; tier: string; codes: string[] };
  trust: object;
}

describe.skipIf(missing)(
  missing ? 'Python: skipped, python3 (3.9 or newer) is not installed' : 'Python',
  () => {
    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'counterfoil-python-'));
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    function run(...args: string[]): { status: number | null; output: string } {
      const { status, stdout, stderr } = spawnSync('python3', args, {
        cwd: python,
        encoding: 'utf8',
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
      });
      return { status, output: stdout + stderr };
    }

    function cases(): Case[] {
      return JSON.parse(readFileSync(join(spec, 'vectors/bundle/cases.json'), 'utf8')) as Case[];
    }

    it('agrees on every vector', () => {
      const { status, output } = run('check_vectors.py');
      expect(output).toContain(`bundles: ${cases().length} vectors\n`);
      expect(output).toContain('agreed on all of them');
      expect(status).toBe(0);
    }, 300_000);

    it('C9 never says that a rule is kept where ours does not, and denies nothing that ours allows', () => {
      const policy = deniedByClaude({
        permissions: {
          deny: ['Bash(curl:*)', 'Bash(rm -rf:*)', 'Read(.env)', 'Read(./secrets/**)', 'Bash(git push:*)'],
        },
      });
      const everyday = EVERYDAY.flatMap(({ tool, args }) =>
        tool === 'Bash' ? [(args as { command: string }).command] : [],
      );
      const lines = [...UNKNOWN, ...DENIED, ...everyday];
      const rules = policy.arguments.map(({ tool, ...rule }) => [tool, ...(Object.entries(rule)[0] ?? [])]);
      const file = join(directory, 'lines.json');
      writeFileSync(file, JSON.stringify({ rules, lines, root: ROOT }));
      const { output } = run('-c', JUDGES, file);
      const theirs = JSON.parse(output) as (string | null)[];
      const ours = lines.map((command) => {
        const call = { args: { command }, named: { paths: [], root: ROOT }, cwd: ROOT };
        return judgeTool(policy, 'Bash', call).allowed;
      });
      const tooKind = lines.filter((_, i) => theirs[i] === null && ours[i] !== true);
      const tooHard = lines.filter((_, i) => theirs[i] === 'TOOL_DENIED' && ours[i] !== false);
      expect([tooKind, tooHard]).toEqual([[], []]);
      expect(theirs.filter((each) => each === null).length).toBeGreaterThan(5);
    });

    it('says so where it disagrees', () => {
      const vectors = join(directory, 'vectors');
      for (const name of [
        'blake3.json',
        'bundle',
        'pack',
        'gateway-receipts.json',
        'gateway-closings.json',
      ]) {
        cpSync(join(spec, 'vectors', name), join(vectors, name), { recursive: true });
      }
      const [first, ...others] = cases();
      const wrong = { ...first, expect: { verdict: 'FAIL', tier: 'self', codes: ['NOT_IN_TREE'] } };
      writeFileSync(join(vectors, 'bundle/cases.json'), JSON.stringify([wrong, ...others.slice(0, 2)]));
      const { status, output } = run('check_vectors.py', vectors);
      expect(output).toContain(
        `bundles: ${first?.name}: expected ['FAIL', 'self', 'NOT_IN_TREE'], found ['PASS', 'self']`,
      );
      expect(status).toBe(1);
    }, 300_000);

    it.skipIf(sandboxProblem !== null)(
      'O11 makes the certificate of a run again, with every hash',
      async () => {
        const sandbox = new Sandbox();
        onTestFinished(() => sandbox.remove());
        const { place, run: id } = await endedRun({ times: 2, send: 'example.com', end: true });
        const at = ['--ledger', place.directory];
        const certified = (name: string, ...more: string[]): string => {
          sandbox.ok(['certify', id, '--output', name, ...at, ...more]);
          return join(sandbox.work, name);
        };
        const [key] = sandbox.json(['key', 'list', ...at]) as { vkey: string }[];
        const trust = join(directory, 'run-trust.json');
        writeFileSync(trust, JSON.stringify({ keys: [key?.vkey] }));
        const said = (file: string): string => run('verify_bundle.py', file, '--trust', trust).output;
        const whole = certified('run.bundle');
        expect(said(whole)).toBe('PASS self\n');
        expect(said(certified('open.bundle', '--without-replay'))).toBe('UNKNOWN self RUN_NOT_REPLAYED\n');
        const { parts } = parseBundle(readFileSync(whole));
        const certificate = JSON.parse(utf8Decode(parts.get(BUNDLE_PARTS.certificate) ?? new Uint8Array()));
        const changed = async (part: string, bytes: Uint8Array | null): Promise<string> => {
          const file = join(directory, 'changed.bundle');
          writeFileSync(file, await resigned(place, parseBundle(readFileSync(whole)), part, bytes));
          return said(file);
        };
        for (const [members, code] of [
          [{ events: certificate.events + 1 }, 'CERTIFICATE_WRONG'],
          [{ determinism: { ...certificate.determinism, replay_id: '0'.repeat(64) } }, 'CERTIFICATE_WRONG'],
          [{ hash_key: '0'.repeat(64) }, 'RUN_PAYLOAD_HASH'],
        ] as const) {
          const part = utf8Encode(canonicalize({ ...certificate, ...members }));
          expect(await changed(BUNDLE_PARTS.certificate, part)).toBe(`FAIL self ${code}\n`);
        }
        const uncertified = 'UNKNOWN self RUN_PAYLOAD_UNKNOWN RUN_NOT_REPLAYED\n';
        expect(await changed(BUNDLE_PARTS.certificate, null)).toBe(uncertified);
        const code = `content/sha256-${certificate.determinism.code}`;
        expect(await changed(code, null)).toBe('UNKNOWN self RUN_NOT_REPLAYED\n');
      },
      120_000,
    );

    it('verifies one file, and never raises on bytes that are no bundle', () => {
      const [first] = cases();
      const trust = join(directory, 'trust.json');
      writeFileSync(trust, JSON.stringify(first?.trust));
      const file = join(spec, 'vectors/bundle', first?.file ?? '');
      expect(run('verify_bundle.py', file, '--trust', trust)).toEqual({ status: 0, output: 'PASS self\n' });
      const data = readFileSync(file);
      const broken = join(directory, 'broken.bundle');
      for (const bytes of [
        Buffer.alloc(0),
        data.subarray(0, 700),
        Buffer.alloc(2048),
        Buffer.from('[{'.repeat(9000)),
      ]) {
        writeFileSync(broken, bytes);
        expect(run('verify_bundle.py', broken, '--trust', trust)).toEqual({
          status: 4,
          output: 'FAIL self BUNDLE_MALFORMED\n',
        });
      }
    }, 120_000);
  },
);
