// The demo's stand-in of Bitcoin: what it promises it proves with the next block, whatever else is in there, and the blocks are
// taken for none of Bitcoin's own.
import { expect, it, onTestFinished } from 'vitest';
import { sha256 } from '#platform';
import { startRegtest } from '../../../examples/demo/regtest.ts';
import {
  buildOpenTimestamp,
  calendarDigest,
  encodeHex,
  type OpenTimestamp,
  parseHeader,
  parseHex,
  pendingAttestations,
  REGTEST,
  upgradeOpenTimestamp,
  verifyHeader,
  verifyOpenTimestamp,
} from '../../../src/core/index.ts';

const NONCE = new Uint8Array(16);
const DIGESTS = ['one', 'two', 'three'].map((text) => sha256(Buffer.from(text)));

it('proves all that it promised, and only with a block', async () => {
  const chain = await startRegtest(100, 1_763_200_000_000);
  onTestFinished(() => chain.close());
  const ask = async (path: string, init?: RequestInit): Promise<Uint8Array | undefined> => {
    const response = await fetch(chain.url + path, init);
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
  };
  const text = async (path: string): Promise<string> => Buffer.from((await ask(path)) ?? []).toString();
  const proofs: OpenTimestamp[] = [];
  for (const digest of DIGESTS) {
    const body = Uint8Array.from(calendarDigest(digest, NONCE));
    const answer = (await ask('/digest', { method: 'POST', body })) ?? new Uint8Array();
    proofs.push(buildOpenTimestamp(digest, NONCE, [answer]));
  }
  const nameOf = (proof: OpenTimestamp): Uint8Array =>
    pendingAttestations(proof)[0]?.message ?? new Uint8Array();
  for (const proof of proofs) expect(await ask(`/timestamp/${encodeHex(nameOf(proof))}`)).toBeUndefined();

  chain.mine(1_763_200_600_000);
  expect(await text('/blocks/tip/height')).toBe('101');
  const hash = await text('/block-height/101');
  const header = parseHex(await text(`/block/${hash}/header`), 80);
  expect(verifyHeader(header, { hash, height: 101 }, { chain: REGTEST }).status).toBe('pass');
  expect(verifyHeader(header, { hash, height: 101 }).reason).toBe('TARGET_TOO_EASY');
  const { merkleRoot, time } = parseHeader(header);
  for (const proof of proofs) {
    const name = nameOf(proof);
    const answer = (await ask(`/timestamp/${encodeHex(name)}`)) ?? new Uint8Array();
    const whole = upgradeOpenTimestamp(proof, name, answer);
    expect(verifyOpenTimestamp(whole, proof, [{ height: 101, merkleRoot, time }]).code).toBe('ATTESTED');
  }
});
