import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../../src/core/index.ts';
import { encodeCapability, parseCapability } from '../../src/policy/authority/capability.ts';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { mcpNeeds } from '../../src/policy/authority/named-tools.ts';
import {
  ALL_BELOW,
  encodeNeed,
  type Need,
  nameFlaw,
  parseNeed,
  parseToolNeed,
  pathSegments,
  programNeed,
} from '../../src/policy/authority/need.ts';
import { assertProposal, remarksOn } from '../../src/policy/authority/proposed-grants.ts';
import { fileView } from './file-view.ts';

const vectors = <T>(name: string): T =>
  JSON.parse(
    readFileSync(new URL(`../../spec/vectors/capability/${name}.json`, import.meta.url), 'utf8'),
  ) as T;
const GRAMMAR = vectors<{ vectors: { text: string; refused: string | null }[] }>('grammar');
const PROPOSAL = vectors<typeof GRAMMAR>('proposal');
const DECISION = vectors<{
  root: string;
  vectors: { allow: string[]; deny: string[]; need: string; allowed: boolean }[];
}>('decision');
const ROOT = DECISION.root;
const grants = (allow: readonly string[], deny: readonly string[] = []): Grants => {
  const parsed = parseGrants({ allow, deny });
  return new Grants(parsed.allow, parsed.deny, ROOT);
};
const read = (path: string): Need => ({ domain: 'fs', action: 'read', segments: pathSegments(path) });
const get = (host: string): Need => ({ domain: 'network', action: 'get', segments: host.split('.') });

