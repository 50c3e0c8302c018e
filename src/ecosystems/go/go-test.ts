// go test, with testify and the like.
import { type Language, SYNTAXES } from '../language.ts';

export const language: Language = {
  syntax: SYNTAXES.go,
  marks: [
    ['test', /^func\s+(?:\([^)]{0,120}\)\s*)?(?<name>(?:Test|Fuzz|Example)\w*)\s*\(/],
    ['declaration', /^func\s+(?:\([^)]{0,120}\)\s*)?(?<name>(?!Test|Fuzz|Example)\w+)\s*\(/],
    ['skip-here', /\b\w{1,8}\.(?:Skip|Skipf|SkipNow)\s*\(/],
    [
      'assert',
      /\b\w{1,3}\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require|is|must|qt)\.\w+\s*\(|\bExpect\s*\(/,
    ],
    ['table', /\b\w{1,3}\.Run\s*\(/],
  ],
  trivial: /\b(?:assert|require)\.(?:True|Equal)\(\s*\w+,\s*(?:true\s*[,)]|1\s*,\s*1\s*[,)])/,
  onDemand: /testing\.Short\(\)/,
  rawFile: /^\/\/go:build\s|^\/\/ \+build\s/,
};
