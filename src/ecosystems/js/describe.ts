// `describe`, `it`, `expect`: the words that most runners of JavaScript took over from one another.
import { type Language, type Mark, SCRIPT, TRIVIAL } from '../runner.ts';
import * as ava from './ava.ts';
import * as deno from './deno.ts';
import * as nodeTest from './node-test.ts';

const marks: readonly Mark[] = [
  ['suite', /(?<![\w$.])(?:[fx]?describe|suite|[fx]?context)(?:\.\w+)*\s*(?=[(<`])/],
  ['test', /(?<![\w$.])(?:Deno\.|QUnit\.|[st]\.)?(?:[fx]?it|[fx]?test|[fx]?specify)(?:\.\w+)*\s*(?=[(<`])/],
  ['skip-own', /(?<![\w$.])x(?:it|test|specify|describe|context)\b\s*(?=[(.])/],
  [
    'skip-own',
    /(?<![\w$.])(?:Deno\.|QUnit\.|[st]\.)?(?:it|test|specify|describe|suite|context)(?:\.\w+)*?\.(?:(?:skip|todo|skipIf|runIf|fails|failing|fixme|ignore)\b\s*(?=[(.])|each\(\s*\[\s*\]\s*\))/,
  ],
  [
    'skip-here',
    /\b(?:this|ctx|context|t|testInfo)\.(?:skip|todo|fixme|pending)\s*\(|^\s*(?:,\s*)?pending\s*\(/,
  ],
  ['only', /(?<![\w$.])f(?:it|test|describe|context)\s*\(/],
  [
    'only',
    /(?<![\w$.])(?:Deno\.)?(?:it|test|specify|describe|suite|context)(?:\.\w+)*?\.only\b|\{\s*only\s*:\s*true/,
  ],
  [
    'assert',
    /(?<![\w$])expect(?:TypeOf)?(?:\.(?!assertions|hasAssertions|extend|any|objectContaining)\w+)*\s*[(<]|(?<![\w$.])assert(?:\.\w+)*\s*\(|\.should\b/,
  ],
  ['table', /\.(?:each|for)\b\s*[(`<]/],
];

export const language: Language = {
  syntax: SCRIPT,
  marks: [marks, nodeTest.marks, deno.marks, ava.marks],
  trivial: TRIVIAL,
};
