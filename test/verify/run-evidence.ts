// Runs a vector of spec/vectors/evidence against a build of the verifier: the sources, or verify.js in a browser. It is
// sent there as text, so it uses nothing but the language, and what it is given.
import type * as Verifier from '../../src/entry/verify.ts';

export interface EvidenceVector {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
  readonly expect: {
    readonly verdict: string;
    readonly evidence: string;
    /** Each with its entry. */
    readonly codes: readonly string[];
    /** The word of the validator that says no when it is asked again. */
    readonly why: string | null;
    readonly claims: number;
    readonly proven: number;
  };
}

export async function runEvidence(
  verifier: typeof Verifier,
  { files, keys }: Pick<EvidenceVector, 'files' | 'keys'>,
): Promise<EvidenceVector['expect']> {
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const map = new Map(Object.entries(files).map(([path, text]) => [path, bytesOf(text)]));
  const report = await verifier.verifyLedger(verifier.filesFromMap(map), {
    keys: keys.map(verifier.parseVerifierKey),
  });
  const { status, findings } = report.facets.evidence;
  const wrong = findings.find(({ code }) => code === 'VALIDATION_WRONG');
  return {
    verdict: report.verdict,
    evidence: status,
    codes: [...new Set(findings.map(({ code, seq }) => `${code} ${seq ?? '-'}`))].sort(),
    why: /\(([a-z-]+)\)$/.exec(wrong?.message ?? '')?.[1] ?? null,
    claims: report.counts.claims,
    proven: report.counts.claimsProven,
  };
}
