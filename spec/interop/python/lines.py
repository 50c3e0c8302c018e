"""Lines for a shell under the rules of a pack (spec/pack.md, "Lines for a shell"). This reader knows plain lines: words,
quotes, lists, pipes, redirections and `$(...)`. Whatever else a line has may run anything here, and makes the answer
unknown, which the specification allows."""
import posixpath
import re

SHELLS = ('sh', 'bash', 'dash', 'zsh', 'ksh')
STARTERS = ('env', 'sudo', 'nohup', 'timeout', 'command', 'exec', 'nice', 'time', 'xargs')
READERS = ('cat', 'head', 'tail', 'wc', 'sort', 'tac', 'nl')
HARMLESS = ('echo', 'printf', 'true', 'false', ':', 'pwd', 'ls', 'wc', 'tr', 'cut', 'sleep', 'exit')
RUNNERS = re.compile(r'(?:sh|bash|dash|zsh|ksh|fish|node|python|perl|ruby|php|awk|sed|eval|source|\.|find|ssh|docker|podman|alias|trap|pwsh|powershell|'
                     r'npx|bunx|uvx?|pipx|poetry|pipenv|deno|bun|tsx|ipython|m4?|sqlite|psql|mysql|g?make|lua|julia|vim?|gdb)[0-9.]*$')
TAKES_ALL = ('tar', 'bsdtar', 'zip', '7z', '7za', 'rsync', 'scp', 'sftp', 'cpio', 'pax', 'rclone', 'aws', 'gsutil', 'date', 'hostname')
STEERS = re.compile(r'PATH|IFS|ENV$|OPTS?$|FLAGS|WRAPPER|LESS|^HOME$|OPTIONS|COMMAND|EDITOR|PAGER|PRELOAD|SHELL|SSH|^BASH|^GIT_|^LD_', re.I)


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
                if STEERS.search(value.partition('=')[0]):
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
            self.sure_of_files = False
            self.commands += [others[at:] + ([None] if name == 'xargs' else []) for at in range(len(others))]
        elif RUNNERS.fullmatch(name) or name in ('cd', 'pushd', 'popd', 'if', 'for', 'while', 'case', 'function', 'select'):
            self.lose()
        elif name in READERS:
            for word in others:
                if word is None or not word.startswith('-'):
                    self.file(word, 'read')
                else:
                    self.sure_of_files = False
        elif name not in HARMLESS:
            self.sure_of_files = self.sure_of_files and name not in ('rg', 'ag', 'ack', 'git', *TAKES_ALL)
            if None in others or any(re.match(r'-.*[./~]', word) for word in others if word):
                self.sure_of_files = False
            if name == 'git' and 'config' in others:
                self.lose()
            written = {posixpath.normpath(path) for path, use in self.files if use == 'write'}
            if any(word is not None and posixpath.normpath(word) in written for word in words):
                self.lose()
            self.mentions += [word for word in others if word is not None]
            if any(word is not None and re.search(r'[\s;&|=!]', word) for word in others):
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
