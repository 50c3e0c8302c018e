// spec/vectors/bundle, as tests read it: what a verifier is given, and what it must say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseVerifierKey } from '../../src/core/index.ts';
import { openPack } from '../../src/harness/index.ts';
import { type BundleReport, verifyBundle } from '../../src/verify/index.ts';
import type { BundleCase, Trust } from './make-bundles.ts';

export const FOLDER = join(import.meta.dirname, '../../spec/vectors/bundle');

/** One of cases.json. */
export interface BundleVector extends Omit<BundleCase, 'bytes'> {
  readonly file: string;
  readonly now: string;
}

export function readCases(): BundleVector[] {
  return JSON.parse(readFileSync(join(FOLDER, 'cases.json'), 'utf8')) as BundleVector[];
}

export function readBundle({ file }: BundleVector): Uint8Array {
  return new Uint8Array(readFileSync(join(FOLDER, file)));
}

export function verified(bytes: Uint8Array, trust: Trust, now: string): BundleReport {
  const keyOf = ({ vkey, ...more }: { readonly vkey: string }) => ({ ...more, key: parseVerifierKey(vkey) });
  return verifyBundle(bytes, {
    trust: {
      keys: trust.keys.map(parseVerifierKey),
      packs: trust.packs,
      gateways: trust.gateways.map(({ vkey, upstreams }) => ({ key: parseVerifierKey(vkey), upstreams })),
      attesters: trust.attesters.map(keyOf),
    },
    now: Date.parse(now),
    openPack,
  });
}

export function saidOf({ verdict, tier, findings }: BundleReport): BundleCase['expect'] {
  return {
    verdict,
    tier: tier as 'self',
    codes: [...new Set<string>(findings.map(({ code }) => code))].sort(),
  };
}
