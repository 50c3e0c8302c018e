// OpenTimestamps proofs of others, and ours before others. The proofs are the examples of opentimestamps-client, kept
// beside this project at ../shared/vectors; the reader is python-opentimestamps, Debian's python3-opentimestamps, which
// shares no code with ours. Where either is missing these tests say so and are skipped.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attestationsOf,
  buildOpenTimestamp,
  encodeOpenTimestamp,
  type OpenTimestamp,
  parseOpenTimestamp,
  pendingAttestations,
  type TimestampAttestation,
  type TimestampOperation,
  type TimestampTree,
  upgradeOpenTimestamp,
  verifyOpenTimestamp,
} from '../../src/core/index.ts';
import {
  blockOf,
  fileOf,
  hex,
  oneBitFlips,
  outcome,
  proofs,
  unhex,
  VECTORS,
  vector,
} from './open-timestamps.ts';

const shared = join(import.meta.dirname, '../../../shared/vectors');
const noVectors = !existsSync(join(shared, 'ots'));

describe.skipIf(noVectors)(
  noVectors
    ? 'examples of opentimestamps-client: skipped, no ../shared/vectors/ots'
    : 'examples of opentimestamps-client',
  () => {
    const read = (name: string): Uint8Array => new Uint8Array(readFileSync(join(shared, 'ots', name)));
    const blocks = noVectors
      ? []
      : (JSON.parse(readFileSync(join(shared, 'bitcoin-headers.json'), 'utf8')) as never[]).map(blockOf);
    const stampedOf = (name: string) => ({
      hash: 'sha256' as const,
      digest: new Uint8Array(createHash('sha256').update(read(name)).digest()),
    });
    const check = (name: string) =>
      verifyOpenTimestamp(parseOpenTimestamp(read(`${name}.ots`)), stampedOf(name), blocks);

    it('X2 hello-world is proven by the header of block 358391', () => {
      expect(check('hello-world.txt')).toMatchObject({
        status: 'pass',
        code: 'ATTESTED',
        height: 358_391,
        time: Date.parse('2015-05-28T15:41:18Z') / 1000,
      });
    });

    it('X2 bad-stamp fails', () => {
      expect(check('bad-stamp.txt')).toMatchObject({ status: 'fail', code: 'OTHER_ROOT' });
    });

    it('X2 incomplete and two-calendars are pending', () => {
      const calendars = (name: string) =>
        pendingAttestations(parseOpenTimestamp(read(`${name}.ots`))).map(({ uri, upgraded }) => [
          uri,
          upgraded,
        ]);
      expect(check('incomplete.txt')).toMatchObject({ status: 'unknown', code: 'PENDING' });
      expect(calendars('incomplete.txt')).toEqual([['https://alice.btc.calendar.opentimestamps.org', false]]);
      expect(check('two-calendars.txt')).toMatchObject({ status: 'unknown', code: 'PENDING' });
      expect(calendars('two-calendars.txt')).toEqual([
        ['https://alice.btc.calendar.opentimestamps.org', false],
        ['https://bob.btc.calendar.opentimestamps.org', false],
      ]);
    });

    it.each(['hello-world', 'bad-stamp', 'incomplete', 'two-calendars'])(
      '%s comes back byte for byte',
      (name) => {
        const bytes = read(`${name}.txt.ots`);
        expect(hex(encodeOpenTimestamp(parseOpenTimestamp(bytes)))).toBe(hex(bytes));
      },
    );

    it('X2 hello-world cut anywhere is refused, and with one bit changed passes in one case, which proves the same', () => {
      const bytes = read('hello-world.txt.ots');
      const stamped = stampedOf('hello-world.txt');
      for (let length = 0; length < bytes.length; length++) {
        expect(outcome(bytes.subarray(0, length), stamped, blocks), `cut at ${length}`).toBe('refused');
      }
      const outcomes = new Map<string, number>();
      const passed: { at: number; bit: number }[] = [];
      for (const { at, bit, changed } of oneBitFlips(bytes)) {
        const found = outcome(changed, stamped, blocks);
        outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
        if (found === 'pass') passed.push({ at, bit });
      }
      // Append becomes prepend, of a hash to itself: Bitcoin pairs the last of an odd number of hashes with itself, so
      // the message that comes out is the same. Nothing else in the file may change: magic, digest, way, block.
      expect(passed).toEqual([{ at: 603, bit: 1 }]);
      expect(bytes[603]).toBe(0xf0);
      const itself = messageBefore(parseOpenTimestamp(bytes), bytes.slice(605, 637));
      expect(hex(itself)).toBe(hex(bytes.slice(605, 637)));
      expect([...outcomes.keys()].sort()).toEqual(['fail', 'pass', 'refused', 'unknown']);
    });
  },
);

