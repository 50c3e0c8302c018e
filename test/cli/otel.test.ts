// foil log --format otel through the built file: a recorded session as OpenTelemetry reads it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRequest, spansOf, valuesOf } from '../format/otlp-schema.ts';
import { Sandbox } from './foil.ts';
import { openRecorded, recordEverything } from './recorded-ledger.ts';

const sandbox = new Sandbox();
const id = 'a1'.repeat(32);
beforeAll(async () => {
  sandbox.ledger();
  const to = openRecorded(sandbox.path('.foil'));
  await recordEverything(to, id);
  await to.close();
});
afterAll(() => sandbox.remove());

const requests = (text: string) => text.split('\n').slice(0, -1).map(readRequest);

describe('foil log --format otel', () => {
  it('prints a trace that OpenTelemetry reads, with every call in it and nothing of what was said', () => {
    const { code, stdout, stderr } = sandbox.run(['log', '--format', 'otel']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'foil: 1 span has no recorded end. They are marked counterfoil.open, and end with the last entry of their session.\n',
    );
    const [request, ...others] = requests(stdout);
    expect(others).toEqual([]);
    const spans = request === undefined ? [] : spansOf(request);
    expect(
      spans.map((span) => [span.name, span.status.code, valuesOf(span)['counterfoil.open'] ?? false]),
    ).toEqual([
      ['execute_tool Bash', 0, false],
      ['execute_tool Edit', 0, false],
      ['execute_tool Bash', 2, false],
      ['execute_tool Bash', 2, false],
      ['invoke_agent Explore', 0, false],
      ['invoke_agent claude-code', 0, false],
      ['session claude-code', 0, false],
      ['execute_tool Grep', 0, true],
    ]);
    const log = sandbox.ok(['log', '--json']).split('\n');
    for (const span of spans) {
      const { 'counterfoil.seq': seq, 'counterfoil.hash': hash } = valuesOf(span);
      expect(JSON.parse(log[Number(seq) - 1] ?? '').entry_hash).toBe(hash);
      expect(span.spanId).toBe(String(hash).slice(0, 16));
      expect(span.traceId).toBe(id.slice(0, 32));
    }
    const [{ resource } = { resource: { attributes: [] } }] = request?.resourceSpans ?? [];
    expect(valuesOf(resource)).toMatchObject({ 'service.name': 'claude-code' });
    expect(valuesOf(resource)['counterfoil.origin']).toMatch(/^counterfoil\/[0-9a-f]{16}$/);
    for (const word of ['flaky', 'npm test', 'all good', 'rm -rf', 'clock', 'not in this project'])
      expect(stdout).not.toContain(word);
  });

  it('takes the same filters, and says nothing where there is nothing', () => {
    expect(sandbox.ok(['log', '--format', 'otel', '--kind', 'note'])).toBe('');
    const [request] = requests(
      sandbox.ok(['log', '--format', 'otel', '--json', '--kind', 'tool.denied', '--session', 'a1']),
    );
    expect(request === undefined ? [] : spansOf(request).map(({ name }) => name)).toEqual([
      'execute_tool Bash',
    ]);
  });

  it('has an end, so it can not be followed', () => {
    const { code, stderr } = sandbox.run(['log', '--format', 'otel', '--follow']);
    expect(code).toBe(2);
    expect(stderr).toContain('a trace is only written when it ends');
  });
});
