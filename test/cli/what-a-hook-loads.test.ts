// A hook loads what its event needs and nothing else, which is seen in the process itself: the scripts of ours that it
// read, and what of Node it loaded.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOIL, Sandbox } from './foil.ts';

const dist = dirname(FOIL);
const sandbox = new Sandbox();
afterAll(() => sandbox.remove());
let directory = '';
beforeAll(() => {
  ({ directory } = sandbox.json(['init']) as { directory: string });
});

const TELL = `const vm = require('node:vm');
const scripts = [];
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    scripts.push(require('node:path').basename(options.filename, '.script'));
  }
};
process.on('exit', () => require('node:fs').writeFileSync(process.env.TELL, JSON.stringify({
  scripts,
  modules: process.moduleLoadList.map((name) => name.replace('NativeModule ', '')),
})));
`;

interface Loaded {
  readonly scripts: readonly string[];
  readonly modules: readonly string[];
  readonly said: string;
}

function told(words: readonly string[], input = '', more: NodeJS.ProcessEnv = {}): Loaded {
  const tell = sandbox.path('told.json');
  const said = execFileSync(process.execPath, ['-r', sandbox.write('tell.cjs', TELL), FOIL, ...words], {
    cwd: sandbox.work,
    env: { ...sandbox.env, ...more, TELL: tell },
    input,
    encoding: 'utf8',
  });
  return { ...JSON.parse(readFileSync(tell, 'utf8')), said };
}

/** The root has no name of ours in it, which would make every call there one that may be about us. */
const call = (command: string, cwd = '/'): Loaded =>
  told(
    ['hook', 'claude-code', '--mode', 'guard', '--ledger', directory],
    JSON.stringify({
      session_id: 's',
      cwd,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: command,
    }),
  );

const HEAVY = ['child_process', 'crypto', 'net', 'perf_hooks', 'stream', 'zlib'];

describe('a hook before a call in guard', () => {
  beforeAll(() => {
    call('true'); // begins the session, which takes more
  });

  it('loads one script for what has nothing to do with us', () => {
    const { scripts, modules } = call('ls');
    expect(scripts).toEqual(['start']);
    expect(modules.filter((name) => HEAVY.includes(name))).toEqual([]);
  });

  it('loads what tells an attack for what looks like one, and not the gate', () => {
    const { scripts, modules, said } = call('rm .claude/settings.json', sandbox.work);
    expect(said).toContain('"deny"');
    expect(scripts).toEqual(['start', 'defence', 'core', 'rules', 'lines', 'hooks-seen']);
    expect(modules.filter((name) => HEAVY.includes(name))).toEqual([]);
  });
});

it('a hook that FOIL=off switches off, and an append, load one small script each', () => {
  const event = {
    session_id: 's',
    cwd: '/',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: {},
  };
  const hook = ['hook', 'claude-code', '--ledger', directory];
  const size = (name: string): number => readFileSync(join(dist, `${name}.script`)).length;
  const off = told(hook, JSON.stringify(event), { FOIL: 'off' });
  const append = told(['append', 'note', '--ledger', directory]);
  expect([off.scripts, append.scripts]).toEqual([['off'], ['append']]);
  expect([size('off'), size('append')].every((bytes) => bytes < 100_000)).toBe(true);
  expect([...off.modules, ...append.modules].filter((name) => HEAVY.includes(name))).toEqual([]);
  // In guard the variable is nobody's word.
  expect(told([...hook, '--mode', 'guard'], JSON.stringify(event), { FOIL: 'off' }).scripts).toContain(
    'start',
  );
});

it('a look at the status loads no YAML parser where there is no counterfoil.yaml', () => {
  const all = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.script'),
  );
  const withParser = all
    .filter((name) => readFileSync(join(dist, name), 'latin1').includes('YAMLParseError'))
    .map((name) => basename(name, '.script'));
  expect(withParser).not.toEqual([]);
  const { scripts } = told(['status']);
  expect(scripts.filter((name) => withParser.includes(name))).toEqual([]);
});
