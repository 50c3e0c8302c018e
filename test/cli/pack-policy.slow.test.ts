// C9 as people use it: an agent runs under a pack whose settings deny something, the run goes into a bundle, and another
// home verifies it. The agent is a script that tells the hooks what a real one would tell them.
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FOIL, Sandbox } from './foil.ts';

let [owner, reader] = [new Sandbox(), new Sandbox()];

beforeEach(() => {
  [owner, reader] = [new Sandbox(), new Sandbox()];
  const { vkey } = owner.json(['init']) as { vkey: string };
  mkdirSync(join(reader.root, 'config/counterfoil'), { recursive: true });
  writeFileSync(join(reader.root, 'config/counterfoil/trust.yaml'), JSON.stringify({ ledgers: [{ vkey }] }));
  for (const folder of ['.claude', 'src']) mkdirSync(join(owner.work, folder));
  owner.write('AGENTS.md', 'Be brief.\n');
  owner.write('.claude/settings.json', JSON.stringify({ permissions: { deny: DENIED } }));
  owner.write('.env', 'A=1\n');
  owner.write('src/a.ts', 'export {};\n');
  symlinkSync('.env', join(owner.work, 'notes'));
});
afterEach(() => {
  owner.remove();
  reader.remove();
});

const DENIED = ['Bash(curl:*)', 'Read(./.env)', 'Edit(src/**)', 'WebFetch', 'mcp__far'];

/** Makes the calls under the pack. Gives the verdict of another home, and what it found. */
function verdictOf(calls: readonly (readonly [string, object])[]): { verdict: string; codes: string[] } {
  const told = calls.flatMap(([tool_name, tool_input], i) => {
    const call = { session_id: 's', transcript_path: '', cwd: owner.work, tool_name, tool_input };
    const id = { tool_use_id: `t${i}` };
    const response = { stdout: '', stderr: '', interrupted: false, isImage: false };
    return [
      { ...call, ...id, hook_event_name: 'PreToolUse' },
      { ...call, ...id, hook_event_name: 'PostToolUse', tool_response: response },
    ];
  });
  const events = [
    {
      session_id: 's',
      transcript_path: '',
      cwd: owner.work,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'go',
    },
    ...told,
  ];
  const lines = events.map((event, i) => {
    writeFileSync(join(owner.root, `event${i}.json`), JSON.stringify(event));
    return `"${process.execPath}" "${FOIL}" hook claude-code < "${join(owner.root, `event${i}.json`)}" > /dev/null`;
  });
  writeFileSync(join(owner.root, 'agent.sh'), `set -e\n${lines.join('\n')}\n`);
  expect(owner.run(['run', '--pack', '.', '--', 'sh', join(owner.root, 'agent.sh')]).code).toBe(0);
  owner.ok(['bundle', 'create', '--out', '../run.bundle']);
  copyFileSync(join(owner.root, 'run.bundle'), reader.path('run.bundle'));
  const { stdout } = reader.run(['verify', 'run.bundle']);
  return {
    verdict: stdout.split(' ')[0] ?? '',
    codes: [...new Set(stdout.match(/TOOL_[A-Z]+/g) ?? [])],
  };
}

it('C9 a run that keeps to the settings of its pack passes', () => {
  expect(
    verdictOf([
      ['Bash', { command: 'ls src && cat src/a.ts' }],
      ['Bash', { command: 'npm test; echo curl' }],
      ['Read', { file_path: join(owner.work, 'src/a.ts') }],
      ['Bash', { command: `git commit -m "$(cat <<'EOF'\nNo more curl x\nEOF\n)"` }],
      ['Monitor', { command: 'tail -f server.log', description: 'log' }],
      ['Grep', { pattern: 'x', path: join(owner.work, 'src') }],
      ['Grep', { pattern: 'x' }],
      ['Glob', { pattern: join(owner.work, '**/*.ts') }],
      ['Write', { file_path: join(owner.work, 'b.ts'), content: 'curl y' }],
    ]),
  ).toEqual({ verdict: 'PASS', codes: [] });
});

it.each<[string, string, readonly [string, object]]>([
  ['FAIL', 'TOOL_DENIED', ['WebFetch', { url: 'https://a.example' }]],
  ['FAIL', 'TOOL_DENIED', ['mcp__far__get', {}]],
  ['FAIL', 'TOOL_DENIED', ['Bash', { command: 'true; curl y' }]],
  ['FAIL', 'TOOL_DENIED', ['Bash', { command: "sh -c 'x=$(curl y)'" }]],
  ['FAIL', 'TOOL_DENIED', ['Bash', { command: 'cat .env' }]],
  ['FAIL', 'TOOL_DENIED', ['Bash', { command: 'echo x > src/a.ts' }]],
  ['FAIL', 'TOOL_DENIED', ['Read', { file_path: 'notes' }]],
  ['FAIL', 'TOOL_DENIED', ['Read', { file_path: './src/../.env' }]],
  ['FAIL', 'TOOL_DENIED', ['Write', { file_path: 'src/a.ts', content: 'x' }]],
  ['UNKNOWN', 'TOOL_UNDISCLOSED', ['Bash', { command: 'cat notes' }]],
  ['UNKNOWN', 'TOOL_UNDISCLOSED', ['Bash', { command: 'eval "$X"' }]],
  ['UNKNOWN', 'TOOL_UNDISCLOSED', ['Bash', { command: "python3 -c 'x'" }]],
  ['UNKNOWN', 'TOOL_UNDISCLOSED', ['Read', { file_path: ' .env' }]],
  ['UNKNOWN', 'TOOL_UNDISCLOSED', ['Grep', { pattern: 'A', glob: '.e*' }]],
  ['FAIL', 'TOOL_DENIED', ['Monitor', { command: 'true; curl y' }]],
])('C9 %s, %s: %j', (verdict, code, call) => {
  expect(verdictOf([call])).toEqual({ verdict, codes: [code] });
});
