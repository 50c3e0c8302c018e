// What could not be checked is never called a pass: calls without an id, calls without an end, facets with nothing in them.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { renderReport } from '../../src/report/render-report.ts';
import type { Report } from '../../src/verify/index.ts';
import { verify } from './expect.ts';
import { LedgerMaker } from './make-ledger.ts';

const S = '5'.repeat(64);
const plain = (text: string): string => text;
const PAINT = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };

class Hooks extends LedgerMaker {
  by(kind: string, payload: JsonObject = {}, cause: number | null = null): this {
    this.append(kind, payload, { source: 'hook:gemini', session_id: S, cause });
    return this;
  }

  call(id: string | null = null): this {
    return this.by('tool.call', { tool: 'run', tool_use_id: id, args_hash: S, tree: null });
  }
}

const verified = (ledger: LedgerMaker): Promise<Report> => verify(ledger.seal().files);

describe('verify', () => {
  it('does not know whether calls without an id are complete', async () => {
    const { facets } = await verified(new Hooks().call().call());
    expect(facets.completeness).toMatchObject({
      status: 'unknown',
      message: '2 tool calls were recorded without an id, so nothing could be compared.',
    });
  });

  it('tells of a call without a result once its turn has ended', async () => {
    const found = async (ledger: Hooks): Promise<unknown> =>
      (await verified(ledger)).facets.completeness.findings.map(({ code, seq }) => [code, seq]);
    const ledger = new Hooks().call('a');
    const { size: seq } = ledger;
    expect(await found(ledger)).toEqual([]);
    expect(await found(ledger.by('response'))).toEqual([['CALL_ENDLESS', seq]]);
    const ended = new Hooks().call('a');
    ended.by('tool.result', { tool: 'run', tool_use_id: 'a', result: 'ok', tree: null }, ended.size);
    expect(await found(ended.by('response'))).toEqual([]);
  });

  it('calls no facet passed that had nothing to check', async () => {
    const report = await verified(new LedgerMaker());
    const text = renderReport(report, '/ledger', PAINT);
    expect(text).toMatch(/^receipts +– +No model call went through the gateway\.$/m);
    expect(text).toMatch(/^completeness +– +No tool was called here\.$/m);
    expect(text).toMatch(/^integrity +pass +No entry was changed, removed, added or moved\.$/m);
  });
});
