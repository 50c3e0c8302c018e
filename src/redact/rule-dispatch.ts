// Which rule is asked at which pair of characters. The order within a pair matters: what comes first and takes, wins.
import { assignmentProbe, flagProbe } from './assignments.ts';
import { callProbe, defaultProbe, dsnProbe } from './calls.ts';
import { keyThenValueProbe, NAME_ENDS, SET_ENDS, setProbe } from './command-lines.ts';
import { addPositionProbes } from './command-table.ts';
import {
  cookieFlagProbe,
  FLAG_PAIRS,
  joinedUserProbe,
  netrcProbe,
  passSourceProbe,
  passwordFlagProbe,
  pgpassProbe,
  userEqualsProbe,
  userProbe,
} from './commands.ts';
import { DIRECTIVE_PARTS, directiveProbe } from './directives.ts';
import { elementProbe } from './elements.ts';
import { basicProbe, bearerProbe } from './headers.ts';
import { jsonWebKeyProbe } from './json-web-keys.ts';
import type { SenseOf } from './key-names.ts';
import { NOUN_ENDS, NOUN_PARTS, nounProbe } from './nouns.ts';
import type { RedactOptions } from './options.ts';
import { pairProbe } from './pairs.ts';
import { addPatternProbe } from './pattern.ts';
import { hereStringProbe, pipedProbe, sentProbe } from './piped.ts';
import { keyEndProbe, privateKeyProbe } from './private-keys.ts';
import { frenchProbe } from './prose.ts';
import { SPACE } from './quoted.ts';
import {
  askAt,
  askAtEnd,
  askAtPair,
  type Dispatch,
  makeDispatch,
  type Probe,
  stepOverMarker,
} from './scan.ts';
import { identifiedAsProbe, identifiedProbe, passwordCallProbe, passwordLiteralProbe } from './sql.ts';
import { copyProbe } from './sql-copy.ts';
import { insertProbe } from './sql-insert.ts';
import { addressProbe, jwtProbe } from './structures.ts';
import { addTokenProbes } from './token-rules.ts';
import { HIDING, hidingProbe } from './views.ts';

