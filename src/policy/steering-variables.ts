// Variables that a line gives to what it starts. Some name programs, options or files, and nobody knows all that do. So a
// variable is plain if its name is known, or if its value can't be any of that.
import { type Assignment, forEachChild, parse, type SyntaxNode } from 'unbash';

/** A number, a switch, a kind of environment, a level, a locale. */
const PLAIN_VALUE =
  /^(?:|\d[\d._]*[a-z%]{0,2}|true|false|yes|no|on|off|none|null|auto|always|never|full|short|test|tests|testing|dev|development|prod|production|staging|ci|local|debug|info|warn|warning|error|trace|verbose|silent|quiet|dumb|xterm|xterm-256color|utc|c|posix|(?:c|[a-z]{2}_[a-z]{2})\.utf-?8|-D ?warnings)$/i;
const PLAIN_NAME =
  /^(?:[A-Z]|[a-z][a-z0-9_]*|FOO|BAR|BAZ|APP_\w+|MY_\w+|CI|TZ|LANG|LANGUAGE|LC_\w+|TERM|DEBUG|COLUMNS|LINES|PYTHONPATH|NODE_PATH|GOPATH|CLASSPATH|GOOS|GOARCH|GOPROXY|RUST_LOG|VITE_\w+|NEXT_PUBLIC_\w+|REACT_APP_\w+|AWS_(?:PROFILE|REGION|DEFAULT_REGION)|(?:\w+_)?(?:NAME|URL|URI|HOST|PORT|KEY|TOKEN|ID|LEVEL|ENV|MODE|PASSWORD|USER|USERNAME|DB|DATABASE|REGION|VERSION|TAG|SEED|TIMEOUT|LIMIT|COUNT|SIZE|THREADS|JOBS|WORKERS|RETRIES|FORMAT|COLOR|LOG|ZONE|DSN|ORIGIN|SECRET|MESSAGE|TITLE|BRANCH|DATE|STAGE|FEATURE|FEATURES|ADDRESS|ADDR|PREFIX|DESTDIR|(?:TARGET|BUILD|OUT|OUTPUT)_DIR|TMPDIR))$/;
/** Settings of npm have any name. */
const SETTING = /^npm_config_/i;
const EXPORTS = /\bexport\b|\b(?:declare|typeset|local)\s+-\w*x|\bset\s+[-+\w\s]*(?:-\w*a|allexport)/;

/** `value` is null where it follows only when the line runs. */
export function isPlainVariable(name: string, value: string | null): boolean {
  if (SETTING.test(name)) return false;
  return PLAIN_NAME.test(name) || (value !== null && PLAIN_VALUE.test(value));
}

export const steers = (name: string): string =>
  `it sets ${name}, which may name a program, its options or a file`;

const textOf = (value: Assignment['value']): string | null => (value.type === 'Word' ? value.value : null);

/** Why the variables of a line may change what it runs; null where they don't. */
export function steeredBy(line: string): string | null {
  let name: string | null = null;
  const isExported = EXPORTS.test(line);
  const look = (node: SyntaxNode): void => {
    // Without a command behind it, it stays with the shell.
    const isGiven = isExported || (node.type === 'Command' && node.name !== undefined);
    if (node.type === 'Command' && isGiven)
      for (const each of [...node.prefix, ...node.args])
        if (each.type === 'Assignment' && !isPlainVariable(each.name, textOf(each.value))) name ??= each.name;
    forEachChild(node, look);
  };
  const script = parse(line);
  look(script);
  return name === null ? null : steers(name);
}