describe('a capability', () => {
  it.each(GRAMMAR.vectors)('O3 is read and written as it is, or refused: $text', ({ text, refused }) => {
    if (refused === null) expect(encodeCapability(parseCapability(text))).toBe(text);
    else {
      expect(() => parseCapability(text)).toThrow(ParseError);
      expect(() => parseCapability(text)).toThrow(refused);
    }
  });

  it('O3 is refused at once where it is very long', () => {
    expect(() => parseCapability(`fs:read:${'a'.repeat(100_000)}`)).toThrow('longer than');
  });

  it('O3 is refused with a ParseError, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          parseCapability(`fs:read:${text}`);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});

describe('a proposal', () => {
  it.each(PROPOSAL.vectors)('O3 can be accepted, or says what to write: $text', ({ text, refused }) => {
    for (const texts of [
      { allow: [text], deny: [] },
      { allow: [], deny: [text] },
    ])
      if (refused === null) expect(() => assertProposal(texts)).not.toThrow();
      else expect(() => assertProposal(texts)).toThrow(refused);
  });

  it('O3 never loses a host: what a call names can be granted and denied as it stands', () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        const host = new URL(url).host.replace(/\.$/, '');
        expect(() => assertProposal({ allow: [], deny: [`network:get:${host}`] })).not.toThrow();
        const decide = grants(['network:get:**'], [`network:get:${host}`]);
        expect(decide.decide(get(host)).allowed).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('O3 names an address in one way', () => {
    const deny = ['network:get:[::ffff:7f00:1]'];
    expect(() => assertProposal({ allow: [], deny })).toThrow('write network:get:127.0.0.1');
    expect(parseToolNeed('network:get:[::ffff:a9fe:a9fe]')).toBeNull();
    expect(parseToolNeed('network:get:169.254.169.254')).not.toBeNull();
  });

  it('O3 is told what it does not speak of', () => {
    const view = fileView([`${ROOT}/`, `${ROOT}/secrets/`], { [`${ROOT}/link`]: '/etc' });
    expect(
      remarksOn({ allow: [], deny: ['fs:*:secrets', 'fs:*:secrets/key', 'fs:*:secrets/**'] }, ROOT, view),
    ).toEqual([expect.stringMatching(/^fs:\*:secrets: secrets is a folder\. .* write fs:\*:secrets\/\*\*$/)]);
    const deny = ['tool:call:Bash', 'fs:delete:**', 'fs:*:link/**', 'fs:*:src/**', 'process:exec:./link/x'];
    expect(remarksOn({ allow: [], deny }, ROOT, view)).toEqual([
      expect.stringMatching(/^tool:call:Bash: a call of Bash needs what it does/),
      expect.stringMatching(/^fs:delete:\*\*: no call of an agent needs this/),
      expect.stringMatching(/^fs:\*:link\/\*\*: link leads to \/etc,/),
      expect.stringMatching(/^process:exec:\.\/link\/x: .* leads to \/etc\/x,/),
    ]);
  });
});

describe('the name of a tool', () => {
  it('O3 that has no flaw can be written as a grant, and is then allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), (name) => {
        const [need] = mcpNeeds('srv', name);
        const flaw = nameFlaw(need);
        const isAscii = /^[ -~]*$/.test(name);
        expect(grants(['mcp:call:**']).decide(need).allowed).toBe(flaw === null && isAscii);
        if (flaw === null) expect(grants([`mcp:call:srv/${name}`]).decide(need).allowed).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('grants', () => {
  it.each(DECISION.vectors)(
    'O3 $allow but $deny, asked for $need: $allowed',
    ({ allow, deny, need, allowed }) => {
      const parsed = parseNeed(need);
      expect(parsed === null ? null : grants(allow, deny).decide(parsed).allowed).toBe(allowed);
    },
  );

  it('O3 allow nothing by themselves, and a denial wins', () => {
    expect(grants([]).decide(read('/work/app/a')).allowed).toBe(false);
    expect(grants(['fs:read:**'], ['fs:*:secret/**']).decide(read('/work/app/secret/a'))).toEqual({
      allowed: false,
      by: 'fs:*:secret/**',
    });
  });

  it('O4 deny a name in either spelling of its accents', () => {
    const decide = (path: string): boolean =>
      grants(['fs:read:/**'], ['fs:*:/data/geheim-\u00e4/**']).decide(read(path)).allowed;
    expect(decide('/data/geheim-\u00e4/x')).toBe(false);
    expect(decide('/data/geheim-a\u0308/x')).toBe(false);
    expect(decide('/data/geheim-a/x')).toBe(true);
  });

  it('O3 tell a program of the system from one that is named by its path', () => {
    expect(grants(['process:exec:cat']).decide(programNeed('cat')).allowed).toBe(true);
    expect(grants(['process:exec:cat']).decide(programNeed('/cat')).allowed).toBe(false);
    expect(grants(['process:exec:*']).decide(programNeed('/tmp/cat')).allowed).toBe(false);
    expect(grants(['process:exec:./x.sh']).decide(programNeed('/work/app/x.sh')).allowed).toBe(true);
    expect(grants(['process:exec:**']).decide(programNeed('/tmp/x.sh')).allowed).toBe(true);
  });

  it('O3 match hosts by their labels', () => {
    expect(grants(['network:get:*.example.org']).decide(get('api.example.org')).allowed).toBe(true);
    expect(grants(['network:get:*.example.org']).decide(get('example.org')).allowed).toBe(false);
    expect(grants(['network:get:*.example.org']).decide(get('a.b.example.org')).allowed).toBe(false);
    expect(grants(['network:get:localhost:*']).decide(get('localhost:3000')).allowed).toBe(true);
    expect(grants(['network:get:localhost:*']).decide(get('localhost')).allowed).toBe(true);
    expect(grants(['network:get:**']).decide(get('a.b.c')).allowed).toBe(true);
  });

  it('O3 cover all of a need that stands for many, or none of it', () => {
    const below = (path: string): Need => ({ ...read(path), segments: [...pathSegments(path), ALL_BELOW] });
    expect(grants(['fs:read:src/**']).decide(below('/work/app/src')).allowed).toBe(true);
    expect(grants(['fs:read:src/*']).decide(below('/work/app/src')).allowed).toBe(false);
    expect(grants(['fs:read:**/*.ts']).decide(below('/work/app')).allowed).toBe(false);
    expect(grants(['fs:read:**'], ['fs:read:src/x/.env']).decide(below('/work/app/src')).allowed).toBe(false);
    expect(grants(['fs:read:**'], ['fs:read:lib/.env']).decide(below('/work/app/src')).allowed).toBe(true);
    expect(grants(['fs:read:**'], ['fs:read:**/.env']).decide(below('/work/app/src')).allowed).toBe(false);
  });

  it('O3 read two `**` in a row as one', () => {
    expect(grants(['fs:read:src/**/**']).decide(read(`${ROOT}/src`)).allowed).toBe(true);
    expect(grants(['fs:read:src/**/**']).decide(read(`${ROOT}/src/a/b`)).allowed).toBe(true);
    expect(grants(['fs:read:**'], ['fs:read:src/**/**']).decide(read(`${ROOT}/src`)).allowed).toBe(false);
  });

  it('O3 agree with a plain reading of the pattern, whatever it is', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '**');
    const name = fc.constantFrom('a', 'b', 'ab', 'ba');
    const plain = (pattern: readonly string[], path: readonly string[]): boolean => {
      const [first, ...rest] = pattern;
      if (first === undefined) return path.length === 0;
      if (first === '**') return plain(rest, path) || (path.length > 0 && plain(pattern, path.slice(1)));
      const [head, ...tail] = path;
      return (
        head !== undefined && new RegExp(`^${first.replaceAll('*', '.*')}$`).test(head) && plain(rest, tail)
      );
    };
    fc.assert(
      fc.property(
        fc.array(fc.array(segment, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
        fc.array(name, { minLength: 1, maxLength: 5 }),
        (patterns, path) => {
          const fit = patterns.filter((pattern) => pattern.filter((each) => each === '**').length <= 2);
          const decided = grants(fit.map((pattern) => `fs:read:${pattern.join('/')}`)).decide(
            read(`${ROOT}/${path.join('/')}`),
          );
          expect(decided.allowed).toBe(fit.some((pattern) => plain(pattern, path)));
        },
      ),
    );
  });
});

describe('a need', () => {
  it.each([
    'fs:read:/',
    'fs:read:/**',
    'fs:write:/a/b',
    'fs:read:/a/**',
    'fs:read:/a/\\*',
    'fs:read:/a/\\**/b',
    'fs:read:/a/\\\\*',
    'process:exec:cat',
    'process:exec:/bin/cat',
    'process:exec:**',
    'network:get:a.example.org:8080',
    'network:get:[::1]:80',
    'mcp:call:github/get',
  ])('is written as it was read: %s', (text) => {
    const need = parseNeed(text);
    expect(need === null ? null : encodeNeed(need)).toBe(text);
  });

  it.each([
    '',
    'fs:read',
    'fs:*:/a',
    'fs:read:a',
    'fs:read:/*',
    'fs:read:/**/a',
    'network:get:*.example.org',
    'tool:call:',
    'tool:call:a/',
    'tool:call:a//b',
    'tool:call:a\nb',
    'tool:call:a\u200bb',
    'network:get:.example.org',
    'process:exec:',
    'process:exec:a//b',
    `${'a'.repeat(33)}:call:x`,
  ])('is not read from what no recorder writes: %s', (text) => {
    expect(parseNeed(text)).toBeNull();
  });
});

it('O3 a work tree whose path has a `*` in it is that one alone', () => {
  const texts = parseGrants({
    allow: ['fs:read:src/**', 'process:exec:./x*.sh'],
    deny: ['fs:read:src/s*'],
  });
  const decide = new Grants(texts.allow, texts.deny, '/h/a*b/**');
  const isAllowed = (path: string): boolean => decide.decide(read(path)).allowed;
  expect(isAllowed('/h/a*b/**/src/x')).toBe(true);
  expect(isAllowed('/h/a*b/**/src/secret')).toBe(false);
  expect(isAllowed('/h/aZb/**/src/x')).toBe(false);
  expect(isAllowed('/h/a*b/c/src/x')).toBe(false);
  expect(isAllowed('/h/a*b/src/x')).toBe(false);
  expect(decide.decide(programNeed('/h/a*b/**/xy.sh')).allowed).toBe(true);
  expect(decide.decide(programNeed('/h/aZb/**/xy.sh')).allowed).toBe(false);
});
