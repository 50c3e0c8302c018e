// Reads counterfoil.yaml. Apart, because a hook of a project that has none does not load a YAML parser.
import { parse } from 'yaml';

/** One document, no aliases: a configuration has no use for them, and a hostile one would. Throws for what is not YAML. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: 0, prettyErrors: true });
}
