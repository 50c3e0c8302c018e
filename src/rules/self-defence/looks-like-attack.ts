// A cheap first look, without a parser, at what an agent is about to run or write: may it be about us? It is asked before
// every call, so it is a pass or two over the text and leans to yes; a yes costs a parse, and a look at
// what is ours.

const MOST = 128 * 1024;
const VERBS =
  'pause|mode|uninstall|init|install|key|auth|policy|anchor|operator|plan|overrides|crashes|recover|archive|erase|mcp|serve|session';

/** Programs that may take away, or change, all that lies below a folder. */
const CHANGERS =
  'rm|rmdir|mv|shred|unlink|chmod|chown|chgrp|chattr|setfacl|find|fd|rsync|tar|zip|7z|gzip|xz|bzip2|zstd|mount|umount|trash|srm|cp|ln|install|truncate|tee|dd';

const WORDS = new RegExp(
  [
    // Us, by name; and what ends processes.
    'foil|kill|fuser|/v1/stop|systemctl|launchctl|supervisorctl|loginctl|\\b(?:reboot|poweroff|halt|shutdown|telinit|gdb|lldb)\\b|\\binit [016]\\b',
    // Where hooks stand, and where what is ours lies.
    '\\.claude|\\.codex|\\.gemini|\\.cursor|\\.opencode|opencode/|copilot|\\.github|\\.vscode|settings(?:\\.local|\\*)?\\.json|hooks(?:\\.json|/)|mcp\\.json|config\\.toml',
    '\\bdist\\b\\S{0,80}\\.(?:cjs|script|cache)|/etc/claude|\\.local\\b|\\.config\\b|XDG_|/run/user|HOME\\b|(?:^|\\s)~',
    // What changes files that nobody names: git, and programs that go up, to the root, through a glob or a variable.
    '\\bgit\\b[^\\n]{0,200}\\b(?:clean|stash|checkout|switch|restore|reset|apply|am|read-tree|rm)\\b',
    `\\b(?:${CHANGERS})\\b[^\\n]{0,400}(?:[\\s"'=]/|\\.\\.|[$\`]|(?:^|[\\s"'/])\\.[\\w.]{0,8}[*?[{])`,
    `\\b(?:cd|pushd|chdir)\\b[^]{0,400}\\b(?:${CHANGERS})\\b`,
    '(?:^|[\\s"\'/])\\.\\w{0,8}[*?[{]|\\bch(?:mod|own|grp)\\s+-\\w{0,8}R|-delete\\b|-exec|\\bfd\\b',
    // A star that stands for hidden names, too.
    '/proc/|/dev/fd|dotglob|glob_?dots|GLOBIGNORE|[*?]\\(D',
    // Code that runs, removes or renames.
    'ppid|rmtree|rmSync|unlink|\\bsystem\\b|subprocess|child_process|execSync|spawnSync',
    // What turns other text into a command.
    'base64|\\bxxd\\b|\\\\[xu][0-9a-f]{2}|\\\\[0-7]{3}|\\beval\\b|\\|\\s{0,8}(?:\\S{0,32}/)?(?:ba|z|da)?sh\\b',
    `\\$\\{?\\w{1,64}\\}?\\w{0,16}["']?\\s{1,8}["']?(?:${VERBS})\\b`,
  ].join('|'),
  'i',
);

/** False only where the text can hardly be about us. `names` are last parts of our own paths. Never throws; linear. */
export function looksLikeAttack(text: string, names: readonly string[]): boolean {
  // Nobody types that much: a look at all of it would cost more than it tells.
  if (text.length > MOST) return true;
  const isNamed = (each: string): boolean =>
    WORDS.test(each) || names.some((name) => name !== '' && each.includes(name));
  if (isNamed(text)) return true;
  // `.cla""ude`, `fo\il` and `.cl$@aude` are names, too.
  return /["'\\$`]/.test(text) && isNamed(unquoted(text));
}

/** As a shell would take it, if each variable were empty or had its default. */
function unquoted(text: string): string {
  return text
    .replace(/\$\{\w{0,64}:?[-=+]([^{}]{0,400})\}/g, '$1')
    .replace(
      /\\\n|["'\\]|\$\{[^{}]{0,400}\}|\$\([^()]{0,400}\)|`[^`]{0,400}`|\$(?:\d|\w{1,64}|[@*#?!$-])/g,
      '',
    );
}
