// What Codex forbids: `prefix_rule(pattern = [...], decision = "forbidden")` in `.codex/rules/*.rules`, a small language in
// the form of Starlark. A call of a shell is not known to be fine under a rule that is not of this plain form.
import type { ArgumentRule, ToolPolicy } from '../format/index.ts';

export const CODEX_RULES = /^\.codex\/rules\/[^/]+\.rules$/;

const SHELLS = ['Bash', 'exec_command', 'local_shell', 'shell'];
/** Ways to write one rule, if its pattern has alternatives. */
const MOST_WAYS = 64;

export function deniedByCodexRules(text: string): ToolPolicy {
  const plain = text.replace(/("(?:[^"\\\n]|\\.)*")|#[^\n]*/g, '$1');
  const rules = plain.split(/\bprefix_rule\s*\(/).slice(1);
  return { deny: [], arguments: rules.flatMap(rulesOf) };
}

function rulesOf(rule: string): ArgumentRule[] {
  if (!/\bforbidden\b/.test(rule)) return [];
  const isPlain = /\bdecision\s*=\s*"forbidden"/.test(rule);
  const written = /\bpattern\s*=\s*(\[(?:[^[\]]|\[[^[\]]*\])*\])/.exec(rule)?.[1];
  const ways = written === undefined || !isPlain ? null : waysOf(written);
  return SHELLS.flatMap((tool): ArgumentRule[] =>
    ways === null
      ? [{ tool, unjudged: `prefix_rule(${rule.slice(0, 200).trim()}` }]
      : ways.flatMap((words) => [
          { tool, matches: words },
          { tool, matches: `${words} *` },
        ]),
  );
}

function waysOf(pattern: string): string[] | null {
  let parts: unknown;
  try {
    parts = JSON.parse(pattern.replace(/,\s*\]/g, ']'));
  } catch {
    return null;
  }
  if (!Array.isArray(parts) || parts.length === 0) return null;
  let ways = [''];
  for (const part of parts) {
    const words: unknown[] = Array.isArray(part) ? part : [part];
    if (words.length === 0 || !words.every((word) => typeof word === 'string' && /^[^*?]+$/.test(word)))
      return null;
    ways = ways.flatMap((way) => words.map((word) => `${way} ${word}`.trim()));
    if (ways.length > MOST_WAYS) return null;
  }
  return ways;
}
