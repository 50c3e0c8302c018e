// What the facet authority says of ledgers that are made entry by entry: none of them comes from the recorder.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import {
  encodeBase64,
  encodeVerifierKey,
  grantsMessage,
  type JsonObject,
  makeSigner,
  operatorMessage,
  parseBase64,
  parseVerifierKey,
  policyHashOf,
  type Signer,
  type VerifierKey,
} from '../../src/core/index.ts';
import {
  encodeGrantsRecord,
  encodeOperatorChange,
  type GrantTexts,
  parseEntry,
} from '../../src/format/index.ts';
import { auditPoints, CODES, type Report, RunAuditor } from '../../src/verify/index.ts';
import { codesOf, verify } from './expect.ts';
import { LedgerMaker } from './make-ledger.ts';

const S = '5'.repeat(64);
const ROOT = '/work/app';
const operatorOf = (seed: number): Signer => makeSigner('operator', new Uint8Array(32).fill(seed));
const keyOf = (operator: Signer): string => encodeVerifierKey(operator as VerifierKey);
const [OPERATOR, SECOND, THIRD] = [operatorOf(9), operatorOf(10), operatorOf(11)];
const READ: GrantTexts = { allow: ['fs:read:src/**', 'process:exec:**'], deny: ['fs:read:**/.env'] };
const hashOf = (grants: GrantTexts): string =>
  policyHashOf({ allow: [...grants.allow], deny: [...grants.deny] });

class Granted extends LedgerMaker {
  /** `place` is the entry that the operator signed for. */
  accept(grants = READ, place = this.size + 1, operator = OPERATOR): this {
    const prevHash = this.hashes.at(-1) as string;
    const grantsHash = hashOf(grants);
    const message = grantsMessage({ origin: this.origin, seq: place, prevHash, grantsHash });
    const accepted = { by: keyOf(operator), signature: encodeBase64(operator.sign(message)) };
    this.append('grants', encodeGrantsRecord({ grants, grantsHash, accepted }), { source: 'ledger' });
    return this;
  }

  operator(change: 'enrol' | 'revoke', whom: Signer, by = OPERATOR, place = this.size + 1): this {
    const prevHash = this.hashes.at(-1) as string;
    const message = operatorMessage({ origin: this.origin, seq: place, prevHash, change, vkey: keyOf(whom) });
    const accepted = { by: keyOf(by), signature: encodeBase64(by.sign(message)) };
    const payload = encodeOperatorChange({ change, operator: keyOf(whom), accepted });
    this.append(`operator.${change}`, payload, { source: 'ledger' });
    return this;
  }

  by(kind: string, payload: JsonObject, cause: number | null = null): this {
    this.append(kind, payload, { source: 'hook:gemini', session_id: S, cause });
    return this;
  }

  /** As `foil run` begins one, and starts its command. */
  run(): this {
    const by = { source: 'run', session_id: S };
    this.append('session.start', { agent: 'gemini', capabilities: hashOf(READ) }, by);
    this.append('tool.call', { tool: 'run', tool_use_id: null, tree: null }, by);
    return this;
  }

  /** Without grants, by something other than hooks. */
  pass(source: string, trigger: string): this {
    const payload = { agent: 'x', capabilities: null, trigger };
    this.append('session.start', payload, { source, session_id: S });
    return this;
  }

  begin(capabilities: string | null = hashOf(READ)): this {
    return this.by('session.start', { agent: 'gemini', capabilities });
  }

  call(needs: readonly string[], verdict = 'allow', more: JsonObject = {}): this {
    const authority = { ...{ grants: hashOf(READ), root: ROOT, needs: [...needs], missing: [] }, verdict };
    const rest = { more: 0, unread: null, ambient: [], ...more };
    return this.by('tool.call', {
      tool: 'run',
      tool_use_id: null,
      tree: null,
      authority: { ...authority, ...rest },
    });
  }
}

/** Kept as vectors: each code at least once, and what must pass. */
const VECTORS = join(import.meta.dirname, '../../spec/vectors/capability/authority.json');
interface AuthorityVector {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Verifier keys of operators that the verifier pinned. */
  readonly operators: readonly string[];
  readonly expect: { readonly status: string; readonly codes: readonly string[] };
}