export function dispatchFor(
  options: RedactOptions,
  isOn: (id: string) => boolean,
  senseOf: SenseOf,
): Dispatch {
  const dispatch = makeDispatch();
  const assignment = assignmentProbe(senseOf, options.keys?.add === undefined);
  // No name ends there, and no tag: `==`, `):`, `=>`.
  askAt(dispatch, '=', [assignment], '=<>');
  askAt(dispatch, ':', [assignment], '(){}');
  askAt(dispatch, '>', [elementProbe(senseOf)], '= /)');
  askAtPair(dispatch, '[R', stepOverMarker);
  for (const trigger of HIDING) askAtPair(dispatch, trigger, hidingProbe);
  askAtPair(dispatch, '--', flagProbe(senseOf));
  for (const rule of options.add ?? []) addPatternProbe(dispatch, rule);
  addTokenProbes(dispatch, isOn);
  if (isOn('private-key')) {
    askAtPair(dispatch, 'IN ', privateKeyProbe);
    askAtPair(dispatch, 'ND ', keyEndProbe);
    askAtPair(dispatch, 'kty', jsonWebKeyProbe);
  }
  if (isOn('jwt')) askAtPair(dispatch, 'eyJ', jwtProbe);
  if (isOn('url-password')) askAtPair(dispatch, '://', addressProbe);
  if (isOn('auth')) {
    for (const pair of ['er ', 'ER ']) askAtPair(dispatch, pair, bearerProbe);
    for (const pair of ['ic ', 'IC ']) askAtPair(dispatch, pair, basicProbe);
  }
  if (isOn('command-password')) {
    for (const pair of ['u ', 'U ', 'er ', 'th ']) askAtPair(dispatch, pair, userProbe);
    for (const pair of ['er=', 'th=']) askAtPair(dispatch, pair, userEqualsProbe);
    for (const pair of ['-u', '-U']) askAtPair(dispatch, pair, joinedUserProbe);
    const passwordFlag = passwordFlagProbe(senseOf);
    for (const pair of FLAG_PAIRS) askAtPair(dispatch, pair, passwordFlag);
    askAtPair(dispatch, '-b', cookieFlagProbe);
    askAtPair(dispatch, 'ss:', passSourceProbe);
    askAtEnd(dispatch, 'ord', beforeSpace(netrcProbe));
    for (const digit of '0123456789*') askAtPair(dispatch, `${digit}:`, pgpassProbe);
    const set = beforeSpace(setProbe(senseOf));
    for (const pair of SET_ENDS) askAtEnd(dispatch, pair, set);
    const keyThenValue = beforeSpace(keyThenValueProbe(senseOf));
    for (const pair of NAME_ENDS) askAtEnd(dispatch, pair, keyThenValue);
    addPositionProbes(dispatch);
    const piped = pipedProbe(senseOf);
    for (const pair of ['cho', 'ntf']) askAtEnd(dispatch, pair, piped);
    askAtPair(dispatch, 'ye', before('s', piped));
    askAtPair(dispatch, 'sen', before('d', sentProbe));
    askAtPair(dispatch, '<<', hereStringProbe);
  }
  if (isOn('password')) {
    const literal = beforeSpace(passwordLiteralProbe);
    for (const end of ['ord', 'ORD', 'ret', 'RET', 'KEY']) askAtEnd(dispatch, end, literal);
    const identified = beforeSpace(identifiedProbe);
    for (const end of [' by', ' BY']) askAtEnd(dispatch, end, identified);
    askAtEnd(dispatch, ' AS', beforeSpace(identifiedAsProbe));
    askAtPair(dispatch, 'RD(', passwordCallProbe);
    askAtPair(dispatch, 'ot ', before('de passe', frenchProbe));
  }
  const noun = nounProbe(senseOf);
  for (const end of NOUN_ENDS) askAtEnd(dispatch, end, noun);
  for (const [part, rest] of NOUN_PARTS) askAtPair(dispatch, part, before(rest, noun));
  const call = callProbe(senseOf);
  for (const pair of ['("', "('", '(\\"', '(`', '(b"', "(b'"]) askAtPair(dispatch, pair, call);
  for (const end of ['ign', 'ify', 'ypt']) askAtEnd(dispatch, end, before('(', call));
  const fallback = defaultProbe(senseOf);
  for (const pair of ['||', '??', '?:']) askAtPair(dispatch, pair, fallback);
  askAtPair(dispatch, 'or ', orProbe(fallback));
  const insert = insertProbe(senseOf);
  askAtPair(dispatch, 'VALU', before('ES', insert));
  askAtPair(dispatch, 'valu', before('es', insert));
  const copy = copyProbe(senseOf);
  for (const pair of ['OPY', 'opy']) askAtEnd(dispatch, pair, copy);
  const directive = directiveProbe(senseOf);
  for (const part of DIRECTIVE_PARTS) askAtPair(dispatch, part, directive);
  if (isOn('url-password')) for (const pair of ['@t', '@u']) askAtPair(dispatch, pair, dsnProbe);
  const pairs = pairProbe(senseOf);
  for (const pair of ['",', "',"]) askAtPair(dispatch, pair, pairs);
  return dispatch;
}

/** Asks in the middle of a word, which is rarer than its end, for a probe that is asked at the end. */
function before(rest: string, probe: Probe): Probe {
  return (scan, at) => {
    if (scan.text.startsWith(rest, at + 1)) probe(scan, at + rest.length);
  };
}

/** Behind Python's ` or `, for a probe that is asked at the last letter of an operator. */
function orProbe(probe: Probe): Probe {
  return (scan, at) => {
    if ((scan.codes[at - 3] ?? 0) <= SPACE) probe(scan, at - 1);
  };
}

/** Asks at a word's last letter, which is rarer than the space behind it, for a probe that begins at that space. */
function beforeSpace(probe: Probe): Probe {
  return (scan, at) => {
    if (scan.text.charCodeAt(at + 1) === SPACE) probe(scan, at + 1);
  };
}
