// dart test and flutter test.
import { type Language, SYNTAXES } from '../language.ts';

export const language: Language = {
  syntax: SYNTAXES.dart,
  marks: [
    ['suite', /(?<![\w$.])group\s*(?=\()/],
    ['test', /(?<![\w$.])(?:test|testWidgets|blocTest)\s*(?:<[^>]{0,80}>)?(?=\()/],
    ['skip-here', /\bskip:\s*(?!false\b)|\bmarkTestSkipped\s*\(/],
    ['skip-file', /^@Skip\b/],
    ['only', /\bsolo:\s*true/],
    ['assert', /(?<![\w$.])expect(?:Later)?\s*\(/],
  ],
  trivial: /\bexpect\(\s*true\s*,\s*(?:true|isTrue)\s*\)/,
};
