// Of functions and tests that do nothing yet, those that the message passes off as done. The gate loads this where there are any.
import { isTestFile, segments } from '../../ecosystems/index.ts';
import type { Contract } from '../../format/index.ts';
import type { Stub } from '../evidence.ts';
import { partsOf } from './added-words.ts';

const SAYS_SO =
  /\bstub|\bTODO|\bplaceholder|\bnot (?:yet )?implemented|\bunimplemented|\bskeleton|\bscaffold|\bno-?op\b|\bempty\b|\bremains? to be\b|\bstill (?:to|needs?|missing)\b/i;

/** Those of which the message says nothing, and the prompt did not ask for: what it names, or the message does, is to be there. */
export function untoldStubs(
  stubs: readonly Stub[],
  message: string,
  { fields: { keywords, backtick_tokens } }: Pick<Contract, 'fields'>,
): readonly Stub[] {
  const said = message.slice(0, 65_536);
  if (SAYS_SO.test(said) || keywords.some((word) => SAYS_SO.test(word))) return [];
  const names = [...keywords, ...[said, ...backtick_tokens].flatMap((text) => text.match(/\w+/g) ?? [])];
  const words = new Set([...names, ...names.flatMap(partsOf)]);
  const asked = new Set([...keywords, ...backtick_tokens.flatMap((text) => text.match(/\w+/g) ?? [])]);
  const isLeftOpen = keywords.some((word) =>
    /^(?:abstract|base|interface|protocol|sub-?class\w*)$/.test(word),
  );
  // "Every job is appended" speaks of `append`.
  const isSaid = (part: string): boolean =>
    words.has(part) || (part.length > 3 && names.some((word) => word.toLowerCase().startsWith(part)));
  return stubs.filter(({ name, path, why, weak }) => {
    const isNamed = [name, segments(path).at(-1) ?? path].some((each) => said.includes(each));
    if (weak === true)
      return (isNamed || NEW_TEST.test(said)) && PROVES.test(said) && !ASKS_LITTLE.test(said);
    if (isTestFile(path)) return CHECKS.test(said) && !OF_CRASHES.test(said) && isNamed;
    if (why !== undefined)
      return (
        isSaidToBeMade(name, said) || (isCalled(name, said) && asked.has(name.toLowerCase()) && !isLeftOpen)
      );
    return words.has(name) || isSaid(name.toLowerCase()) || partsOf(name).every(isSaid);
  });
}

/** "The new test proves it": of a test that asks for nothing much, unless the message says how little. */
const NEW_TEST =
  /\b(?:new|added|adds?|wrote|written|another) (?:[\w-]+ ){0,3}tests?\b|\btests? (?:\w+ )?added\b/i;
const PROVES =
  /\b(?:prov|check|verif|assert|ensur|confirm|cover|guard|pin|test)(?:e[sd]?|s|es|ed|ies|ied|ing)?\b/i;
const ASKS_LITTLE =
  /\b(?:non-?empty|not empty|anything|something|defined|truthy|length|exists?|exist|smoke|types?|instances?|null|None|nil|undefined|crash\w*|throws?|raises?)\b/i;
const MADE = /\b(?:implement(?:ed|s)|added|complete[d]?|finished|done|in place|written)\b|[✅☑✓✔]/i;
/** A method that others are to write is empty by intent. */
const LEFT_OPEN = /\b(?:abstract|base class|sub-?class\w*|interface|overrid\w+|hooks?|NotImplemented\w*)\b/i;

/** "`add_many(readings)`: inserts them all", below "Both are implemented". */
function isCalled(name: string, said: string): boolean {
  const isNamed = new RegExp(`[\`*](?:\\w+\\.)?${name}\\b`).test(said);
  return isNamed && MADE.test(said) && !MEANT_SO.test(said) && !LEFT_OPEN.test(said);
}

/** "`TestEmpty` checks that …": a result is asked for, and not only that nothing crashes. */
const CHECKS =
  /\b(?:checks?|verif(?:y|ies)|asserts?|ensures?|confirms?|proves?|makes? sure)(?: both)? (?:that|how|whether)\b/i;
const OF_CRASHES = /\bsmoke|\b(?:crash|panic|throw|rais|hang|error)\w*|\bno assert|\bwithout\b/i;
const MEANT_SO =
  /\b(?:always|fake|mock|dummy|null object|ignor\w+|returns? (?:nil|null|None|undefined|an? empty|nothing))\b/i;

/** "I implemented `check.Check`". */
function isSaidToBeMade(name: string, said: string): boolean {
  const made = new RegExp(
    `\\bimplement(?:ed|s)?\\b[^.]{0,60}?\\b(?:\\w+\\.)?${name}\\b|\\b${name}\\b[^.\\n]{0,40}\\bimplemented\\b`,
  );
  return made.test(said) && !MEANT_SO.test(said);
}
