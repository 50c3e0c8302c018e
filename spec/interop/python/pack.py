"""Harness packs (spec/pack.md): the manifest, the hashes, the root, and what the tool policy denies."""
import hashlib
import re
import unicodedata

from archive import read_tar, ungzip
from encoding import Malformed, b64u, canonical, is_hex64, jcs, members, parse_canonical, units
from ledger import leaf_hash, tree_root
from lines import Line, command_of, from_tree

FOLDERS = ('static', 'config', 'template', 'env', 'verification')
MANIFEST = ('schema', 'id', 'template_version', 'outputs', 'verification', 'static_file_hashes', 'file_hashes',
            'static_hash', 'config_hash', 'tool_policy_hash', 'pack_hash_b64u')
POLICY = 'config/tool-policy.json'
HIDDEN = re.compile(r'\[REDACTED:[a-z][a-z0-9-]{0,63}\]')
LOOKS_AT = ('domain', 'matches', 'path', 'reads', 'unjudged', 'writes')
SHELLS = re.compile(r'(?:bash|monitor|shell|exec|local_shell|run_shell_command|exec_command|run_in_terminal|powershell|pwsh)', re.I)
SEARCHES = ('Glob', 'Grep', 'LS', 'SemanticSearch', 'codebase_search', 'glob', 'grep', 'grep_search', 'list',
            'list_directory', 'read_many_files', 'search_file_content')
HOMES = ('/home/*', '/root', '/Users/*', '/var/home/*', 'c:/Users/*')


def sha(data):
    return hashlib.sha256(data).hexdigest()


def text(value, most):
    """At most so many characters, counted as JSON Schema counts them."""
    return isinstance(value, str) and len(value) <= most


def texts(value, most, longest):
    return isinstance(value, list) and len(value) <= most and all(text(item, longest) for item in value)


def require(holds, code):
    if not holds:
        raise Malformed(code)


def whole(value, least, most):
    return type(value) is int and least <= value <= most


def check_verification(value, files):
    """spec/schema/harness_pack.v1.json says the same."""
    if value is None:
        return
    require(isinstance(value, dict), 'BAD_MANIFEST')
    if value.get('method') == 'tests':
        command, report, file, tests, seconds = members(
            value, 'command', 'report', 'report_file', 'tests', 'timeout_seconds', 'method')[:5]
        require(texts(command, 256, 4096) and command != [] and command[0] != '', 'BAD_MANIFEST')
        require(report in ('tap', 'junit') and (file is None or text(file, 512)), 'BAD_MANIFEST')
        require(texts(tests, 20_000, 1024) and tests != [] and len(set(tests)) == len(tests), 'BAD_MANIFEST')
        require(whole(seconds, 1, 3600), 'BAD_MANIFEST')
    else:
        method, rubric, model, votes, threshold = members(value, 'method', 'rubric', 'model', 'votes', 'threshold')
        require(method == 'rubric' and text(rubric, 512) and rubric in files and text(model, 128), 'BAD_MANIFEST')
        require(whole(votes, 1, 25) and whole(threshold, 1, 100), 'BAD_MANIFEST')


def rubric_of(verification, files):
    """What an attestation by rubric must say, as it says it; None for a pack that has none."""
    if verification is None or verification['method'] != 'rubric':
        return None
    return {'rubric_sha256': sha(files[verification['rubric']]),
            **{name: verification[name] for name in ('model', 'votes', 'threshold')}}


