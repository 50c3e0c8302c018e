// `custody`: something of a run was given out. Who did it, what it was by its hash, and for whom, as they said. spec/entry.md.
import type { JsonObject } from '../core/index.ts';
import { count, exactly, hash, oneOf, orNull, shortText } from './members.ts';

export const CUSTODY = 'custody';
const FORMS = ['proof_bundle.v1', 'run_export.v1'] as const;

export interface Custody {
  readonly run: string;
  readonly form: (typeof FORMS)[number];
  /** The name of the file; null where it went to standard output. */
  readonly file: string | null;
  /** Of all its bytes. */
  readonly sha256: string;
  readonly bytes: number;
  /** The user of the machine who ran the command. */
  readonly by: string;
  /** For whom, in their words. */
  readonly recipient: string | null;
}

const LONGEST = 256;

export function encodeCustody({ run, form, file, sha256, bytes, by, recipient }: Custody): JsonObject {
  return { run, form, file, sha256, bytes, by, recipient };
}

/** Throws ParseError. */
export function parseCustody(payload: JsonObject): Custody {
  exactly(payload, ['run', 'form', 'file', 'sha256', 'bytes', 'by', 'recipient']);
  return {
    run: hash(payload, 'run'),
    form: oneOf(payload, 'form', FORMS),
    file: orNull(payload, 'file', () => shortText(payload, 'file', LONGEST)),
    sha256: hash(payload, 'sha256'),
    bytes: count(payload, 'bytes'),
    by: shortText(payload, 'by', LONGEST),
    recipient: orNull(payload, 'recipient', () => shortText(payload, 'recipient', LONGEST)),
  };
}
