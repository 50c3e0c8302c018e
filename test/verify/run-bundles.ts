// spec/vectors/bundle, as tests read it: what a verifier is given, and what it must say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseVerifierKey } from '../../src/core/index.ts';
import { openPack } from '../../src/harness/index.ts';
import { type BundleReport, verifyBundle } from '../../src/verify/index.ts';
import type { BundleCase, Trust } from './make-bundles.ts';

export const FOLDER = join(import.meta.dirname, '../../spec/vectors/bundle');

/** Variations: they are made and verified in tests, and would only make the folder large. */
export const ONLY_HERE: ReadonlySet<string> = new Set([
  'many-prompts',
  'file-climbs-out',
  'file-denied-in-a-home',
  'file-redacted',
  'files-cut-off',
  'files-that-a-rule-allows',
  'host-hidden',
  'judged-other-model',
  'judged-lower-threshold',
  'judged-fewer-votes',
  'judged-by-one',
  'judged-without-a-rubric',
  'tool-denied-that-the-model-asked-for',
  'tool-denied-by-its-result',
  'tool-denied-at-its-server',
  'attested-other-entries',
  'payload-not-canonical',
  'checkpoint-malformed',
  'entry-in-both',
  'proof-of-another-size',
  'manifest-event-chain-root',
  'pack-id-wrong',
  'content-without-its-key',
  'nonce-used-twice',
  'arguments-that-are-a-text',
  'tool-denied-behind-the-end',
  'another-type',
  'artifacts-chosen',
  'open-pack-called-secret',
  'inline-arguments',
  'line-names-a-compiler',
  'artifacts-twice',
  'pack-unnamed',
  'another-run-of-the-ledger',
  'attested-other-ledger',
  'attester-under-another-name',
  'attestation-nested',
  'cut-short',
  'something-behind-it',
  'part-missing',
  'no-proof',
  'no-checkpoint',
  'proof-with-more',
  'inner-member-added',
  'member-missing',
  'date-of-no-form',
  'count-below-zero',
  'hash-in-capitals',
  'id-too-long',
  'envelope-member-added',
  'envelope-nested',
  'checkpoint-by-the-replaced-key',
  'entry-not-canonical',
  'empty-line',
  'no-last-newline',
  'ledger-line-malformed',
  'entry-twice',
  'another-run-id',
  'entry-of-nobody',
  'gap-before-the-run',
  'opened-by-another',
  'proof-hash-added',
  'proof-hash-missing',
  'checkpoint-of-another-ledger',
  'first-left-out',
  'prompt-left-out',
  'run-begun-elsewhere',
  'sum-malformed',
  'end-sum-malformed',
  'manifest-receipts-root',
  'manifest-commit',
  'manifest-tree',
  'manifest-entries',
  'pack-without-a-name',
  'two-packs',
  'pack-cut-short',
  'config-hash-wrong',
  'pack-malformed',
  'argument-denied-in-a-text',
  'argument-denied-inline',
  'arguments-of-no-form',
  'arguments-encrypted',
  'tool-without-a-name',
  'content-without-keys',
  'content-under-another-key',
  'content-keys-nested',
  'content-key-of-no-form',
  'content-of-no-name',
  'artifacts-malformed',
  'artifacts-of-no-entry',
  'commit-of-no-entry',
  'commit-of-fewer-files',
  'commit-of-unshown-parents',
  'commit-of-no-run',
  'commit-without-artifacts',
  'commit-with-other-parents',
  'commit-malformed',
  'receipt-forged',
  'receipt-of-another-pack',
  'gateway-call-left-out',
  'gateway-call-repeated',
  'gateway-closed-at-another-call',
  'gateway-closed-too-early',
]);

/** One of cases.json. */
export interface BundleVector extends Omit<BundleCase, 'bytes'> {
  readonly file: string;
  readonly now: string;
}

export function readCases(): BundleVector[] {
  return JSON.parse(readFileSync(join(FOLDER, 'cases.json'), 'utf8')) as BundleVector[];
}

export function readBundle({ file }: Pick<BundleVector, 'file'>): Uint8Array {
  return new Uint8Array(readFileSync(join(FOLDER, file)));
}

export function verified(bytes: Uint8Array, trust: Trust, now: string): BundleReport {
  return verifyBundle(bytes, {
    trust: {
      keys: trust.keys.map(parseVerifierKey),
      packs: trust.packs,
      gateways: trust.gateways.map(({ vkey, upstreams }) => ({ key: parseVerifierKey(vkey), upstreams })),
      attesters: trust.attesters.map(({ vkey, ...more }) => ({ ...more, key: parseVerifierKey(vkey) })),
    },
    now: Date.parse(now),
    openPack,
  });
}

export function saidOf({ verdict, tier, findings }: BundleReport): BundleCase['expect'] {
  return {
    verdict,
    tier,
    codes: [...new Set<string>(findings.map(({ code }) => code))].sort(),
  };
}
