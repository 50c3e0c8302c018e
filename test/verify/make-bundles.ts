// The runs that spec/vectors/bundle is made of, and the bundles of them that must pass. What must not is in wrong-bundles.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex, utf8Encode } from '#platform';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { encodeTar, type HarnessPack } from '../../src/format/index.ts';
import {
  ARTIFACTS,
  type Loose,
  type LooseOptions,
  looseBundle,
  packWith,
  Runs,
  signedBundle,
} from './bundle-maker.ts';

/** What a verifier is given besides the file. */
export interface Trust {
  readonly keys: readonly string[];
  readonly packs: readonly string[];
  readonly gateways: readonly { readonly vkey: string; readonly upstreams: readonly string[] }[];
  readonly attesters: readonly {
    readonly vkey: string;
    readonly did?: string;
    readonly from?: string;
    readonly until?: string;
  }[];
}

export interface BundleCase {
  readonly name: string;
  /** What was done to the bundle, in words. */
  readonly done: string;
  readonly bytes: Uint8Array;
  readonly trust: Trust;
  readonly expect: {
    readonly verdict: 'PASS' | 'FAIL' | 'UNKNOWN';
    readonly tier: 'self' | 'gateway' | 'sandbox';
    /** Every one that is found, sorted. */
    readonly codes: readonly string[];
  };
}

/** Arguments, as they are hashed. */
export const LS = '{"command":"ls"}';

export const NOW = '2026-11-17T00:00:00.000Z';

/** Denies some tools outright, and looks at no argument. */
export const STRICT = packWith({ deny: ['WebFetch', 'mcp__*'], arguments: [] });
/** Looks at what is given to the shell. */
export const RULED = packWith({
  deny: ['WebFetch'],
  arguments: [{ tool: 'Bash', matches: '*rm -rf*' }],
});
/** Looks at commands, and at the files that lines touch. */
export const LINES_RULED = packWith({
  deny: [],
  arguments: [
    { tool: 'Shell', matches: 'curl *' },
    { tool: 'Shell', reads: '**/.env' },
    { tool: 'Shell', writes: 'src/**' },
    { tool: 'Grep', path: 'secrets/**' },
    { tool: 'Write', matches: '*rm -rf*' },
  ],
});
/** Looks at files and hosts, and has a rule that nobody can judge. */
export const FILES_RULED = packWith({
  deny: [],
  arguments: [
    { tool: 'Read', path: '~/.ssh/**' },
    { tool: 'Read', path: '**/.env' },
    { tool: 'WebFetch', domain: '*.evil.example' },
    { tool: 'Write', unjudged: '[ab].env' },
  ],
});
export const RUBRIC = utf8Encode('Is it brief?\n');
/** Asks for a judge, instead of tests. */
export const JUDGED = packWith(
  { deny: ['WebFetch'], arguments: [] },
  'judged',
  { method: 'rubric', rubric: 'verification/rubric.md', model: 'judge-1', votes: 3, threshold: 70 },
  [{ path: 'verification/rubric.md', bytes: RUBRIC }],
);
export const OTHER_PACK = packWith({ deny: [], arguments: [] }, 'lenient');

/** STRICT, encrypted once for a key that nobody has: encryption is random, so it is kept. */
export const ENCRYPTED = new Uint8Array(
  readFileSync(join(import.meta.dirname, '../../spec/vectors/bundle/encrypted-pack.jwe.json')),
);

export interface Story {
  readonly pack?: HarnessPack | null;
  /** The run asks a model, through the gateway. */
  readonly model?: boolean;
  /** In the middle of the run. */
  readonly tell?: (runs: Runs) => void;
  /** In place of the run's artifacts and end. */
  readonly close?: (runs: Runs) => void;
  /** Behind the run's end. */
  readonly after?: (runs: Runs) => void;
  readonly seed?: number;
}

/** Two runs that interleave. The second is the one that is told of at the end. */
export function told({ pack = null, model = false, tell, close, after, seed = 1 }: Story = {}): Runs {
  const runs = new Runs(seed);
  runs.begin();
  const other = runs.session;
  const elsewhere = (act: () => unknown): void => {
    const run = runs.session;
    runs.session = other;
    act();
    runs.session = run;
  };
  runs.prompt('Something else.');
  const root = pack?.hashes.root ?? null;
  runs.begin(root);
  runs.base();
  runs.prompt('Fix the parser.');
  elsewhere(() => runs.tool('Bash', { command: 'ls' }));
  if (model) runs.receipt(runs.exchange(), { change: { pack: root } });
  const call = runs.tool('Bash', { command: 'npm test' });
  elsewhere(() => runs.prompt('And more.'));
  if (model) runs.toolResult(call, 'Bash');
  runs.append('note', { text: 'of nobody' });
  tell?.(runs);
  if (close === undefined) {
    runs.artifacts();
    runs.end();
  } else close(runs);
  elsewhere(() => runs.end());
  after?.(runs);
  return runs.notes(3);
}

