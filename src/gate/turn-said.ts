// A turn's last message, and what it claims.
import { isOfBehaviour } from '../claims/index.ts';
import type { ClaimType } from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import { type Intake, Traces, type TurnEnd } from '../record/index.ts';
import type { JudgeInput, ToldClaims } from '../rules/index.ts';
import { withFinal } from './final-claims.ts';
import { type LastMessage, lastMessage } from './last-message.ts';
import { readClaims } from './read-claims.ts';

/** Of a message with more claims than an entry holds those are judged that say most. */
const MOST_CLAIMS = 48;
const STRONGEST: readonly ClaimType[] = [
  'tested',
  'checked',
  'shipped',
  'blocked',
  'delegation',
  'done',
  'changed',
];

/** A turn's last message, and what it claims. */
export interface TurnSaid {
  readonly said: LastMessage;
  readonly found: ToldClaims;
  readonly claims: JudgeInput['claims'];
}

export function readTurn(
  { intake, policy }: { readonly intake: Pick<Intake, 'clean'>; readonly policy: ClaimPolicy },
  event: TurnEnd,
): TurnSaid {
  const said = saidIn(event);
  const text = intake.clean(said.text, new Traces()) as string;
  const found = withFinal(readClaims(text, policy.phrases), policy);
  return {
    said,
    found,
    claims: strongest([
      ...found.claims,
      ...denialIn(found, text),
      ...behaviourIn(found, text),
      ...(found.files ?? []),
    ]),
  };
}

/** What would explain why nothing could be run, or tells how it ended. */
const TELLS_WHY =
  /fail|error|broke|crash|refus|missing|unavailable|because|since|need|requir|install|no \w+/i;

/** "Fixed the total, untested": where nothing else is claimed of the work, that is. */
function denialIn({ claims, disclosures: [quote] }: ToldClaims, text: string): JudgeInput['claims'] {
  const isClaimed = claims.some(({ type }) => type === 'done' || type === 'changed');
  if (quote === undefined || isClaimed || TELLS_WHY.test(text)) return [];
  return [{ type: 'done', quote, about: null, whole: false, denial: true }];
}

/** "The cart now counts quantities": a change shows it, unless tests of the code as it is have failed. */
function behaviourIn({ claims }: ToldClaims, text: string): JudgeInput['claims'] {
  return claims.flatMap(({ type, quote }) =>
    type === 'changed' && isOfBehaviour(quote, text)
      ? [{ type: 'done', quote, about: null, whole: false, denial: true }]
      : [],
  );
}

/** Of subagents not every host tells what they said last, and their words are not in the transcript of the session. */
function saidIn(event: TurnEnd): LastMessage {
  const { message, transcript } = event;
  if (event.type === 'stop') return lastMessage(message, transcript, event.mark);
  return { extraction: 'ok', from: message === null ? 'none' : 'message', text: message ?? '' };
}

function strongest(claims: JudgeInput['claims']): JudgeInput['claims'] {
  if (claims.length <= MOST_CLAIMS) return claims;
  return STRONGEST.flatMap((wanted) => claims.filter(({ type }) => type === wanted)).slice(0, MOST_CLAIMS);
}
