// What a claim is about, as far as it decides what could back it: which check, which way of shipping; and whether it speaks
// of a whole test suite.
import type { Claim, ClaimType } from '../format/index.ts';
import { readTokens, type Token } from './tokens.ts';
import { ABOUT, ABOUT_SHIPPED, NEGATIONS, TEST_NOUNS } from './words.ts';

/** The same of a text that is said to be a claim of that type, whatever its words. */
export function aboutText(type: ClaimType, text: string): Pick<Claim, 'about' | 'whole'> {
  const tokens = readTokens(text, 0, text.length, new Uint8Array(text.length));
  return { about: aboutOf(type, tokens), whole: isWhole(tokens) };
}

export function aboutOf(type: ClaimType, tokens: readonly Token[]): string | null {
  const table = type === 'checked' ? ABOUT : type === 'shipped' ? ABOUT_SHIPPED : [];
  for (const [about, words] of table) {
    for (const [at, { text, kind }] of tokens.entries()) {
      // "builds the right line" says what it makes.
      if (text === 'builds' && /^(?:the|an?|its|right|correct)$/.test(tokens[at + 1]?.text ?? '')) continue;
      // "the columns and types as specified"
      if (
        text === 'types' &&
        !/^(?:check|pass|passes|are|clean|ok|green|,|)$/.test(tokens[at + 1]?.text ?? '')
      )
        continue;
      if (words.has(text)) return about;
      // A file that is called release-notes is no release.
      if (type === 'shipped') continue;
      if (kind === 'code' && text.length > 2 && text.split(/[^a-z0-9_-]+/).some((part) => words.has(part)))
        return about;
    }
  }
  const isTypes = tokens.some(
    ({ text }, i) => text === 'type' && /^(?:check|error|issue|problem)/.test(tokens[i + 1]?.text ?? ''),
  );
  return type === 'checked' && isTypes ? 'types' : null;
}

/** "the full suite", "the entire test suite", "all packages pass". */
export function isWhole(tokens: readonly Token[]): boolean {
  return (
    tokens.some(
      ({ text }, i) =>
        /^(?:all|every|each)$/.test(text) &&
        /^(?:packages?|modules?|crates?|workspaces?|suites?)$/.test(tokens[i + 1]?.text ?? ''),
    ) ||
    tokens.some(
      ({ text }, i) =>
        /^(?:full|entire|whole|complete)$/.test(text) &&
        !tokens.slice(Math.max(0, i - 3), i).some((before) => NEGATIONS.has(before.text)) &&
        tokens.slice(i + 1, i + 4).some((token) => isAboutTests(token)),
    )
  );
}

function isAboutTests({ text, kind }: Token): boolean {
  if (kind === 'code') return /(?:^|[^a-z])(?:tests?|specs?)(?:[^a-z]|$)/.test(text);
  return kind === 'word' && (TEST_NOUNS.has(text) || /^tests?[a-z]{3,}$/.test(text));
}
