// swift test: XCTest and Swift Testing.
import { type Language, SYNTAXES, TRIVIAL } from '../language.ts';

export const language: Language = {
  syntax: SYNTAXES.java,
  marks: [
    ['attribute', /@Test\b/],
    ['suite', /\b(?:class|struct)\s+(?<name>\w+)/],
    ['test', /\bfunc\s+(?<name>test\w*)\s*\(/],
    ['declaration', /\bfunc\s+(?<name>(?!test)\w+)\s*[(<]/],
    ['skip-next', /@(?:Test|Suite)\s*\([^)]{0,120}\.disabled\b/],
    ['skip-here', /\bXCTSkip\w*\s*\(/],
    ['skip-file', /^\s*#if\s+(?:false|0)\b/],
    ['assert', /\bXCT(?:Assert\w*|Fail|Unwrap)\s*\(|#(?:expect|require)\s*\(|\bexpect\s*\(/],
    ['table', /\barguments:/],
  ],
  trivial: TRIVIAL,
};
