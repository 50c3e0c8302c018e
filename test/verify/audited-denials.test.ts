// O4: an audit lists each denial once, with its call and what that needed, and counts them rightly.
import { expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import type { JsonObject } from '../../src/core/index.ts';
import { encodeCallAuthority, parseEntry } from '../../src/format/index.ts';
import { RunAuditor } from '../../src/verify/index.ts';
import { LedgerMaker } from './make-ledger.ts';

const SESSION = '7'.repeat(64);

function authority(verdict: 'allow' | 'deny' | 'would-deny', missing: string[] = []): JsonObject {
  const none = { more: 0, unread: null, ambient: [] };
  return encodeCallAuthority({
    grants: 'a'.repeat(64),
    root: '/p',
    needs: missing,
    missing,
    verdict,
    ...none,
  });
}

it('O4 lists the denials of a session that a host recorded', () => {
  const ledger = new LedgerMaker();
  const append = (kind: string, payload: JsonObject, cause: number | null = null): number => {
    ledger.append(kind, payload, { session_id: SESSION, cause });
    return parseEntry(utf8Encode(ledger.lines.at(-1) ?? '')).seq;
  };
  append('session.start', { agent: 'claude-code' });
  const denied = append('tool.call', { tool: 'Bash', authority: authority('deny', ['fs:read:/b']) });
  append('tool.denied', { tool: 'Bash', by: 'foil', reason: 'fs:read:/b' }, denied);
  const refused = append('tool.call', { tool: 'Write', authority: authority('allow') });
  append('tool.denied', { tool: 'Write', by: 'user', reason: null }, refused);
  const loose = append('tool.denied', { tool: 5, by: 'host', reason: 'no' });
  const ran = append('tool.call', { tool: 'Read', authority: authority('would-deny', ['fs:read:/c']) });
  append('tool.result', { tool: 'Read' }, ran);
  const auditor = new RunAuditor(SESSION);
  for (const line of ledger.lines) auditor.entry(parseEntry(utf8Encode(line)));
  const { denials, usage } = auditor.done();
  expect(denials.map(({ seq, tool, needs, reason }) => [seq, tool, needs, reason])).toEqual([
    [denied, 'Bash', ['fs:read:/b'], 'fs:read:/b is not granted'],
    [refused, 'Write', [], 'denied by user'],
    [loose, '?', [], 'denied by host: no'],
  ]);
  expect(usage).toMatchObject({ calls: 1, denials: 3 });
});