/** The message of a proof without forks to which these bytes are appended. */
function messageBefore(proof: OpenTimestamp, argument: Uint8Array): Uint8Array {
  const before: TimestampOperation[] = [];
  for (let branch = proof.tree[0]; branch !== undefined && 'next' in branch; branch = branch.next[0]) {
    if ('argument' in branch.operation && hex(branch.operation.argument) === hex(argument)) break;
    before.push(branch.operation);
  }
  const end: TimestampTree = [{ attestation: { kind: 'pending', uri: '' } }];
  const tree = before.reduceRight<TimestampTree>((next, operation) => [{ operation, next }], end);
  return attestationsOf({ ...proof, tree })[0]?.message ?? new Uint8Array(0);
}

/** Reads proofs in hex, a line each, and says what the reference implementation makes of them. */
const READER = `
import json, sys, warnings
warnings.simplefilter('ignore')
from opentimestamps.core.timestamp import DetachedTimestampFile
from opentimestamps.core.serialize import BytesDeserializationContext, BytesSerializationContext
def told(attestation):
    for member in ('height', 'uri'):
        if hasattr(attestation, member): return str(getattr(attestation, member))
    return attestation.payload.hex()
for line in sys.stdin:
    try:
        proof = DetachedTimestampFile.deserialize(BytesDeserializationContext(bytes.fromhex(line)))
    except Exception:
        print('null')
        continue
    try:
        again = BytesSerializationContext()
        proof.serialize(again)
        again = again.getbytes().hex()
    except Exception:
        again = None # it can't sort attestations of unknown kinds
    attested = [(m.hex(), a.TAG.hex(), told(a)) for m, a in proof.timestamp.all_attestations()]
    print(json.dumps({'hash': proof.file_hash_op.TAG_NAME, 'digest': proof.file_digest.hex(), 'attested': attested, 'again': again}))
`;
type Reading = { hash: string; digest: string; attested: [string, string, string][]; again: string | null };

const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import opentimestamps.core.timestamp']).status === 0,
);

function readByPython(files: readonly Uint8Array[]): (Reading | null)[] {
  const { status, stdout, stderr } = spawnSync(python ?? '', ['-c', READER], {
    input: files.map((file) => `${hex(file)}\n`).join(''),
    maxBuffer: 1 << 28,
  });
  expect(stderr.toString('utf8')).toBe('');
  expect(status).toBe(0);
  return stdout
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Reading | null);
}

/** What we read, in the words of the other; a set, for a message there has each branch once. */
function ourReading(file: Uint8Array): Omit<Reading, 'again'> {
  const proof = parseOpenTimestamp(file);
  const attested = attestationsOf(proof).map(({ attestation, message }) =>
    [hex(message), ...told(attestation)].join(),
  );
  return { hash: proof.hash, digest: hex(proof.digest), attested: [...new Set(attested)].sort() as never };
}

function told(attestation: TimestampAttestation): [string, string] {
  if (attestation.kind === 'unknown') return [hex(attestation.tag), hex(attestation.payload)];
  if (attestation.kind === 'pending') return ['83dfe30d2ef90c8e', attestation.uri];
  return [
    attestation.kind === 'bitcoin' ? '0588960d73d71901' : '06869a0d73d71b45',
    String(attestation.height),
  ];
}

