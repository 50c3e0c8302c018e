// The room's door: what a message claims, and what a prompt asks for.

export { aboutText } from './about.ts';
export { readBlocks } from './blocks.ts';
export { type FoilFinal, type FoilFinalClaim, parseFoilFinal } from './final-form.ts';
export { type FoundClaim, type FoundClaims, findClaims, type Phrases } from './find-claims.ts';
export { isOfBehaviour } from './plain-results.ts';
export { commandHints, isCommand } from './prompt/command-hints.ts';
export { ACTIONS, asksForChange, intentOf, sentencesOf, wordsOf } from './prompt/intent.ts';
export { type CodeSpan, readMarkup } from './prompt/prompt-markup.ts';
export { type ClaimWeights, parseWeights } from './reader.ts';
export { readSaid, type Said } from './said.ts';
export type { Link } from './segments.ts';
export { readTokens, splitSentences, type Token } from './tokens.ts';
