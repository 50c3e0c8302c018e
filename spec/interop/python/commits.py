"""Commits that were signed into a run (spec/bundle.md): their objects, and whether these show that a commit holds what the run
made and goes on from where it began."""
import hashlib
import unicodedata

from encoding import Malformed, is_git, members
from pack import matches

PASSED = ('.git', '.foil', '.hg', '.svn', 'node_modules', '__pycache__')
MOST = {'commit': 1 << 20, 'tree': 1 << 24}
DEEPEST = 32


class Unshown(Exception):
    """The objects do not show it."""


def name_of(kind, data, like):
    whole = b'%s %d\0' % (kind.encode(), len(data)) + data
    return (hashlib.sha1(whole) if len(like) == 40 else hashlib.sha256(whole)).hexdigest()


def read_commit(data):
    """[tree, parents]: the lines that an object begins with."""
    tree, parents = None, []
    for line in data.split(b'\n'):
        word, _, value = line.partition(b' ')
        value = value.decode('latin-1')
        if word not in (b'tree', b'parent') or not is_git(value) or (word == b'tree') != (tree is None):
            break
        if word == b'tree':
            tree = value
        else:
            parents.append(value)
    if tree is None:
        raise Malformed('no commit')
    return tree, parents


def read_tree(data, name):
    """[mode, name, hash] of each file and folder."""
    rows, at, size = [], 0, len(name) // 2
    while at < len(data):
        blank, nul = data.find(b' ', at), data.find(b'\0', at)
        if blank < 0 or nul < blank or nul + 1 + size > len(data):
            raise Malformed('no tree')
        try:
            called = unicodedata.normalize('NFC', data[blank + 1:nul].decode())
        except UnicodeDecodeError:
            raise Malformed('no name') from None
        if called in ('', '.', '..') or '/' in called or any(called == row[1] for row in rows):
            raise Malformed('a name that is none, or that is there twice')
        rows.append((data[at:blank], called, data[nul + 1:nul + 1 + size].hex()))
        at = nul + 1 + size
    return rows


def read_objects(report, parts, kind, read):
    found, folder = {}, kind + 's/'
    for path, data in parts.items():
        if path.startswith(folder):
            name = path[len(folder):]
            try:
                if len(data) > MOST[kind] or name_of(kind, data, name) != name:
                    raise Malformed('another object')
                found[name] = read(data, name)
            except Malformed:
                report.fail('COMMIT_WRONG')
    return found


def reached(first, further):
    seen, waiting = set(first), list(first)
    while waiting:
        for name in further(waiting.pop()):
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return seen


def path_matches(glob, path):
    """Both in segments; `**` is any number of them."""
    if not glob:
        return not path
    if glob[0] == '**':
        return any(path_matches(glob[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and matches(glob[0], path[0]) and path_matches(glob[1:], path[1:])


def may_hold(glob, folder):
    for part, name in zip(glob, folder):
        if part == '**':
            return True
        if not matches(part, name):
            return False
    return len(glob) > len(folder)


def files_in(trees, name, globs, above=()):
    """[path, hash] of every file of a tree that an output could be."""
    if name not in trees or len(above) >= DEEPEST:
        raise Unshown
    for mode, called, digits in trees[name]:
        here = [*above, called]
        is_output, holds = any(path_matches(glob, here) for glob in globs), any(may_hold(glob, here) for glob in globs)
        if mode in (b'100644', b'100755', b'100664'):
            if is_output:
                yield '/'.join(here), digits
        elif mode == b'40000':
            if called not in PASSED and holds:
                yield from files_in(trees, digits, globs, here)
        elif is_output or holds:
            raise Unshown


def holds(commit, commits, trees, base, pack, artifacts):
    if pack is None or artifacts is None or base is None:
        return False
    lead = lambda name: commits[name][1] if name in commits else []
    if base not in reached(lead(commit), lambda name: [] if name == base else lead(name)):
        return False
    tree = commits[commit][0]
    try:
        found = list(files_in(trees, tree, [glob.split('/') for glob in pack['outputs']]))
    except Unshown:
        return False
    return sorted(found) == sorted((path, name_of('blob', data, tree)) for path, data in artifacts.items())


def is_proof(payload, commits):
    commit, tree, parents = members(payload, 'commit', 'tree', 'parents')
    if not is_git(commit) or not is_git(tree) or not isinstance(parents, list) or not all(map(is_git, parents)):
        raise Malformed('no commit')
    return commits.get(commit) == (tree, parents)


def check_commits(report, parts, entries, base, pack, artifacts):
    commits = read_objects(report, parts, 'commit', lambda data, _: read_commit(data))
    trees = read_objects(report, parts, 'tree', read_tree)
    proven = []
    for entry in entries:
        if entry['kind'] != 'commit':
            continue
        try:
            good = is_proof(entry['payload'], commits)
        except Malformed:
            good = False
        report.require(good, 'COMMIT_WRONG')
        if good:
            proven.append(entry['payload']['commit'])
    led = reached(proven, lambda name: commits[name][1] if name in commits else [])
    folders = lambda name: [digits for mode, _, digits in trees.get(name, []) if mode == b'40000']
    below = reached([commits[name][0] for name in proven], folders)
    report.require(set(commits) <= led and set(trees) <= below, 'COMMIT_WRONG')
    if not all(holds(name, commits, trees, base, pack, artifacts) for name in proven):
        report.notes.append('COMMIT_NOT_SHOWN')