async function facet(
  ledger: LedgerMaker,
  operators: readonly string[] = [],
): Promise<{ status: string; codes: string[]; report: Report }> {
  const report = await verify(ledger.seal().files, { operators: operators.map(parseVerifierKey) });
  return { status: report.facets.authority.status, codes: codesOf(report, ['authority']), report };
}

const CALL = 4;
const READS = 'fs:read:/work/app/src/a';

const CALLS: readonly [string, Granted, string][] = [
  [
    'needs what no grant covers, and was let through',
    new Granted().accept().begin().call(['fs:read:/etc/shadow']),
    'CALL_NOT_GRANTED@4',
  ],
  [
    'needs what is denied, and was let through',
    new Granted().accept().begin().call(['fs:read:/work/app/src/.env']),
    'CALL_NOT_GRANTED@4',
  ],
  [
    'needs all below a place where something is denied',
    new Granted().accept().begin().call(['fs:read:/work/app/src/**']),
    'CALL_NOT_GRANTED@4',
  ],
  [
    'was only observed to go too far',
    new Granted().accept().begin().call(['fs:read:/etc/shadow'], 'would-deny'),
    'CALL_NOT_GRANTED@4',
  ],
  [
    'was refused, and no entry says so',
    new Granted().accept().begin().call(['fs:read:/etc/shadow'], 'deny'),
    'DENIAL_UNTOLD@4',
  ],
  [
    'was refused, and ran',
    new Granted()
      .accept()
      .begin()
      .call(['fs:read:/etc/shadow'], 'deny')
      .by('tool.denied', { tool: 'run', tree: null }, CALL)
      .by('tool.result', { tool: 'run', tree: null }, CALL),
    'DENIED_CALL_RAN@6',
  ],
  [
    'says nothing of what it needs',
    new Granted().accept().begin().by('tool.call', { tool: 'run', tool_use_id: null, tree: null }),
    'CALL_UNJUDGED@4',
  ],
  [
    'was judged by other grants',
    new Granted()
      .accept()
      .begin()
      .call([READS], 'allow', { grants: '0'.repeat(64) }),
    'CALL_UNJUDGED@4',
  ],
  [
    'needed more than is listed',
    new Granted().accept().begin().call([READS], 'allow', { more: 3 }),
    'CALL_UNJUDGED@4',
  ],
  ['has needs that nobody can read', new Granted().accept().begin().call(['anything']), 'CALL_UNJUDGED@4'],
  ['is malformed', new Granted().accept().begin().call([READS], 'perhaps'), 'AUTHORITY_INVALID@4'],
  [
    'ran a program that acts by itself',
    new Granted()
      .accept()
      .begin()
      .call(['process:exec:npm'], 'allow', { ambient: ['npm'] }),
    'AMBIENT@4',
  ],
];
const GRANTS: readonly [string, Granted, string][] = [
  ['that nobody signed for this place', new Granted().accept(READ, 7), 'GRANTS_INVALID@2'],
  [
    'that are no capabilities',
    new Granted().accept({ allow: ['fs:read:../x'], deny: [] }),
    'GRANTS_INVALID@2',
  ],
  ['that were never accepted', new Granted().begin(), 'GRANTS_FOREIGN@2'],
  [
    'that others replaced',
    new Granted().accept().accept({ allow: [], deny: [] }).begin(),
    'GRANTS_FOREIGN@4',
  ],
  ['in force, which the session passed over', new Granted().accept().begin(null), 'GRANTS_PASSED_OVER@3'],
  ...[
    ['run', 'run'],
    ['mcp', 'mcp'],
    ['mcp', 'begin_session'],
    ['runtime', 'fork'],
    ['cli', 'cli'],
  ].map(([source = '', trigger = '']): [string, Granted, string] => [
    `in force, which a session of ${source} (${trigger}) passed over`,
    new Granted().accept().pass(source, trigger),
    'GRANTS_PASSED_OVER@3',
  ]),
];