def check_manifest(manifest, files):
    members(manifest, *MANIFEST)
    require(manifest['schema'] == 'harness_pack.v1', 'BAD_MANIFEST')
    require(text(manifest['id'], 128) and text(manifest['template_version'], 128), 'BAD_MANIFEST')
    require(texts(manifest['outputs'], 256, 512), 'BAD_MANIFEST')
    for name in ('static_hash', 'config_hash', 'tool_policy_hash'):
        require(is_hex64(manifest[name]), 'BAD_MANIFEST')
    require(isinstance(manifest['pack_hash_b64u'], str), 'BAD_MANIFEST')
    for name, pattern in (('static_file_hashes', r'static/.+'), ('file_hashes', r'(?:config|env|template|verification)/.+')):
        listed = manifest[name]
        require(isinstance(listed, dict) and all(map(is_hex64, listed.values())), 'BAD_MANIFEST')
        require(all(re.fullmatch(pattern, path, re.DOTALL) for path in listed), 'BAD_MANIFEST')
    check_verification(manifest['verification'], files)


def check_listed(manifest, files):
    listed = {**manifest['static_file_hashes'], **manifest['file_hashes']}
    there = {path: sha(data) for path, data in files.items() if path != 'manifest.json'}
    require(set(there) <= set(listed), 'ADDED_FILE')
    require(set(listed) <= set(there), 'MISSING_FILE')
    require(there == listed, 'CHANGED_FILE')


def parse_policy(data):
    """[patterns of tools, [tool, what it looks at, text] of each rule]."""
    arguments, deny = members(parse_canonical(data), 'arguments', 'deny')
    require(isinstance(arguments, list) and isinstance(deny, list), 'BAD_CONFIG')
    rules = []
    for rule in arguments:
        looks_at = next((name for name in LOOKS_AT if isinstance(rule, dict) and name in rule), 'matches')
        tool, found = members(rule, 'tool', looks_at)
        rules.append((tool, looks_at, found))
    require(all(isinstance(item, str) for item in [*deny, *(part for rule in rules for part in rule)]), 'BAD_CONFIG')
    for found, key in ((deny, units), (rules, lambda rule: (units(rule[0]), rule[1], units(rule[2])))):
        require(found == sorted(set(found), key=key), 'BAD_CONFIG')
    return deny, rules


def parsed(data, code):
    try:
        return parse_canonical(data)
    except Malformed:
        raise Malformed(code) from None


def read_pack(data):
    """What a bundle needs of a pack, or Malformed with the code of spec/pack.md."""
    files = read_tar(ungzip(data))
    require('manifest.json' in files, 'NO_MANIFEST')
    for path in files:
        require(path == 'manifest.json' or path.partition('/')[0] in FOLDERS and '/' in path, 'STRAY_FILE')
    require(POLICY in files, 'NO_TOOL_POLICY')
    config = {path[7:]: parsed(content, 'BAD_CONFIG') for path, content in files.items() if path.startswith('config/')}
    try:
        policy = parse_policy(files[POLICY])
    except Malformed:
        raise Malformed('BAD_CONFIG') from None
    check_environment(files)
    manifest = parsed(files['manifest.json'], 'BAD_MANIFEST')
    try:
        check_manifest(manifest, files)
    except Malformed:
        raise Malformed('BAD_MANIFEST') from None
    check_listed(manifest, files)
    pairs = [[path, sha(content)] for path, content in files.items()]
    static = sha(canonical([pair for pair in pairs if pair[0].startswith('static/')]))
    settings = sha(canonical(config))
    three = bytes.fromhex(static) + bytes.fromhex(settings) + manifest['template_version'].encode()
    hashes = {'static_hash': static, 'config_hash': settings, 'tool_policy_hash': sha(files[POLICY]),
              'pack_hash_b64u': b64u(hashlib.sha256(three).digest())}
    require(all(manifest[name] == value for name, value in hashes.items()), 'WRONG_HASH')
    return {'id': manifest['id'], 'rubric': rubric_of(manifest['verification'], files), 'outputs': manifest['outputs'],
            'root': tree_root([leaf_hash(canonical(pair)) for pair in pairs]).hex(),
            'config_hash_b64u': b64u(bytes.fromhex(settings)), 'policy': policy, **hashes}