const theirs = (reading: Reading | null | undefined) =>
  reading && {
    hash: reading.hash,
    digest: reading.digest,
    attested: [...new Set(reading.attested.map((each) => each.join()))].sort(),
  };

describe.skipIf(python === undefined)(
  python === undefined
    ? 'python-opentimestamps: skipped, python3-opentimestamps is not installed'
    : 'python-opentimestamps',
  () => {
    it('X2 reads the proofs that we make and upgrade, and would write them so itself', () => {
      const digest = new Uint8Array(32).fill(7);
      const answers = [
        unhex(`f1040a0b0c0df0080102030405060708${hex(pendingLeaf('https://alice.example.org'))}`),
        unhex(`f0100102030405060708090a0b0c0d0e0f1008${hex(pendingLeaf('https://bob.example.org'))}`),
        unhex(`f1010908${hex(pendingLeaf('https://bob.example.org/b'))}`),
      ];
      const made = buildOpenTimestamp(digest, new Uint8Array(16).fill(9), answers);
      const steps = [made];
      for (const { message } of pendingAttestations(made)) {
        const answer = unhex(
          `f120${'ab'.repeat(32)}0808f020${'cd'.repeat(32)}0808000588960d73d7190103f7ef15`,
        );
        steps.push(upgradeOpenTimestamp(steps.at(-1)!, message, answer));
      }
      const files = steps.map(encodeOpenTimestamp);
      const readings = readByPython(files);
      expect(readings.map(theirs)).toEqual(files.map(ourReading));
      expect(readings.map((reading) => reading?.again)).toEqual(files.map(hex));
      expect(readings.at(-1)?.attested).toHaveLength(6);
    });

    it('reads any proof that we write as we do', () => {
      const files = fc.sample(proofs, { numRuns: 300, seed: 6 }).map(encodeOpenTimestamp);
      // It keeps of two equal operations on one message the last alone, so what we have may be more.
      for (const [i, reading] of readByPython(files).entries()) {
        const ours = ourReading(files[i]!);
        const their = theirs(reading);
        expect([their?.hash, their?.digest]).toEqual([ours.hash, ours.digest]);
        expect(ours.attested).toEqual(expect.arrayContaining(their?.attested ?? []));
        if (!hasTwins(files[i]!)) expect(their).toEqual(ours);
      }
    });

    it('takes and refuses what we do, but for what we are stricter about', () => {
      const readings = readByPython(VECTORS.map(([, each]) => fileOf(each)));
      for (const [i, [name, each]] of VECTORS.entries()) {
        const refused = each.error !== undefined && each.stricter !== true;
        expect([name, readings[i] === null]).toEqual([name, refused]);
        if (each.error === undefined) expect(theirs(readings[i])).toEqual(ourReading(fileOf(each)));
      }
    });

    it('agrees on every change by one bit', () => {
      const files = ['upgraded', 'every-operation'].flatMap((name) =>
        [...oneBitFlips(fileOf(vector(name)))].map(({ changed }) => changed),
      );
      for (const [i, reading] of readByPython(files).entries()) {
        const file = files[i]!;
        let ours: ReturnType<typeof ourReading> | undefined;
        try {
          ours = ourReading(file);
        } catch {
          // Refused by us: checked below.
        }
        if (ours !== undefined) expect(theirs(reading)).toEqual(ours);
        // A change by one bit makes no number longer than it need be that would be read to its end.
        else expect(reading).toBeNull();
      }
    });
  },
);

function pendingLeaf(uri: string): Uint8Array {
  const text = new TextEncoder().encode(uri);
  return Uint8Array.from([...unhex('0083dfe30d2ef90c8e'), text.length + 1, text.length, ...text]);
}

/** Whether one message has the same operation twice. */
function hasTwins(file: Uint8Array): boolean {
  const open = [parseOpenTimestamp(file).tree];
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    const operations = tree.flatMap((branch) =>
      'operation' in branch ? [JSON.stringify(branch.operation)] : [],
    );
    if (new Set(operations).size < operations.length) return true;
    for (const branch of tree) if ('next' in branch) open.push(branch.next);
  }
  return false;
}
