// Which rule is asked at which pair of characters. The order within a pair matters: what comes first and takes, wins.
import { assignmentProbe, elementProbe, flagProbe, type SenseOf } from './assignments.ts';
import {
  addPositionProbes,
  hereStringProbe,
  keyThenValueProbe,
  NAME_PAIRS,
  pipedProbe,
  SET_PAIRS,
  setProbe,
} from './command-lines.ts';
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
import { basicProbe, bearerProbe } from './headers.ts';
import { jsonWebKeyProbe } from './json-web-keys.ts';
import type { RedactOptions } from './options.ts';
import { pairProbe } from './pairs.ts';
import { addPatternProbe } from './pattern.ts';
import {
  encodedKeyProbe,
  KEY_BODY_PAIRS,
  keyBodyProbe,
  keyEndProbe,
  privateKeyProbe,
} from './private-keys.ts';
import { askAt, askAtPair, type Dispatch, makeDispatch, stepOverMarker } from './scan.ts';
import { identifiedProbe, passwordCallProbe, passwordLiteralProbe } from './sql.ts';
import { addressProbe, jwtProbe } from './structures.ts';
import { addTokenProbes } from './token-rules.ts';

export function dispatchFor(
  options: RedactOptions,
  isOn: (id: string) => boolean,
  senseOf: SenseOf,
): Dispatch {
  const dispatch = makeDispatch();
  const assignment = assignmentProbe(senseOf);
  askAt(dispatch, '=', [assignment]);
  askAt(dispatch, ':', isOn('command-password') ? [pgpassProbe, assignment] : [assignment]);
  askAt(dispatch, '>', [elementProbe(senseOf)]);
  askAtPair(dispatch, '[R', stepOverMarker);
  askAtPair(dispatch, '--', flagProbe(senseOf));
  for (const rule of options.add ?? []) addPatternProbe(dispatch, rule);
  addTokenProbes(dispatch, isOn);
  if (isOn('private-key')) {
    askAtPair(dispatch, 'N ', privateKeyProbe);
    askAtPair(dispatch, 'D ', keyEndProbe);
    askAtPair(dispatch, 'Ti', encodedKeyProbe);
    askAtPair(dispatch, 'ty', jsonWebKeyProbe);
    for (const pair of KEY_BODY_PAIRS) askAtPair(dispatch, pair, keyBodyProbe);
  }
  if (isOn('jwt')) askAtPair(dispatch, 'yJ', jwtProbe);
  if (isOn('url-password')) askAtPair(dispatch, '//', addressProbe);
  if (isOn('auth')) {
    for (const pair of ['r ', 'R ']) askAtPair(dispatch, pair, bearerProbe);
    for (const pair of ['c ', 'C ']) askAtPair(dispatch, pair, basicProbe);
  }
  if (isOn('command-password')) {
    for (const pair of ['u ', 'U ', 'r ', 'h ']) askAtPair(dispatch, pair, userProbe);
    for (const pair of ['r=', 'h=']) askAtPair(dispatch, pair, userEqualsProbe);
    for (const pair of ['-u', '-U']) askAtPair(dispatch, pair, joinedUserProbe);
    const passwordFlag = passwordFlagProbe(senseOf);
    for (const pair of FLAG_PAIRS) askAtPair(dispatch, pair, passwordFlag);
    askAtPair(dispatch, '-b', cookieFlagProbe);
    askAtPair(dispatch, 's:', passSourceProbe);
    askAtPair(dispatch, 'd ', netrcProbe);
    const set = setProbe(senseOf);
    for (const pair of SET_PAIRS) askAtPair(dispatch, pair, set);
    const keyThenValue = keyThenValueProbe(senseOf);
    for (const pair of NAME_PAIRS) askAtPair(dispatch, pair, keyThenValue);
    addPositionProbes(dispatch);
    for (const pair of ['ho', 'tf']) askAtPair(dispatch, pair, pipedProbe);
    askAtPair(dispatch, '<<', hereStringProbe);
  }
  if (isOn('password')) {
    for (const pair of ['d ', 'D ']) askAtPair(dispatch, pair, passwordLiteralProbe);
    for (const pair of ['y ', 'Y ']) askAtPair(dispatch, pair, identifiedProbe);
    askAtPair(dispatch, 'D(', passwordCallProbe);
  }
  const pairs = pairProbe(senseOf);
  for (const pair of ['",', "',"]) askAtPair(dispatch, pair, pairs);
  return dispatch;
}
