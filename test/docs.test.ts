// The pages for users say what is so: every command and option they print exists, their programs run, their
// configuration is understood, every rule of redaction is listed, and no adapter is called tested that is not.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ADAPTERS } from '../src/capture/hooks/index.ts';
import { HOSTS } from '../src/capture/settings/index.ts';
import { COMMON } from '../src/cli/command.ts';
import { loadCommands } from '../src/cli/main.ts';
import { parseConfig, parseYaml } from '../src/config/index.ts';
import { CLAIM_TYPES, DEFAULT_POLICY, VALIDATOR_IDS } from '../src/policy/index.ts';
import { ruleIds } from '../src/redact/index.ts';
import { Sandbox } from './cli/foil.ts';

const COMMANDS = await loadCommands();
const root = join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/README.md',
  'docs/agents.md',
  'docs/ledger.md',
  'docs/library.md',
  'docs/bundles.md',
  'docs/reports.md',
  'docs/grants.md',
  'docs/runs.md',
  'docs/scan.md',
  'docs/recording.md',
  'docs/auth.md',
  'docs/check-a-log.md',
  'docs/evidence-gate.md',
  'docs/add-a-validator.md',
  'docs/re-execution.md',
  'docs/gateway.md',
  'docs/replay-sessions.md',
  'docs/mcp.md',
  'docs/formats.md',
  'docs/anchoring.md',
  'docs/attester.md',
];
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** The blocks of a language, as they stand. */
function blocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

