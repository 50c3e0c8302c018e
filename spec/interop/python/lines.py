"""Lines for a shell under the rules of a pack (spec/pack.md, "Lines for a shell"). This reader knows plain lines: words,
quotes, lists, pipes, redirections and `$(...)`, and few programs. Whatever else a line has may run anything here, and
makes the answer unknown, which the specification allows."""
import posixpath
import re

SHELLS = ('sh', 'bash', 'dash', 'zsh', 'ksh')
STARTERS = ('env', 'sudo', 'nohup', 'timeout', 'command', 'exec', 'nice', 'time', 'xargs')
READERS = ('cat', 'head', 'tail', 'wc', 'sort', 'tac', 'nl')
HARMLESS = ('echo', 'printf', 'true', 'false', ':', 'pwd', 'ls', 'wc', 'tr', 'cut', 'sleep', 'exit')
# Programs that do what their words say, or run the code of the project: with what may stand behind them first. Any other
# program may do anything, and so may these with an option.
KNOWN = {
    'npm': 'test t run run-script install i ci ls outdated start',
    'pnpm': 'test run install ls start',
    'git': 'add branch checkout commit diff fetch log merge pull push rebase remote reset restore rev-parse show status switch tag',
    'cargo': 'build check test run clippy fmt',
    'go': 'build test vet fmt',
    'docker': 'ps images logs',
    'kill': None, 'ps': None, 'df': None, 'tsc': None, 'uniq': None, 'jq': None, 'date': None, 'hostname': None,
}
PLAIN_VALUE = re.compile(r'|\d[\d.]*|true|false|yes|no|on|off|test|dev|development|prod|production|ci|debug|info|warn|error')


class Line:
    """commands: lists of words, None for one that follows only when it runs. files: [(path, use)], path from where the line
    starts. sure, sure_of_files: whether nothing else can run, or be touched."""

    def __init__(self, text, depth=0):
        self.commands, self.files, self.sure, self.sure_of_files, self.mentions = [], [], True, True, []
        self.depth = depth
        if depth > 4 or '[REDACTED:' in text:
            self.lose()
        self.read(text)
        for words in list(self.commands):
            self.look_into(words)

    def lose(self):
        self.sure = self.sure_of_files = False

    def within(self, text):
        inner = Line(text, self.depth + 1)
        self.commands += inner.commands
        self.files += inner.files
        self.mentions += inner.mentions
        self.sure, self.sure_of_files = self.sure and inner.sure, self.sure_of_files and inner.sure_of_files

    def read(self, text):
        words, word, at, redirect = [], None, 0, None
        known = True

        def end_word():
            nonlocal word, known, redirect
            if word is None:
                return
            value = word if known else None
            if redirect is not None:
                self.file(value, redirect)
            elif not words and value is not None and re.match(r'\w+=', value):
                name, _, given = value.partition('=')
                # A variable may name a program, its options or a file.
                if not (re.fullmatch(r'[a-z][a-z0-9_]*', name) and not name.startswith('npm_config_')
                        or re.fullmatch(r'[A-Z]', name) or PLAIN_VALUE.fullmatch(given)):
                    self.lose()
            else:
                words.append(value)
            word, known, redirect = None, True, None

        def end_command():
            end_word()
            if words:
                self.commands.append(list(words))
            words.clear()

        while at < len(text):
            sign = text[at]
            if text.startswith('$(', at) and not text.startswith('$((', at):
                end = text.find(')', at)
                inner = text[at + 2:end]
                if end < 0 or re.search(r'''["'()$`\\]''', inner):
                    self.lose()
                    return
                self.within(inner)
                word, known, at = word or '', False, end + 1
            elif sign in '\'"':
                end = text.find(sign, at + 1)
                inner = text[at + 1:end]
                if end < 0 or sign == '"' and re.search(r'[$`\\]', inner):
                    self.lose()
                    return
                word, at = (word or '') + inner, end + 1
            elif sign in ' \t':
                end_word()
                at += 1
            elif sign in ';&|\n':
                if text.startswith('&>', at):
                    self.lose()
                    return
                end_command()
                at += 1
            elif sign in '<>':
                if text[at:at + 2] in ('<<', '<(', '>(', '<&', '>&', '<>', '>|'):
                    self.lose()
                    return
                end_word()
                at += 2 if text.startswith('>>', at) else 1
                redirect = 'read' if sign == '<' else 'write'
            elif sign in '$`\\(){}*?[]~#!':
                self.lose()
                return
            else:
                word, at = (word or '') + sign, at + 1
        end_command()

    def file(self, value, use):
        if value is None:
            self.sure_of_files = False
        else:
            self.files.append((value, use))

    def look_into(self, words):
        program, others = words[0], words[1:]
        if program is None:
            return self.lose()
        name = program.rpartition('/')[2]
        if name in SHELLS and len(others) > 1 and re.fullmatch(r'-[a-z]*c', others[0] or '') and others[1] is not None:
            return self.within(others[1])
        if name in STARTERS:
            self.lose()
            self.commands += [others[at:] + ([None] if name == 'xargs' else []) for at in range(len(others))]
        elif name in READERS:
            for word in others:
                if word is None or not word.startswith('-'):
                    self.file(word, 'read')
                else:
                    self.sure_of_files = False
        elif name not in HARMLESS:
            first = others[0] if others else None
            if name not in KNOWN or KNOWN[name] is not None and first not in KNOWN[name].split():
                return self.lose()
            if any(word is not None and word.startswith('-') for word in others):
                self.lose()
            # Their words may be files: of git, in any commit.
            self.sure_of_files = self.sure_of_files and name not in ('git', 'date', 'hostname') and None not in others
            written = {posixpath.normpath(path) for path, use in self.files if use == 'write'}
            if any(word is not None and posixpath.normpath(word) in written for word in words):
                self.lose()
            self.mentions += [word for word in others if word is not None]
            if any(word is not None and re.search(r'[\s;&|=!:@]', word) for word in others):
                self.lose()


def command_of(arguments):
    """The line that the arguments give to a shell; None where they give none."""
    value = arguments[0]
    if isinstance(value, str):
        return value
    given = None if not isinstance(value, dict) else value.get('command', value.get('cmd'))
    return given if isinstance(given, str) else None


def from_tree(path, cwd, root):
    """A path as entries name them: from the work tree inside of it, absolute outside."""
    whole = posixpath.normpath(posixpath.join(cwd, path))
    if root is not None and (whole == root or whole.startswith(f'{root}/')):
        return whole[len(root) + 1:] or '.'
    return whole