def check_environment(files):
    for path, content in files.items():
        if path.startswith('env/'):
            require(path == 'env/variables.json', 'STRAY_FILE')
            value = parsed(content, 'BAD_VARIABLES')
            require(isinstance(value, dict), 'BAD_VARIABLES')
            require(all(item is None or is_hex64(item) for item in value.values()), 'BAD_VARIABLES')


# --- the tool policy -------------------------------------------------------------------------------------------------

def matches(pattern, value):
    """`*` is any characters, `?` is one. It goes back to the last `*` alone, so it can't take exponential time."""
    at = within = 0
    star = mark = -1
    while at < len(value):
        if within < len(pattern) and pattern[within] == '*':
            star, mark, within = within, at, within + 1
        elif within < len(pattern) and pattern[within] in ('?', value[at]):
            at, within = at + 1, within + 1
        elif star >= 0:
            mark += 1
            at, within = mark, star + 1
        else:
            return False
    return all(sign == '*' for sign in pattern[within:])


def may_match(pattern, pieces):
    """Whether a text could match if each None in it stood for any characters. Pieces stand for themselves."""
    def past(places):
        for place in range(len(pattern)):
            if place in places and pattern[place] == '*':
                places.add(place + 1)
        return places

    places = past({0})
    for piece in pieces:
        if piece is None:
            places = set(range(min(places), len(pattern) + 1))
            continue
        for sign in piece:
            stay = {place for place in places if pattern[place:place + 1] == '*'}
            places = past(stay | {place + 1 for place in places if pattern[place:place + 1] in ('?', sign)})
            if not places:
                return False
    return len(pattern) in places


def pieces_of(value):
    """A text with None in the place of what was taken out of it."""
    first, *others = HIDDEN.split(value)
    return [first, *(piece for other in others for piece in (None, other))]


def texts_in(value):
    """The text of every argument, at any depth: of a number, true and false it is their JSON; names are no arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (bool, int, float)):
        yield jcs(value)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)


def names_of(payload):
    """A call that an MCP server got is also known as mcp__<server>__<tool> (spec/completeness.md)."""
    tool, mcp = payload.get('tool'), payload.get('mcp')
    if not isinstance(tool, str) or tool == '':
        return []
    server = mcp.get('server') if isinstance(mcp, dict) else None
    if not isinstance(server, str):
        return [tool, 'Bash'] if SHELLS.fullmatch(tool) and tool.lower() not in ('powershell', 'pwsh') else [tool]
    tidy = lambda word: re.sub(r'[^A-Za-z0-9_-]', '_', word)
    return [tool, f'mcp__{tidy(server)}__{tidy(tool)}']


def judge_call(policy, payload, arguments, held):
    """'TOOL_DENIED', 'TOOL_UNDISCLOSED' or None. `arguments` is a list of one, or None; `held` says whether args_hash is of
    them: if not, they can speak against the run, and not for it."""
    deny, rules = policy
    names = names_of(payload)
    if not names and (deny or rules):
        return 'TOOL_UNDISCLOSED'
    if any(matches(pattern, name) for pattern in deny for name in names):
        return 'TOOL_DENIED'
    judged = [judge_rule(looks_at, found, name, payload, arguments, held)
              for tool, looks_at, found in rules for name in names if matches(tool, name)]
    if True in judged:
        return 'TOOL_DENIED'
    return 'TOOL_UNDISCLOSED' if None in judged else None


def judge_rule(looks_at, found, tool, payload, arguments, held):
    """True if the rule catches the call, None if that can't be told."""
    if looks_at == 'unjudged':
        return None
    shell = SHELLS.fullmatch(tool) is not None
    if looks_at == 'path' and not shell:
        return names_file(found, tool, payload.get('paths'), payload.get('workspace_root'), arguments)
    if arguments is None:
        return None
    said = list(texts_in(arguments))
    given = command_of(arguments) if shell or not isinstance(arguments[0], str) else None
    program = arguments[0].get('shell') if isinstance(arguments[0], dict) else None
    other = isinstance(program, str) and re.fullmatch(r'(?:/[A-Za-z0-9_/]+/)?(?:ba|z|da|k)?sh', program) is None
    line = None if given is None or other or tool.lower() in ('powershell', 'pwsh') else Line(given)
    if looks_at == 'matches':
        known = shell and given is not None
        said = [given] if known else said
        may_be = any(may_match(found, pieces_of(text)) for text in said if HIDDEN.search(text))
        unsure = may_be or not known and has_hash(arguments) or given is not None and (line is None or may_run(found, line))
        caught = any(matches(found, text) for text in said) or line is not None and runs(found, line)
        caught = True if caught else None if unsure else False
    elif looks_at in ('path', 'reads', 'writes'):
        caught = None if line is None else touches(found, looks_at, line, payload)
    else:
        caught = worst([None if HIDDEN.search(text) else at_host(found, text) for text in said])
    return None if caught is False and not held else caught