/** For a verifier that pinned the first operator. */
const OPERATORS: readonly [string, Granted, string | null][] = [
  ['the pinned operator accepted', new Granted().accept(), null],
  ['somebody accepted whom nobody enrolled', new Granted().accept(READ, 2, SECOND), 'OPERATOR_UNKNOWN@2'],
  ['an enrolled operator accepted', new Granted().operator('enrol', SECOND).accept(READ, 3, SECOND), null],
  [
    'an operator accepted after being revoked',
    new Granted().operator('enrol', SECOND).operator('revoke', SECOND).accept(READ, 4, SECOND),
    'OPERATOR_REVOKED@4',
  ],
  [
    'an operator accepted before being revoked',
    new Granted().operator('enrol', SECOND).accept(READ, 3, SECOND).operator('revoke', SECOND),
    null,
  ],
  [
    'a pinned operator accepted after being revoked',
    new Granted().operator('revoke', OPERATOR).accept(READ, 3),
    'OPERATOR_REVOKED@3',
  ],
  [
    'an operator accepted who was enrolled once more',
    new Granted().operator('revoke', SECOND).operator('enrol', SECOND).accept(READ, 4, SECOND),
    null,
  ],
  [
    'an enrolled operator enrolled another',
    new Granted().operator('enrol', SECOND).operator('enrol', THIRD, SECOND),
    'OPERATOR_UNKNOWN@3',
  ],
  [
    'nobody signed the enrolment for its place',
    new Granted().operator('enrol', SECOND, OPERATOR, 7),
    'OPERATOR_INVALID@2',
  ],
];

describe('operators', () => {
  it.each(OPERATORS)('O3 are judged at their place: %s', async (_, ledger, code) => {
    const { codes } = await facet(ledger, [keyOf(OPERATOR)]);
    expect(codes).toEqual(code === null ? [] : [code]);
  });

  it('O3 are unknown to a verifier that pinned none, but for those who were revoked', async () => {
    expect((await facet(new Granted().accept(READ, 2, SECOND))).codes).toEqual([]);
    const revoked = new Granted().operator('revoke', SECOND).accept(READ, 3, SECOND);
    expect((await facet(revoked)).codes).toEqual(['OPERATOR_REVOKED@3']);
  });

  it('O3 who were revoked put nothing in force', async () => {
    const ledger = new Granted().operator('revoke', OPERATOR).accept(READ, 3).begin();
    expect((await facet(ledger)).codes).toEqual(['GRANTS_FOREIGN@4', 'OPERATOR_REVOKED@3']);
  });

  it('O3 are named where an entry about them is malformed', async () => {
    const ledger = new Granted();
    ledger.append(
      'operator.enrol',
      { operator: 'nobody', accepted_by: 'x', signature: '' },
      { source: 'ledger' },
    );
    expect((await facet(ledger)).codes).toEqual(['OPERATOR_INVALID@2']);
  });
});

describe('authority', () => {
  it('O3 passes for calls within the grants of their session', async () => {
    const { status, codes, report } = await facet(new Granted().accept().begin().call([READS]));
    expect({ status, codes }).toEqual({ status: 'pass', codes: [] });
    expect(report.counts).toMatchObject({ callsJudged: 1, callsDenied: 0 });
  });

  it('O4 is unknown where nobody said what agents may do, and where nothing was called it is nothing', async () => {
    const bare = new Granted().begin(null).by('tool.call', { tool: 'run', tool_use_id: null, tree: null });
    expect((await facet(bare)).report.facets.authority).toMatchObject({
      status: 'unknown',
      message: 'No session began with grants, so nothing says what agents may do.',
    });
    expect((await facet(new Granted())).status).toBe('pass');
  });

  it.each(CALLS)('O3 names a call that %s', async (_, ledger, code) => {
    const { codes, status } = await facet(ledger);
    expect(codes).toEqual([code]);
    expect(status).toBe(/UNJUDGED|AMBIENT/.test(code) ? 'unknown' : 'fail');
  });

  it('O4 names a call that says nothing of what it needs, whoever told of it', async () => {
    const ledger = new Granted().accept().begin();
    const call = { tool: 'no_such_tool', tool_use_id: null, tree: null };
    ledger.append('tool.call', call, { source: 'mcp', session_id: S });
    expect(await facet(ledger)).toMatchObject({ status: 'unknown', codes: ['CALL_UNJUDGED@4'] });
  });

  it('O3 passes for a call that was refused and did not run', async () => {
    const ledger = new Granted()
      .accept()
      .begin()
      .call(['fs:read:/etc/shadow'], 'deny')
      .by('tool.denied', { tool: 'run', tree: null }, CALL);
    const { status, report } = await facet(ledger);
    expect(status).toBe('pass');
    expect(report.counts).toMatchObject({ callsJudged: 1, callsDenied: 1 });
  });

  it.each(GRANTS)('O2 names grants %s', async (_, ledger, code) => {
    expect((await facet(ledger)).codes).toEqual([code]);
  });

  it.each([
    ['a gateway', new Granted().accept().pass('gateway', 'request')],
    ['a program', new Granted().accept().pass('sdk', 'program')],
    ["a program's MCP transport", new Granted().accept().pass('mcp', 'program')],
    ['`foil mcp serve` that never began', new Granted().accept().pass('mcp', 'close')],
    ['a wrapper before there were grants', new Granted().pass('mcp', 'mcp').accept()],
  ])('O4 has nothing against a session of %s that takes none', async (_, ledger) => {
    expect((await facet(ledger)).codes).toEqual([]);
  });
});