export function trusting(runs: Runs, more: Partial<Trust> = {}): Trust {
  return { keys: [runs.vkey], packs: [], gateways: [], attesters: [], ...more };
}

export const PASS: BundleCase['expect'] = { verdict: 'PASS', tier: 'self', codes: [] };

/** A commit says nothing of a run, unless it is shown to. */
const NOT_SHOWN: BundleCase['expect'] = { ...PASS, codes: ['COMMIT_NOT_SHOWN'] };

export function failing(...codes: string[]): BundleCase['expect'] {
  return { verdict: 'FAIL', tier: 'self', codes: codes.sort() };
}

export function unknown(...codes: string[]): BundleCase['expect'] {
  return { verdict: 'UNKNOWN', tier: 'self', codes: codes.sort() };
}

/** A bundle of a story, changed while it is in pieces. */
export function made(
  name: string,
  done: string,
  expect: BundleCase['expect'],
  story: Story,
  options: LooseOptions & {
    readonly change?: (loose: Loose, runs: Runs) => void;
    /** Done to the ledger once the story is told. */
    readonly rewrite?: (runs: Runs) => void;
    readonly trust?: (runs: Runs) => Trust;
    readonly file?: (loose: Loose, runs: Runs) => Uint8Array;
  } = {},
): BundleCase {
  const {
    change,
    rewrite,
    trust = trusting,
    file = (loose: Loose) => signedBundle(loose),
    ...shown
  } = options;
  const runs = told(story);
  rewrite?.(runs);
  const loose = looseBundle(runs, { pack: story.pack ?? null, ...shown });
  change?.(loose, runs);
  return { name, done, expect, trust: trust(runs), bytes: file(loose, runs) };
}

