// Rows of events as the hosts' documents have them: the name, the input's own members, and what it is read as.
import type { JsonObject } from '../../../src/core/index.ts';

export type Row = [name: string, input: JsonObject, expected: JsonObject];
export const PATCH =
  '*** Begin Patch\n*** Add File: a.ts\n+1\n*** Update File: b.ts\n*** Move to: c.ts\n-1\n+2\n*** Delete File: d.ts\n*** End Patch';
export const touched = (path: string, op: string, argMembers: string[], outputMembers: string[] = []) => ({
  path,
  op,
  argMembers,
  outputMembers,
});
export const patched = (member: string, output: string[] = []) => [
  touched('a.ts', 'write', [member], output),
  touched('b.ts', 'edit', [member], output),
  touched('c.ts', 'write', [member], output),
  touched('d.ts', 'delete', [member], output),
];
