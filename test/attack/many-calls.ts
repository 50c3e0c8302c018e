// Many calls at once through `foil mcp wrap`: as a process, whose memory is bounded, and each is on record or refused.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { wrapped } from '../e2e/mcp-client.ts';
import { newProject } from '../e2e/recorded-project.ts';

/** Each of 30 kB. */
export async function manyCalls(count: number): Promise<void> {
  const project = await newProject();
  const path = join(project.root, 'marks');
  const lenient = [process.execPath, join(import.meta.dirname, 'lenient-server.mjs')];
  const client = wrapped(project, { MARKS: path }, lenient);
  client.call(0, 't');
  await client.answer(0);
  const before = peakOf(client.child.pid);
  const text = 'x'.repeat(30_000);
  for (let i = 1; i <= count; i++) client.call(i, 't', { text });
  await client.until(() => client.messages().length >= count + 1);
  expect(peakOf(client.child.pid) - before).toBeLessThan(400_000_000);
  await client.end();
  const made = readFileSync(path, 'utf8').split('\n').filter(Boolean).length;
  const of = (kind: string) => project.entries().filter((entry) => entry.kind === kind);
  expect(of('tool.call').length).toBe(made);
  expect(of('tool.result').filter(({ payload }) => payload.result === 'ok').length).toBe(made);
  await project.expectIntact();
}

/** The most memory that a process has had, in bytes. */
export function peakOf(pid: number | undefined): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
