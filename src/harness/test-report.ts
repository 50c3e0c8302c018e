// What a test report says of the tests that a pack lists. Only the report counts, never an exit code or a printed summary:
// a program that ended early reports nothing. In doubt a test has not passed: it must be there once, and plainly pass.
import { utf8Decode } from '#platform';
import { ParseError } from '../core/index.ts';
import type { AttestedTests, TestReport } from '../format/index.ts';
import { parseJunit } from './junit-report.ts';
import type { ReportedTest } from './reported-test.ts';
import { parseTap } from './tap-report.ts';

export interface Judged {
  readonly tests: AttestedTests;
  /** The first listed test that did not pass, and why; null where all did. */
  readonly first: { readonly name: string; readonly why: 'failed' | 'missing' | 'twice' } | null;
}

/** Throws ParseError for a report that is not whole. */
export function parseReport(bytes: Uint8Array, form: TestReport): ReportedTest[] {
  let text: string;
  try {
    text = utf8Decode(bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8', 'report');
  }
  return form === 'tap' ? parseTap(text) : parseJunit(text);
}

export function judgeTests(listed: readonly string[], reported: readonly ReportedTest[]): Judged {
  const byName = new Map<string, ReportedTest[]>();
  for (const test of reported)
    for (const name of new Set(test.names)) {
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [test]);
      else same.push(test);
    }
  let first: Judged['first'] = null;
  const counts = { passed: 0, failed: 0, missing: 0 };
  for (const name of listed) {
    const found = byName.get(name) ?? [];
    const why =
      found.length === 0 ? 'missing' : found.length > 1 ? 'twice' : found[0]?.passed ? null : 'failed';
    counts[why === null ? 'passed' : why === 'failed' ? 'failed' : 'missing']++;
    if (why !== null) first ??= { name, why };
  }
  return { tests: { listed: listed.length, ...counts }, first };
}

/** Nothing was reported. */
export function noTests(listed: readonly string[]): AttestedTests {
  return { listed: listed.length, passed: 0, failed: 0, missing: listed.length };
}