/** A member of the payload, by its path. */
export function setMember(loose: Loose, path: string, value: Json): void {
  const names = path.split('.');
  const set = (of: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject => ({
    ...of,
    [name]: rest.length === 0 ? value : set(of[name] as JsonObject, rest),
  });
  const [first = ''] = names;
  loose.payload[first] = set(loose.payload, names)[first] as Json;
}

export function goodBundles(): BundleCase[] {
  const first = told().vkey;
  return [
    made('plain-run', 'A run without a pack, between entries of another.', PASS, { model: true }),
    made(
      'with-pack',
      'A run with a pack that denies tools; no content is shown.',
      PASS,
      { pack: STRICT, model: true },
      { trust: (runs) => trusting(runs, { packs: [STRICT.hashes.root] }) },
    ),
    made(
      'disclosed-arguments',
      'A run whose pack has a rule for arguments, which are shown, each with its key.',
      PASS,
      { pack: RULED },
      { disclose: 'arguments' },
    ),
    made(
      'files-that-a-rule-allows',
      'A run that read files, and whose pack has rules about other files.',
      PASS,
      {
        pack: FILES_RULED,
        tell: (runs) =>
          void runs.of('tool.call', {
            tool: 'Read',
            args: null,
            paths: ['src/.envrc', '/etc/ssh/config'],
            workspace_root: '/work',
          }),
      },
    ),
    made('disclosed-all', 'All content of the run is shown.', PASS, {}, { disclose: 'all' }),
    made(
      'public-content',
      'Content under plain SHA-256 is shown, which needs no key.',
      PASS,
      {
        tell: (runs) => {
          const ref = { ...runs.content(LS, { plain: true }), type: 'application/json' };
          runs.tool('Bash', { command: 'ls' }, { args: ref, argsHash: sha256Hex(utf8Encode(LS)) });
        },
        pack: STRICT,
      },
      {
        change: ({ parts }, runs) => {
          const ref = /"(sha256):([0-9a-f]{64})"/.exec(runs.lines.join('\n'));
          parts.set(`content/sha256-${ref?.[2]}`, utf8Encode(LS));
        },
      },
    ),
    made(
      'inline-arguments',
      'The arguments that a rule looks at stand in the entry itself.',
      PASS,
      {
        pack: RULED,
        tell: (runs) => {
          const argsHash = sha256Hex(utf8Encode(LS));
          runs.tool('Bash', { command: 'ls' }, { args: { command: 'ls' }, argsHash });
        },
      },
      { disclose: 'arguments' },
    ),
    made(
      'lines-that-are-fine',
      'Lines run commands and touch files that no rule of the pack is about.',
      PASS,
      {
        pack: LINES_RULED,
        tell: (runs) => {
          const more = { cwd: '/work', workspace_root: '/work' };
          for (const command of ['echo curl y', 'cat src/a.ts > b && npm test', 'x=1; ls | wc'])
            runs.tool('Shell', { command }, { more });
        },
      },
      { disclose: 'arguments' },
    ),
    made(
      'refused-and-asked-for',
      'Calls were refused, and a person was asked for one: each is a call of the run. What a person reads of it is no command.',
      PASS,
      {
        pack: packWith({ deny: ['WebFetch'], arguments: [{ tool: 'Bash', matches: 'curl *' }] }),
        tell: (runs) => {
          const call = runs.tool('Bash', { command: 'wc', description: 'curl y' });
          const asked = runs.of(
            'approval',
            { state: 'asked', tool: 'Bash', args_hash: null },
            { cause: call },
          );
          runs.of('approval', { state: 'denied', tool: 'Bash', args_hash: null }, { cause: asked });
          runs.of('tool.denied', { tool: 'Bash', args_hash: null }, { cause: call });
          runs.of('observation', { event: 'Other', problem: null, content: null });
        },
      },
      { disclose: 'arguments' },
    ),
    made(
      'arguments-redacted-elsewhere',
      'Something was taken out of the arguments that no rule could have caught.',
      PASS,
      {
        pack: packWith({ deny: [], arguments: [{ tool: 'Bash', matches: 'curl *' }] }),
        tell: (runs) =>
          void runs.tool('Bash', { command: 'wc', description: 'with [REDACTED:github-token]' }),
      },
      { disclose: 'arguments' },
    ),
    made(
      'arguments-that-are-a-text',
      'The arguments are one text, kept as it is.',
      PASS,
      {
        pack: RULED,
        tell: (runs) => void runs.tool('Bash', 'ls', { bytes: utf8Encode('ls -la'), type: 'text/plain' }),
      },
      { disclose: 'arguments' },
    ),
    made(
      'key-rotation',
      'The key changed in the middle of the run; the first one is trusted.',
      PASS,
      {
        tell: (runs) => {
          runs.receipt(runs.exchange());
          runs.rotateKey(9).gatewayKey(42);
          runs.receipt(runs.exchange());
        },
      },
      { trust: (runs) => trusting(runs, { keys: [first] }) },
    ),
    made('key-rotation-last', 'The key changed behind the run; the last one is trusted.', PASS, {
      after: (runs) => void runs.rotateKey(9),
    }),
    made('commit', 'A commit of git is signed into the run behind its end, and a sum follows.', NOT_SHOWN, {
      after: (runs) => {
        runs.commit();
        runs.sum();
      },
    }),
    made('late-entries', 'Entries came behind the end, twice, and a sum behind each.', PASS, {
      after: (runs) => {
        runs.tool('Bash', { command: 'ls' });
        runs.sum();
        runs.notes(2);
        runs.tool('Bash', { command: 'ls' });
        runs.sum();
      },
    }),
    made('many-prompts', 'The run has 257 prompts: 256 are listed.', PASS, {
      tell: (runs) => {
        for (let i = 2; i <= 257; i++) runs.of('prompt', { prompt_hash: i.toString(16).padStart(64, '0') });
      },
    }),
    made('artifacts-twice', 'Two entries name artifacts, so the bundle names none.', PASS, {
      tell: (runs) => void runs.artifacts([]),
    }),
    made(
      'artifacts',
      'What the run made is shown.',
      PASS,
      {},
      { change: ({ parts }) => void parts.set('artifacts.tar', encodeTar(ARTIFACTS)) },
    ),
    made(
      'pack-unnamed',
      'The pack is there, and the bundle does not give its id.',
      PASS,
      { pack: STRICT },
      { change: (loose) => setMember(loose, 'metadata.harness.id', null) },
    ),
    made(
      'another-run-of-the-ledger',
      'The other run of the same ledger.',
      PASS,
      {},
      { run: told().entries()[2]?.entry.session_id ?? '' },
    ),
  ];
}
