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
import { keyEndProbe, privateKeyProbe } from './private-keys.ts';
import { askAt, askAtPair, type Dispatch, makeDispatch, stepOverMarker } from './scan.ts';
import { identifiedProbe, passwordCallProbe, passwordLiteralProbe } from './sql.ts';
import { addressProbe, jwtProbe } from './structures.ts';
import { addTokenProbes } from './token-rules.ts';
import { HIDING, hidingProbe } from './views.ts';

export function dispatchFor(
  options: RedactOptions,
  isOn: (id: string) => boolean,
  senseOf: SenseOf,
): Dispatch {
  const dispatch = makeDispatch();
  const assignment = assignmentProbe(senseOf);
  askAt(dispatch, '=', [assignment]);
  askAt(dispatch, ':', [assignment]);
  askAt(dispatch, '>', [elementProbe(senseOf)]);
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
    askAtPair(dispatch, 'rd ', netrcProbe);
    for (const digit of '0123456789*') askAtPair(dispatch, `${digit}:`, pgpassProbe);
    const set = setProbe(senseOf);
    for (const pair of SET_PAIRS) askAtPair(dispatch, pair, set);
    const keyThenValue = keyThenValueProbe(senseOf);
    for (const pair of NAME_PAIRS) askAtPair(dispatch, pair, keyThenValue);
    addPositionProbes(dispatch);
    for (const pair of ['ho ', 'tf ']) askAtPair(dispatch, pair, pipedProbe);
    askAtPair(dispatch, '<<', hereStringProbe);
  }
  if (isOn('password')) {
    for (const pair of ['rd ', 'RD ']) askAtPair(dispatch, pair, passwordLiteralProbe);
    for (const pair of ['by ', 'BY ']) askAtPair(dispatch, pair, identifiedProbe);
    askAtPair(dispatch, 'RD(', passwordCallProbe);
  }
  const pairs = pairProbe(senseOf);
  for (const pair of ['",', "',"]) askAtPair(dispatch, pair, pairs);
  return dispatch;
}
