// What `foil gate` says of a turn, as data and in words.
import type { Extraction } from '../gate/index.ts';
import { harmless, shorten } from './text.ts';

export interface Claimed {
  readonly type: string;
  readonly quote: string;
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
  readonly validator: string | null;
  readonly command: string | null;
  /** Entries of the ledger. */
  readonly evidence: readonly number[];
  /** The commands and changed files that it rests on. */
  readonly rests_on: readonly string[];
}

export interface Gated {
  readonly transcript: string;
  /** The host's id of the session. */
  readonly host_session: string | null;
  /** The ledger's; null where it has none of that id. */
  readonly session: string | null;
  readonly extraction: Extraction;
  /** Unknown where the transcript has no turn that could be judged, or its last one goes on. */
  readonly verdict: 'silent' | 'pass' | 'block' | 'unknown';
  readonly why: string | null;
  readonly policy_hash: string;
  readonly claims: readonly Claimed[];
  /** What a pass does not say. */
  readonly note: string | null;
  /** What the agent would be told. */
  readonly message: string | null;
  readonly contract: string | null;
}

const VERDICTS = {
  silent: 'would pass: nothing to judge',
  pass: 'would pass',
  block: 'would block',
  unknown: 'unknown: there is nothing to judge in it',
} as const;
const NOT_ENDED = 'unknown: the last turn has not ended';

export function renderGate(gated: Gated, explain: boolean): string {
  const { claims, verdict, why } = gated;
  const lines = [
    `${why === 'not-ended' ? NOT_ENDED : VERDICTS[verdict]}${why === null || why === 'not-ended' ? '' : ` (${why})`}`,
    `  message    ${gated.extraction}`,
    `  evidence   ${gated.session === null ? 'only from the transcript, because no session with that id is on record here' : `session ${gated.session}`}`,
    ...(explain ? [`  policy     ${gated.policy_hash}`] : []),
    ...(gated.note === null ? [] : [`  note       ${gated.note}`]),
    ...(why === 'final-block' ? [`  block      ${harmless(gated.message?.split('\n')[0] ?? '')}`] : []),
  ];
  claims.forEach((claim, index) => {
    const code = claim.code === null || claim.code === claim.status ? '' : ` (${claim.code})`;
    lines.push('', `${index + 1}. "${shorten(harmless(claim.quote), 120)}" (${claim.type})`);
    lines.push(
      `   ${claim.status}${code}${claim.reason === null ? '' : `: ${shorten(harmless(claim.reason), 300)}`}`,
    );
    const names = claim.rests_on.map((name) => shorten(harmless(name), 80));
    const rests = claim.evidence.length > 0 ? [claim.evidence.join(', '), ...names] : names;
    if (rests.length > 0) lines.push(`   rests on ${rests.join(' · ')}`);
    if (claim.command !== null) lines.push(`   run: ${harmless(claim.command)}`);
  });
  if (explain && gated.contract !== null)
    lines.push(
      '',
      'contract',
      ...gated.contract
        .trimEnd()
        .split('\n')
        .map((line) => `  ${harmless(line)}`),
    );
  if (explain && gated.message !== null)
    lines.push(
      '',
      'the agent would be told',
      ...gated.message.split('\n').map((line) => `  ${harmless(line)}`),
    );
  return `${lines.join('\n')}\n`;
}
