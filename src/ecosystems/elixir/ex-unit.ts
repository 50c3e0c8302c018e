// ExUnit.
import { type Language, SYNTAXES } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const language: Language = {
  syntax: SYNTAXES.elixir,
  marks: [
    ['suite', /^\s*describe\s+(?=")|^\s*defmodule\s+(?<name>[\w.]+)/],
    ['test', /^\s*(?:test|property)\s+(?=")/],
    ['skip-next', /^\s*@tag\s+(?::skip\b|skip:\s*(?!false))/],
    ['skip-here', /^\s*@describetag\s+(?::skip\b|skip:\s*(?!false))/],
    ['skip-file', /^\s*@moduletag\s+(?::skip\b|skip:\s*(?!false))/],
    ['assert', /\b(?:assert|refute)\w*\b/],
    ['table', /^\s*for\s+.*<-/],
  ],
  trivial: /\bassert\(?\s*true\s*\)?\s*$/,
};

export const config: TestConfig = {
  names: 'mix\\.exs',
  lines: [['deselect', /(^|\/)mix\.exs$|test_helper\.exs$/, /\bexclude:\s*\[/]],
};
