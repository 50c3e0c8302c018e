// What a prompt wishes for where it gives no order: how a thing is to be ("The id must be unique"), or what somebody needs
// ("I need a script that …"). A guess ("it must be the cache") and a kind word ("that should be fine") wish for nothing.

/** How a thing is to be, and not what a person is to do: that is an order, or none. */
const SHALL =
  /^(.{0,300}?\S)\s+(?:(?:really|probably|also|still|always|only|just)\s+)?(should|must|shall|needs? to|ha(?:s|ve) to|ought to|(?:is|are) supposed to)(?:n['’]t)?\s+(?:(?:not|never|also|only|always|just|really|still|then)\s+)*(\w.*)$/is;
const PERSON = /(?:^|[\s,])(?:i|we|you|u|they|he|she|one|who|what|which|where|how|why|when|nobody)$/i;
const THAT =
  /(?:^|[\s,])(?:it|this|that|there|everything|things|all|all of (?:it|this|that)|problem|issue)$/i;
/** It is taken for granted: of anything, and of "that". */
const GRANTED =
  /^(?:be (?:fine|ok|okay|good|great|enough|easy|simple|quick|possible|done|all|it)\b|(?:work|pass|be \w+) (?:now|already|again|then|fine)\W*$|have (?:been|gone|done|had|made|\w+ed)\b)/i;
const GRANTED_THAT = /^(?:work|do|help|suffice)(?: (?:it|the trick|for now|today))?\W*$/i;
/** What may be the reason. */
const GUESSED = /^(?:be|have)\b/i;

/** "I need …", "We'd like …", "The page needs …". */
const WANTS =
  /^(?:(?:and|but|so|also|ok|okay|hi|hey)[\s,]+)*(?:(?:i|we|users|customers|they|people|clients)\s+(?:(?:really|also|still|just|now|only)\s+)*(?:want|need|expect|prefer|require)|(?:i|we)(?:['’]d| would)\s+(?:(?:really|also|still|just)\s+)*(?:like|love|prefer|want|need|expect)|(?!(?:you|he|she|who|what|nobody|nothing)\b)\S.{0,200}?\s(?:wants|needs|requires|could use))\s+(.*)$/is;
const FOR_ONESELF =
  /^(?:to\b|you to\b|(?:(?:an?|some|more|another|no|any)\s+)*(?:break|coffee|minutes?|moment|second|sec|hours?|days?|time|sleep|rest|nothing|anything|work)\b|(?:it|this|that|them)(?:\W*$| (?:by|today|asap|now|tomorrow|soon|back|because|for)\b))/i;
/** It is answered in words. */
const ANSWERED =
  /^(?:(?:an?|the|some|your|more|another|any|all|quick|short|brief|detailed|complete|full|clear|rough|second|of|few|couple) )*(?:list|summary|overview|explanation|report|answers?|estimate|review|opinions?|advice|recommendations?|info|information|details?|understanding|ideas?|plan|comparison|breakdown|numbers|help|hand|context|clarification|proposal|suggestions?|options|feedback|thoughts|reasons?)\b(?! to\b)/i;
const TO_KNOW = /^to (?:know|hear|learn|find out)\b/i;
const WOULD_BE =
  /(?:\bwould|['’]d) be (?:\w+ )?(?:nice|nicer|great|good|better|best|cool|helpful|useful|lovely|handy) (?:to|if) (\w+)/i;

/** Undefined where a clause has no such form, null where it has and wishes for nothing. */
export function wishIn(clause: string): 'change' | 'investigate' | null | undefined {
  const wanted = WANTS.exec(clause)?.[1];
  if (/^the \w+ (?:\w+ed|shown|hidden)\b/i.test(wanted ?? '')) return 'change';
  if (wanted !== undefined && (ANSWERED.test(wanted) || TO_KNOW.test(wanted))) return 'investigate';
  if (wanted !== undefined && !FOR_ONESELF.test(wanted)) return 'change';
  const would = WOULD_BE.exec(clause)?.[1];
  if (would !== undefined) return /^(?:know|hear|understand|see)$/i.test(would) ? 'investigate' : 'change';
  const [, subject = '', modal = '', predicate = ''] = SHALL.exec(clause) ?? [];
  if (predicate === '' || PERSON.test(subject)) return undefined;
  const isThat = THAT.test(subject);
  const isGuess = isThat && modal.toLowerCase() === 'must' && GUESSED.test(predicate);
  return isGuess || GRANTED.test(predicate) || (isThat && GRANTED_THAT.test(predicate)) ? null : 'change';
}