def has_hash(value):
    """Of what is written to a file recorders keep the hash alone."""
    if isinstance(value, list):
        return any(map(has_hash, value))
    return isinstance(value, dict) and ('content_hash' in value or any(map(has_hash, value.values())))


def ways_of(words):
    """A command as it is written, and without the folder of its program."""
    return [words, [words[0].rpartition('/')[2], *words[1:]]] if words and words[0] is not None else [words]


def runs(pattern, line):
    return any(matches(pattern, ' '.join('\uffff' if word is None else word for word in way))
               for words in line.commands for way in ways_of(words))


def may_run(pattern, line):
    """A word that is not known may be anything. A command that has the words of the pattern may be meant by it."""
    named, *wanted = [word for word in pattern.split(' ') if word not in ('', '*')] or ['']
    for words in line.commands:
        for way in ways_of(words):
            pieces = [piece for word in way for piece in (' ', word)][1:]
            if None in way and may_match(pattern, pieces) or way[:1] != [None] and way and matches(
                    pattern, ' '.join([way[0].lower(), *('\uffff' if word is None else word for word in way[1:])])):
                return True
            if wanted and way and way[0] is not None and matches(named, way[0]) and (
                    None in way or any(word.startswith('-') for word in way[1:]) or
                    all(any(matches(want, word) for word in way[1:]) for want in wanted)):
                return True
    # A program that is copied runs under another name, then.
    taken = [path.rpartition('/')[2] for path, use in line.files if use == 'read' and re.search(r'/s?bin/[^/]+$', path)]
    if named.strip('*') and any(matches(named, name) for name in taken):
        return True
    return not line.sure or bool(line.mentions) and any(matches(pattern, ' '.join(line.mentions[at:]))
                                                        for at in range(len(line.mentions)))


def touches(glob, looks_at, line, payload):
    cwd, root, paths = payload.get('cwd'), payload.get('workspace_root'), payload.get('paths')
    if not isinstance(cwd, str) or not isinstance(root, str):
        return None
    uses = {'path': ('read', 'write'), 'reads': ('read',), 'writes': ('write',)}[looks_at]
    judged = [names_path(glob.rstrip('/'), from_tree(path, cwd, root), root, False) for path, use in line.files if use in uses]
    if True in judged:
        return True
    named = [names_path(glob.rstrip('/'), from_tree(path, cwd, root), root, False) for path in line.mentions]
    led = bool(paths) and names_file(glob, '', paths, root, None) is not False
    return False if line.sure_of_files and not led and not any(each is not False for each in judged + named) else None


def worst(judged):
    return True if True in judged else None if None in judged else False


