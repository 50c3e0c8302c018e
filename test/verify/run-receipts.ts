// Runs a vector of spec/vectors/receipt against a build of the verifier: the sources, or verify.js in a browser. It is
// sent there as text, so it uses nothing but the language, and what it is given.
import type * as Verifier from '../../src/entry/verify.ts';

export interface ReceiptVector {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
  readonly expect: {
    readonly verdict: string;
    readonly receipts: string;
    /** Each with its entry. */
    readonly codes: readonly string[];
  };
}

export async function runReceipts(
  verifier: typeof Verifier,
  { files, keys }: Pick<ReceiptVector, 'files' | 'keys'>,
): Promise<ReceiptVector['expect']> {
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const map = new Map(Object.entries(files).map(([path, text]) => [path, bytesOf(text)]));
  const report = await verifier.verifyLedger(verifier.filesFromMap(map), {
    keys: keys.map(verifier.parseVerifierKey),
  });
  const { status, findings } = report.facets.receipts;
  return {
    verdict: report.verdict,
    receipts: status,
    codes: [...new Set(findings.map(({ code, seq }) => `${code} ${seq ?? '-'}`))].sort(),
  };
}
