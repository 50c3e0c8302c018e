// New tests that ask nothing of what they call. Such a test may be meant to show that nothing crashes; where the message says
// that it checks a result, it does not.
import { languageOf } from '../../ecosystems/index.ts';
import type { Stub } from '../evidence.ts';
import { codeIn } from './inert-changes.ts';
import { endOf } from './stubs.ts';

const LONGEST = 256 * 1024;
const MOST = 20;
const DECLARES = /^\s*(?:(?:async )?def (test\w*)\(|func (Test\w+)\(|(?:it|test)\((?=["'`]))/;
const TITLE = /\((["'`])(.{1,120}?)\1/;
/** Words of what asks by itself, and what a helper that may ask is called or given. */
const ASKS =
  /assert|expect|check|verif|should|must|requir|raise|throw|fail|match|compare|ensure|snapshot|approx|equal|[(,]\s*(?:self|t)\s*[,)]|\bt\.[A-Z]/i;

/** Those of a version that an older one has not. Never throws. */
export function idleTests(path: string, before: string | null, now: string): Stub[] {
  const { syntax } = languageOf(path) ?? {};
  if (syntax === undefined || now.length > LONGEST) return [];
  const code = codeIn(now, syntax);
  const known = new Set((before ?? '').split('\n'));
  const found: Stub[] = [];
  for (const [at, line] of code.entries()) {
    const declared = DECLARES.exec(line.slice(0, 200));
    const name = declared?.[1] ?? declared?.[2] ?? TITLE.exec(line)?.[2];
    if (declared === null || name === undefined || known.has(line) || found.length >= MOST) continue;
    const body = code.slice(at + 1, endOf(code, at)).filter((each) => each.trim() !== '');
    if (body.length > 0 && !body.some((each) => ASKS.test(each)))
      found.push({
        path,
        name,
        line: line.trim().slice(0, 120).toWellFormed(),
        why: 'asserts nothing, so it passes whatever comes out',
      });
  }
  return found;
}
