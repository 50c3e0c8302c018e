// `foil scan` on a home directory of its own, and a session judged in this process.
import { findScannedClaim } from '../../src/report/scan-details.ts';
import { claimsIn, scanFile } from '../../src/report/scan-file.ts';
import { findTranscripts } from '../../src/report/transcript-files.ts';
import { temporary } from '../temporary.ts';
import { Sandbox } from './foil.ts';
import { ClaudeSession } from './transcripts.ts';

export interface Scanned {
  readonly [key: string]: unknown;
  readonly claims: number;
  readonly statuses: Record<string, number>;
  readonly sessions: number;
  readonly turns: number;
  readonly turns_with_claims: number;
  readonly turns_blocked: number;
  readonly files: number;
  readonly open: {
    id: string;
    quote: string;
    status: string;
    class: string;
    reason: string;
    project: string;
    type: string;
  }[];
  readonly worst: string[];
  readonly unreadable: string[];
  readonly types: Record<string, Record<string, number>>;
  readonly projects: Record<string, Record<string, number>>;
  readonly weeks: Record<string, Record<string, number>>;
  readonly models: Record<string, Record<string, number>>;
  readonly agents: Record<string, Record<string, number>>;
}

export const ID = (n: number): string => `${String(n).padStart(8, '0')}-1111-4222-8333-444444444444`;

export function scan(box: Sandbox, ...words: string[]): Scanned {
  return box.json(['scan', ...words]) as Scanned;
}

export function withBox(body: (box: Sandbox) => void): void {
  const box = new Sandbox();
  try {
    body(box);
  } finally {
    box.remove();
  }
}

/** What became of the claims of a session. */
export function judged(steps: (session: ClaudeSession) => unknown): string[] {
  const home = temporary();
  const session = new ClaudeSession(ID(1));
  steps(session);
  session.save(home);
  const files = findTranscripts({ home, env: {} });
  return files.flatMap((file) =>
    [...scanFile(file)]
      .flatMap((turn) => (turn === null ? [] : [...claimsIn(turn, file)]))
      .map(({ id }) => findScannedClaim(id, files))
      .map((claim) => `${claim?.status} ${claim?.quote}`),
  );
}
