// cargo test and cargo nextest.
import { type Language, SYNTAXES } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const language: Language = {
  syntax: SYNTAXES.rust,
  marks: [
    ['attribute', /#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/],
    ['declaration', /\bfn\s+(?<name>\w+)/],
    ['suite', /\bmod\s+(?<name>\w+)/],
    [
      'skip-next',
      /#\[\s*ignore\b|#\[\s*cfg_attr\([^\]]{0,120}\bignore\b|#\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|not\(\s*(?:test|all\(\s*\))\s*\))\s*\)/,
    ],
    ['skip-file', /#!\[\s*cfg\(\s*(?:any\(\s*\)|FALSE|false|not\(\s*(?:test|all\(\s*\))\s*\))\s*\)/],
    ['assert', /\b(?:debug_|prop_)?assert\w*!|#\[\s*should_panic\b|\bpanic!/],
    ['table', /#\[\s*(?:case|values|test_case)\b/],
  ],
  trivial: /\bassert!\(\s*true\s*[,)]|\bassert_eq!\(\s*(?:true\s*,\s*true|1\s*,\s*1)\s*[,)]/,
};

export const config: TestConfig = {
  names: 'cargo\\.toml|nextest\\.toml',
  members: [[/^(?:test|lib|bin|package)$/, /^(?:test|doctest|autotests|harness)$/, 'runs-tests']],
};
