// A ledger's directory as a crash, an accident or a careless hand may leave it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { encodeHead, encodeSegmentName, type Position, parseHead } from '../../src/format/index.ts';

export function segmentPath(directory: string, first: number, part = 0): string {
  return join(directory, 'ledger', encodeSegmentName({ first, part }));
}

export function segmentNames(directory: string): string[] {
  return fs.readdirSync(join(directory, 'ledger')).sort();
}

export function headOf(directory: string): Position {
  return parseHead(fs.readFileSync(join(directory, 'head')));
}

export function setHead(directory: string, head: Position): void {
  fs.writeFileSync(join(directory, 'head'), encodeHead(head));
}

/** Everything but the locks, which belong to whoever has it open. */
export function copyLedger(from: string, to: string): string {
  fs.rmSync(to, { recursive: true, force: true });
  fs.cpSync(from, to, { recursive: true });
  return to;
}

export function flipByte(path: string, at: number): void {
  const bytes = fs.readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  fs.writeFileSync(path, bytes);
}
