// Files that lie in a ledger's directory and are nobody's evidence: whatever is in them, a verifier says the same.
import { expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { codesOf, statusesOf, verify } from './expect.ts';
import { LedgerMaker } from './make-ledger.ts';

it('sessions, settings and the service are not judged', async () => {
  const made = new LedgerMaker().notes(3).seal();
  const before = await verify(made.files, { keys: [made.signer] });
  for (const content of ['', '{"v":1}', 'rubbish \0\u0001', '{"half'])
    for (const path of [
      'settings',
      'sessions/claude-code.x',
      'sessions/x.tmp',
      'service/token',
      'service/state',
    ]) {
      const files = made.copy();
      files.set(path, utf8Encode(content));
      const report = await verify(files, { keys: [made.signer] });
      expect(codesOf(report), path).toEqual(codesOf(before));
      expect(statusesOf(report)).toBe('pass pass pass');
      expect(report.verdict).toBe('INTACT');
    }
});
