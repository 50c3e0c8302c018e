// CTest, and the tests of GoogleTest, Catch2, doctest and Boost.
import { type Language, SYNTAXES } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const language: Language = {
  syntax: SYNTAXES.rust,
  marks: [
    ['test', /\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*\w+\s*,\s*(?<name>(?!DISABLED_)\w+)/],
    ['test', /\b(?:TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE)\s*(?=\()/],
    ['skip-here', /\bGTEST_SKIP\s*\(|\bSKIP\s*\(/],
    ['skip-file', /^\s*#if\s+0\b/],
    ['assert', /\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST_(?:CHECK|REQUIRE|TEST))\w*\s*\(|\bassert\s*\(/],
    ['table', /\bINSTANTIATE_TEST_SUITE_P\b|\bGENERATE\s*\(/],
  ],
  trivial: /\b(?:EXPECT|ASSERT)_TRUE\(\s*true\s*\)|\bassert\(\s*(?:true|1)\s*\)/,
};

export const config: TestConfig = { names: 'cmakelists\\.txt|ctesttestfile\\.cmake' };