async function vectorOf(
  name: string,
  ledger: Granted,
  operators: readonly string[],
): Promise<AuthorityVector> {
  const { status, codes } = await facet(ledger, operators);
  const files = [...ledger.files].map(([path, bytes]) => [path, encodeBase64(bytes)]);
  return { name, files: Object.fromEntries(files), operators, expect: { status, codes } };
}

if (process.env.UPDATE_VECTORS === '1') {
  const good: [string, Granted][] = [
    ['a call within its grants', new Granted().accept().begin().call([READS])],
    [
      'a call that was refused and did not run',
      new Granted()
        .accept()
        .begin()
        .call(['fs:read:/etc/shadow'], 'deny')
        .by('tool.denied', { tool: 'run', tree: null }, CALL),
    ],
  ];
  const bad = [
    ...CALLS.map(([name, ledger]): [string, Granted] => [`a call that ${name}`, ledger]),
    ...GRANTS.map(([name, ledger]): [string, Granted] => [`grants ${name}`, ledger]),
  ];
  const vectors: AuthorityVector[] = [];
  for (const [name, ledger] of [...good, ...bad]) vectors.push(await vectorOf(name, ledger, []));
  for (const [name, ledger] of OPERATORS) vectors.push(await vectorOf(name, ledger, [keyOf(OPERATOR)]));
  const about =
    'Whole ledgers, their files in base64: what the facet authority says, and its codes with the entry that each names.';
  writeFileSync(VECTORS, `${JSON.stringify({ about, vectors }, null, 1)}\n`);
}

describe('the vectors of authority', () => {
  const { vectors } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { vectors: AuthorityVector[] };

  it.each(vectors)('O3 $name', async ({ files, operators, expect: { status, codes } }) => {
    const map = new Map(Object.entries(files).map(([path, text]) => [path, parseBase64(text)]));
    const report = await verify(map, { operators: operators.map(parseVerifierKey) });
    expect({ status: report.facets.authority.status, codes: codesOf(report, ['authority']) }).toEqual({
      status,
      codes,
    });
  });

  it('O3 have each code of the facet; those of runs are in the vectors of runs', () => {
    const wanted = Object.entries(CODES).flatMap(([code, { facet: of }]) =>
      of === 'authority' && !code.startsWith('RUN_') ? [code] : [],
    );
    const had = vectors.flatMap(({ expect: { codes } }) => codes.map((code) => code.replace(/@.*/, '')));
    expect([...new Set(had)].sort()).toEqual(wanted.sort());
  });
});

describe('the command that `foil run` starts', () => {
  it('O7 is held against no grants, and hooks tell what it does', async () => {
    expect(await facet(new Granted().accept().run().call([READS]))).toMatchObject({
      status: 'pass',
      codes: [],
    });
  });

  it('O7 may do anything where no hook tells of it', async () => {
    expect(await facet(new Granted().accept().run())).toMatchObject({
      status: 'unknown',
      codes: ['AMBIENT@4'],
    });
  });
});

describe('the audit of a session of `foil run`', () => {
  it('O7 does not say that it began without grants', () => {
    const auditor = new RunAuditor(S);
    for (const line of new Granted().accept().run().call([READS]).lines)
      auditor.entry(parseEntry(utf8Encode(line)));
    const audit = auditor.done();
    expect(audit).toMatchObject({ isGranted: true, callsUnjudged: 0 });
    const [point] = auditPoints(audit, { broken: null, policy: [], replay: null }).slice(5);
    expect(point).toMatchObject({ point: 6, status: 'pass' });
  });
});
