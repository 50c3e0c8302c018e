// `describe`, `it`, `expect`: the words that most runners of JavaScript took over from one another.
import { type Language, type Mark, SCRIPT, TRIVIAL } from '../runner.ts';
import * as ava from './ava.ts';
import * as deno from './deno.ts';
import * as nodeTest from './node-test.ts';

const marks: readonly Mark[] = [
  [
    'suite',
    /(?<![\w$.])(?:(?:it|test)\.(?=describe|suite))?(?:[fx]?describe|suite|[fx]?context)(?:\.\w+)*\s*(?=[(<`])/,
  ],
  [
    'test',
    /(?<![\w$.])(?:Deno\.|QUnit\.|[st]\.)?(?:[fx]?it|[fx]?test|[fx]?specify)(?:\.(?!describe\b|suite\b)\w+)*\s*(?=[(<`])/,
  ],
  ['skip-own', /(?<![\w$.])x(?:it|test|specify|describe|context)\b\s*(?=[(.])/],
  [
    'skip-own',
    /(?<![\w$.])(?:Deno\.|QUnit\.|[st]\.)?(?:it|test|specify|describe|suite|context)(?:\.\w+)*?\.(?:(?:skip|todo|skipIf|runIf|fails|failing|fixme|ignore)\b\s*(?=[(.])|each\(\s*\[\s*\]\s*\))/,
  ],
  [
    'skip-here',
    /\b(?:this|ctx|context|t|testInfo)\.(?:skip|todo|fixme|pending)\s*\(|^\s*(?:,\s*)?pending\s*\(|^\s*skip\((?:["'`].*)?\);?$/,
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

/** `assert.equal = …`, `spyOn(assert, …)`, `expect.extend({ toBe …`, `const assert = { equal() {} }`. */
const DEFEATS: readonly RegExp[] = [
  /^[ \t]*(?:assert|expect|chai\.\w+)(?:\.\w+)*(?:\.(?:ok|\w*[eE]qual|throws|rejects|match|fail|to[A-Z]\w*)|\[[^\]\n]+\])\s*=(?![=>])/m,
  /\bfor\s*\([^\n]{1,80}\)\s*\{?\s*(?:assert|expect)\[[^\]\n]+\]\s*=(?!=)/,
  /\b(?:mock\.method|spyOn|sinon\.stub|Reflect\.set|Object\.(?:assign|define\w+))\(\s*(?:assert|expect)\s*,/,
  // `test` or `it` made anew, so that it hears of no failure.
  /^(?:const|let|var|function)\s+(?:test|it)\b(?:(?!\n[^\s}]).){0,400}?\btry\s*\{[^{}]*\}\s*catch\s*(?:\(\w+\)\s*)?\{\s*\}/ms,
  /\bexpect\.extend\(\{\s*(?:async )?to(?:Be|Equal|StrictEqual|Throw|Match|Contain)\s*[(:]/,
  /^(?:const |let |var |globalThis\.|global\.)(?:assert|expect)\s*=[^\n]*(?:\)\s*\{\s*\}|=>\s*(?:\{\s*\}|true|undefined|null)\s*[,;})])/m,
];
const IN_TESTS =
  /(?:process\.env\.(?:NODE_ENV\s*===?\s*["'`]test["'`]|VITEST\b|JEST_WORKER_ID\b|NODE_TEST_CONTEXT\b)|import\.meta\.env\.MODE\s*===?\s*["'`]test["'`]|typeof (?:jest|vi|describe|it)\s*!==?\s*["'`]undefined["'`])/
    .source;

export const language: Language = {
  syntax: SCRIPT,
  marks: [marks, nodeTest.marks, deno.marks, ava.marks],
  trivial: TRIVIAL,
  defeats: DEFEATS,
  knowsTests: [
    new RegExp(`\\bif\\s*\\([^\\n]{0,80}${IN_TESTS}[^\\n]{0,80}?\\)\\s*\\{?\\s*return\\s+[^\\s;]`),
    new RegExp(`(?:\\breturn|=>)[\\s(!]*${IN_TESTS}\\s*\\?`),
    // Only the runner itself has a use for it, and who starts another one.
    /(?<!\bdelete )process\.env(?:\.|\[["'`])NODE_TEST_CONTEXT\b/,
    // Who runs it, by the script's name or by who calls.
    /(?:\bprocess\.argv\[1\]|\bprocess\.execArgv\b|\.stack\b)[^\n]{0,40}["'`/][^\s"'`]{0,30}(?:test|spec|jest|mocha)(?!\()/,
  ],
  replaces: [
    /\b(?:vi|jest|mock|td)\.(?:mock|doMock|module|unstable_mockModule|replace)\(\s*(?:import\(\s*)?["'`](?=[./#~]|@\/)([^"'`\n]+)["'`]/,
    /\brequire\.cache\[\s*require\.resolve\(\s*["'`]([^"'`\n]+)["'`]\s*\)\s*\]\s*=/,
    /\b(?:spyOn|mock\.method|stub)\(\s*(\w+),\s*["'`](\w+)["'`]\s*(?:,|\)\s*\.(?:mock[RI]|returns|callsFake|resolves))/,
    /^[ \t]*(\w+)\.(\w+)\s*=\s*(?:async\s+)?(?:function\b|(?:\([^()\n]*\)|\w+)\s*=>|(?:vi|jest)\.fn\()/m,
  ],
};
