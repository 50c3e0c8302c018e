// Runs a vector against a build of the verifier: the sources, or verify.js in a browser. It is sent there as text, so
// it uses nothing but the language, and what it is given.
import type * as Verifier from '../../src/entry/verify.ts';
import type { EntryVector, LedgerVector, ProofVector } from './make-vectors.ts';

export function entryBytes({ text, hex, repeat }: EntryVector): Uint8Array {
  if (hex !== undefined)
    return Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  const line = repeat === undefined ? text : repeat.before + repeat.text.repeat(repeat.times) + repeat.after;
  return new TextEncoder().encode(line);
}

function base64Bytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function runEntry(verifier: typeof Verifier, vector: EntryVector): string {
  try {
    verifier.parseEntry(entryBytes(vector));
    return 'ok';
  } catch (error) {
    if (error instanceof verifier.ParseError) return error.code;
    throw error;
  }
}

export async function runLedger(
  verifier: typeof Verifier,
  { files, keys }: Pick<LedgerVector, 'files' | 'keys'>,
): Promise<LedgerVector['expect']> {
  const map = new Map(Object.entries(files).map(([path, text]) => [path, base64Bytes(text)]));
  const report = await verifier.verifyLedger(verifier.filesFromMap(map), {
    keys: keys.map(verifier.parseVerifierKey),
  });
  const { integrity, truncation, identity, sessions } = report.facets;
  const found = [integrity, truncation, identity].flatMap(({ findings }) => findings);
  const codes = found.map(({ code, seq, file }) => [code, seq ?? '-', file ?? '-'].join(' '));
  const ofSessions = sessions.findings.map(({ code, seq }) => `${code} ${seq ?? '-'}`);
  return {
    verdict: report.verdict,
    integrity: integrity.status,
    truncation: truncation.status,
    identity: identity.status,
    signed: report.marks.signed?.to ?? 0,
    codes: [...new Set(codes)].sort(),
    ...(ofSessions.length === 0 ? {} : { sessions: ofSessions }),
  };
}

export async function runProof(
  verifier: typeof Verifier,
  { proof, entry, keys }: Pick<ProofVector, 'proof' | 'entry' | 'keys'>,
): Promise<{ valid: boolean; codes: string[] }> {
  const report = verifier.verifyProof({
    proof: base64Bytes(proof),
    keys: keys.map(verifier.parseVerifierKey),
    ...(entry === null ? {} : { entry: base64Bytes(entry) }),
  });
  return { valid: report.valid, codes: report.findings.map(({ code }) => code) };
}
