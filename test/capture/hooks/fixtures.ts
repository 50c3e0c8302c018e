// The real hosts' input, line by line: Claude Code's is the bare object, the others' stands beside the event's name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../../src/core/index.ts';

export interface Sample {
  readonly event: string | null;
  readonly stdin: Json;
}

const folder = join(import.meta.dirname, '..', 'fixtures');

export function readSamples(agent: string): Sample[] {
  return readLines(`${agent}.jsonl`).map((line) =>
    agent === 'claude-code' ? { event: null, stdin: line } : (line as unknown as Sample),
  );
}

/**
 * For each line of the samples, the events that it means. The adapters wrote them and they were then read line by line
 * by eye, so they pin what was agreed to; they are no second opinion. The tests below them check parts independently.
 */
export function readExpected(agent: string): Json[] {
  return readLines(`${agent}.events.jsonl`);
}

function readLines(name: string): Json[] {
  const text = readFileSync(join(folder, name), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
