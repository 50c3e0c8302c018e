// dotnet test: xUnit, NUnit, MSTest.
import { type Language, SYNTAXES, TRIVIAL } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const language: Language = {
  syntax: SYNTAXES.java,
  marks: [
    ['attribute', /\[\s*(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b/],
    ['suite', /\bclass\s+(?<name>\w+)/],
    ['declaration', /\b(?:void|Task(?:<\w+>)?|ValueTask)\s+(?<name>\w+)\s*[(<]/],
    [
      'skip-next',
      /\[[^\]]{0,120}\b(?:Fact|Theory|Test|TestCase)\s*\([^\]]{0,120}\b(?:Skip|Ignore)\s*=|[[,]\s*(?:Ignore|Explicit)\b\s*[(\],]/,
    ],
    ['skip-here', /\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\(|\bSkip\.If\w*\s*\(/],
    ['skip-file', /^\s*#if\s+(?:false|0|NEVER)\b/],
    ['assert', /\bAssert\.(?!Ignore|Inconclusive|Skip)\w+|\.Should\w*\b/],
    ['table', /\[\s*(?:InlineData|TestCase|DataRow|MemberData)\b/],
  ],
  trivial: TRIVIAL,
};

export const config: TestConfig = {
  names: '[a-z0-9._-]+\\.(?:runsettings|csproj|fsproj)|xunit\\.runner\\.json',
};
