// The environment of a git that a person runs through us: theirs, without what git itself set for another run or what
// points it elsewhere, and without any way to ask a question.

/** How to reach others. Every other variable of git's is about which repository, or what to run. */
const KEPT = new Set([
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'GIT_SSL_CERT',
  'GIT_SSL_KEY',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
]);

export function gitEnvironmentOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (!name.startsWith('GIT_') || KEPT.has(name))) kept[name] = value;
  }
  return {
    ...kept,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS_REQUIRE: 'never',
    LC_ALL: 'C',
  };
}
