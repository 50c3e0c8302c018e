// JUnit, TestNG, Kotest, in Java and Kotlin.
import { type Language, SYNTAXES } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const language: Language = {
  syntax: SYNTAXES.java,
  marks: [
    ['attribute', /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/],
    ['suite', /\b(?:class|object)\s+(?<name>\w+)/],
    ['declaration', /\b(?:void|fun)\s+(?<name>\w+)\s*\(|\bfun\s*(?=`)/],
    ['skip-next', /@(?:Disabled|Ignore)\w*\b|@Test\s*\([^)]{0,120}\benabled\s*=\s*false/],
    [
      'skip-here',
      /\bassume(?:True\s*\(\s*false|False\s*\(\s*true)|\bAssumptions\.abort\s*\(|\bthrow\s+new\s+(?:SkipException|TestAbortedException)\b/,
    ],
    ['skip-own', /(?<![\w.])x(?:it|test|should|describe|context)\s*(?=\()/],
    ['assert', /\b(?:assert|expect|verify)\w*\s*[({]|\bAssert\w*\.\w+\s*\(|\bshould\w+\b/],
    ['table', /@ParameterizedTest\b|@(?:Value|Csv|Method|Enum)Source\b/],
  ],
  trivial:
    /\bassert(?:True|That)\s*\(\s*true\s*[,)]|\bassertEquals\s*\(\s*(?:true\s*,\s*true|1\s*,\s*1)\s*[,)]/,
};

export const config: TestConfig = {
  names: 'testng\\.xml',
  lines: [
    [
      'deselect',
      /\.xml(\.dist)?$/,
      /<exclude\b[^>]{0,80}>.{0,160}<\/exclude>|<excludes?>[^<]*Test|<exclude\b.*\bname=/,
    ],
  ],
};