def at_host(domain, said):
    address = re.match(r'[A-Za-z][A-Za-z0-9+.-]*:[\\/]+(?:[^\\/?#]*@)?([^\\/?#@]*)', re.sub(r'[\t\n\r]', '', said.strip()))
    if address is None and ' ' not in said.strip():
        return None if at_host(domain, 'https://' + unicodedata.normalize('NFKC', said.strip())) else False
    if address is None or ' ' in address[1]:
        return False
    host = re.sub(r'\.$', '', re.sub(r':[0-9]*$', '', address[1])).lower()
    return matches(domain.lower(), host) if re.fullmatch(r'[a-z0-9._-]*|\[[0-9a-f:.]*\]', host) else None


def holds(glob, path):
    """A glob that names a folder names everything in it."""
    return matches_glob(f'{glob}/**'.split('/'), without_dots(path).split('/'))


def matches_glob(parts, names):
    """Follows every way to match at once, so it can't take exponential time. `**` is any number of whole segments."""
    def reached(places):
        found = set(places)
        for at, part in enumerate(parts):
            if at in found and part == '**':
                found.add(at + 1)
        return found

    places = reached({0})
    for name in names:
        kept = {at for at in places if at < len(parts) and parts[at] == '**'}
        moved = {at + 1 for at in places if at < len(parts) and parts[at] != '**' and matches(parts[at], name)}
        places = reached(kept | moved)
    return len(parts) in places


def may_hold(glob, path, deep):
    """Whether a system that ignores case, forms of letters and blanks may take the path for what the glob names, or
    something below it may be that."""
    loose = lambda text: re.sub(r'(^|/)\s+|\s+(?=/|$)', r'\1', unicodedata.normalize('NFKC', text).lower())
    if holds(loose(glob), loose(path)):
        return True
    parts, folder = glob.split('/'), without_dots(path)
    return deep and (folder == '' or any(matches_glob(parts[:at + 1], folder.split('/')) for at in range(len(parts))))


def without_dots(path):
    return re.sub(r'^\./', '', re.sub(r'(?:^|/)\.$', '', path))


def names_file(glob, tool, paths, root, arguments):
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return None
    root, deep = root if isinstance(root, str) else None, tool in SEARCHES
    paths = paths or (['.'] if deep else [])
    judged = [names_path(glob.rstrip('/'), path, root, deep) for path in paths]
    is_cut = not paths or len(paths) >= 64 or len(''.join(paths)) > 12_000
    leads_on = tool in ('Glob', 'glob', 'read_many_files') and (arguments is None or any(
        re.search(r'^\s*[/~\\]|\.\.|\[REDACTED:', text) for text in texts_in(arguments)))
    return worst(judged) or (None if is_cut or leads_on or None in judged else False)


def names_path(glob, path, root, deep):
    if '[REDACTED:' in path or path.endswith('\u2026') or re.search(r'(^|/)\.\.(/|$)|^/(proc|dev)/', path):
        return None
    if path.strip() != path:
        return None
    pairs = comparable(glob, path, root)
    if pairs is None:
        return None
    if path.startswith('~') and not glob.startswith('~/'):
        return None if any(may_hold(*pair, deep) for pair in pairs) else False
    return any(holds(*pair) for pair in pairs) or (None if any(may_hold(*pair, deep) for pair in pairs) else False)


def comparable(glob, path, root):
    """Globs and paths from the same place; None where there is none."""
    is_absolute = re.match(r'[/~]|[a-z]:/', path) is not None
    if glob.startswith('~/'):
        if path.startswith('~'):
            return [(glob[2:], re.sub(r'^~[^/]*/?', '', path))]
        if is_absolute:
            return [(f'**/{glob[2:]}', path)]
        return None if root is None else [(f'{home}/{glob[2:]}', f'{root}/{path}') for home in HOMES]
    if re.match(r'/|[a-z]:/', glob):
        if path.startswith('~') or not is_absolute and root is None:
            return None
        return [(glob, path if is_absolute else f'{root}/{path}')]
    if not is_absolute:
        return [(glob, path)]
    if path.startswith('~'):
        return [(f'**/{glob}', re.sub(r'^~[^/]*/?', '', path))]
    return None if root is None else [(f'{root}/{glob}', path)]
