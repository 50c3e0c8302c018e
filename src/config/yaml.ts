// Reads counterfoil.yaml. Apart, because a hook of a project that has none does not load a YAML parser.
import { parseDocument } from 'yaml';

/**
 * One document, no aliases: a configuration has no use for them, and a hostile one would. Throws for what is not YAML, and
 * for what the parser has doubts about, such as a tag that nobody knows: it would print them, with a stack trace.
 */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw problem;
  return document.toJS({ maxAliasCount: 0 });
}