/** Every `foil …` of a page: in code blocks by line, and between single backticks. */
function commandsIn(page: string): string[] {
  const lines = [...page.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap((match) => (match[1] ?? '').split('\n'));
  const inline = [...page.replace(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  return [...lines.map((line) => line.replace(/^\$ /, '').replace(/\s#.*$/, '')), ...inline]
    .filter((line) => /^foil [a-z-]/.test(line))
    .map((line) => line.trim());
}

/** What is not right about it; undefined where it is. */
function problemOf(line: string): string | undefined {
  const [, name = '', ...words] = line.split(/ -- | > | \| /)[0]?.split(/\s+/) ?? [];
  if (name.startsWith('--')) return ['--help', '--version'].includes(name) ? undefined : `${line}: no option`;
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) return `${line}: there is no command ${name}`;
  const options = { ...COMMON, ...command.options };
  const unknown = words.find((word) => word.startsWith('--') && !(word.slice(2) in options));
  return unknown === undefined ? undefined : `${line}: ${name} has no ${unknown}`;
}

describe('the pages', () => {
  it.each(PAGES)('%s prints only commands and options that exist', (name) => {
    expect(commandsIn(read(name)).map(problemOf).filter(Boolean)).toEqual([]);
  });

  it('are read by a reader that finds mistakes', () => {
    expect(commandsIn('```console\n$ foil log  # look\n```\nand `foil status`, `x foil`')).toEqual([
      'foil log',
      'foil status',
    ]);
    expect(problemOf('foil lgo')).toContain('no command');
    expect(problemOf('foil log --colour')).toContain('has no --colour');
    expect(problemOf('foil run -- claude --whatever')).toBeUndefined();
  });

  it.each(PAGES)('%s names only scripts that npm has', (name) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, script = ''] of read(name).matchAll(/npm run ([\w:]+)/g))
      expect(scripts).toHaveProperty(script);
  });

  it.each([...PAGES, 'docs/locked.md', 'ARCHITECTURE.md', 'THREAT-MODEL.md', 'SECURITY.md'])(
    '%s leads only to pages that exist',
    (name) => {
      const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? '');
      for (const link of links) expect(existsSync(join(root, dirname(name), link)), link).toBe(true);
    },
  );
});

describe('README.md', () => {
  const page = read('README.md');

  it('tells a Claude Code user in three lines what to type, before anything else', () => {
    const [first = ''] = blocks(page, 'console');
    const typed = first.trim().split('\n');
    expect(typed).toHaveLength(3);
    expect(typed.map((line) => line.split(/\s+/).slice(0, 3).join(' '))).toEqual([
      '$ npm install',
      '$ foil install',
      expect.stringMatching(/^\$ claude/),
    ]);
    expect(page.slice(0, page.indexOf(first)).split('\n').length).toBeLessThan(15);
  });
});

it.each(['README.md', 'docs/agents.md'])(
  'X7 %s says of each adapter whether it was seen against its real host',
  (name) => {
    const page = read(name);
    const rows = page.slice(page.indexOf('## Which agents')).split('\n');
    for (const { agent, seen } of ADAPTERS) {
      const title = HOSTS.find((host) => host.agent === agent)?.title ?? '';
      const row = rows.find((line) => line.startsWith(`| ${title} |`));
      expect(row, title).toContain(seen ? 'the real program, ' : 'never seen against the real host');
    }
  },
);

describe('docs/library.md', () => {
  const page = read('docs/library.md');
  const sandbox = new Sandbox();
  afterAll(() => sandbox.remove());

  it.each(
    blocks(page, 'js').map((source): [string, string] => [
      /(\w+) \} from|\{ (\w+)/.exec(source)?.[0] ?? '',
      source,
    ]),
  )('has a program that runs: %s', (_, source) => {
    mkdirSync(sandbox.path('node_modules'), { recursive: true });
    try {
      symlinkSync(root, sandbox.path('node_modules/counterfoil'));
    } catch {
      // The one before made it.
    }
    const program = sandbox.write('program.mjs', source);
    execFileSync(process.execPath, [program], { cwd: sandbox.work, env: sandbox.env });
  });

  it('has a recorder program whose steps are then in the log', () => {
    const log = sandbox.ok(['log', '--ledger', onlyLedger(sandbox)]);
    expect(log).toContain('"publish the release notes"');
    expect(log).toMatch(/tool\.call +\w+ +read_notes/);
    expect(log).toContain('"Published 8 characters."');
  });
});

describe('docs/recording.md', () => {
  const page = read('docs/recording.md');

  it('K3 lists every rule of redaction, and no other', () => {
    const section = page.slice(page.indexOf('## Redaction'), page.indexOf('## counterfoil.yaml'));
    const listed = [...section.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map((match) => match[1]);
    expect([...listed].sort()).toEqual([...ruleIds()].sort());
  });

  it('shows a configuration that is understood', () => {
    const [yaml = ''] = blocks(page, 'yaml');
    expect(parseConfig(parseYaml(yaml), 'x')).toMatchObject({
      content: 'keep',
      hashes: 'salted',
      redact: { add: [{ id: 'acme-key' }], remove: ['base64'], keys: { add: ['patientName'] } },
    });
  });
});

describe('docs/evidence-gate.md', () => {
  const page = read('docs/evidence-gate.md');

  it('shows every member of a policy, with the defaults but for the phrases', () => {
    const yaml = blocks(page, 'yaml').find((block) => block.startsWith('gate:')) ?? '';
    const { gate } = parseConfig(parseYaml(yaml), 'x');
    expect({ ...gate, phrases: null, bypass: null }).toEqual({
      ...DEFAULT_POLICY,
      phrases: null,
      bypass: null,
    });
    expect(gate.phrases).toEqual({
      add: [{ type: 'done', phrase: 'wrapped up' }],
      remove: ['all set'],
    });
    for (const name of [
      'claims',
      'high_stakes',
      'final_block',
      'phrases',
      'bypass',
      'blocks',
      ...CLAIM_TYPES,
    ])
      expect(yaml, name).toContain(`  ${name}:`);
    for (const id of VALIDATOR_IDS) expect(yaml).toContain(id);
  });

  it('names every code that a claim can fail with', () => {
    const folder = join(root, 'src/rules');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /^(?:validators\/|run-assessment|coverage|judge)/.test(name) && name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
    const codes = sources.flatMap((source) =>
      [
        ...source.matchAll(/\b(?:fail|failOf)\(\s*'[a-z-]+',\s*'([a-z-]+)'/g),
        ...source.matchAll(/\b(?:notTried|refused)\(\s*'([a-z-]+)'/g),
        ...source.matchAll(/\bcode: '([a-z-]+)'/g),
        ...source.matchAll(/\bcase '(masked|background|dry-run|shadowed|not-a-check)'/g),
      ].map((match) => match[1] ?? ''),
    );
    expect(codes.length).toBeGreaterThan(30);
    const table = page.slice(page.indexOf('## What proves nothing'));
    expect([...new Set(codes)].filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
  });

  it.each(['pass', 'block', 'warn', 'unproven', 'ungated', 'silent'])(
    'explains the verdict %s',
    (verdict) => {
      expect(page).toContain(`| \`${verdict}\` |`);
    },
  );
});

/** The one in the state directory; the second program makes another in .foil/. */
function onlyLedger({ env }: Sandbox): string {
  const state = join(env.XDG_STATE_HOME ?? '', 'counterfoil');
  const [name = ''] = readdirSync(state).filter((each) => each !== 'here');
  return join(state, name);
}
