"""What the entries of a run are held against (spec/bundle.md): its sums, the payload, content, the pack, commits and
artifacts. Each check adds its codes to the report."""
import hashlib
import hmac

from archive import read_tar
from calls import check_policy
from encoding import Malformed, b64u, canonical, is_b64u_hash, is_count, is_git, is_hex64, members, parse_canonical
from ledger import Tree, leaf_hash, tree_root
from pack import read_pack


def either_null(value, check):
    return value is None or check(value)


def is_text(value):
    return isinstance(value, str)


# --- nothing left out ------------------------------------------------------------------------------------------------

def sum_of(entry):
    """[count, root] that an entry says of those before it; None where it says nothing."""
    payload = entry['payload']
    if entry['kind'] == 'session.sum':
        said = members(payload, 'entries', 'root')
    elif entry['kind'] in ('session.end', 'session.cut') and ('entries' in payload or 'entries_root' in payload):
        said = [payload.get('entries'), payload.get('entries_root')]
    else:
        return None
    if not is_count(said[0]) or not is_hex64(said[1]):
        raise Malformed('no sum')
    return said


def check_sums(report, entries):
    """A sum that is wrong or malformed covers nothing, so what is last must be one that holds."""
    holds, tree = False, Tree()
    for entry in entries:
        try:
            said = sum_of(entry)
            holds = said == [tree.size, tree.root().hex()]
            report.require(said is None or holds, 'RUN_SUM_WRONG')
        except Malformed:
            holds = False
            report.fail('SESSION_MALFORMED')
        tree.append(leaf_hash(entry['line']))
    if not holds:
        report.doubt('RUN_SUM_MISSING')


def check_run(report, entries):
    starts, ends = of_kind(entries, 'session.start'), of_kind(entries, 'session.end')
    report.require(entries[:1] == starts and len(starts) == 1, 'RUN_UNKNOWN')
    check_sums(report, entries)
    if not ends:
        report.doubt('RUN_OPEN')
    elif any('entries' not in entry['payload'] and 'entries_root' not in entry['payload'] for entry in ends):
        report.doubt('RUN_SUM_MISSING')


# --- what the run is held against ------------------------------------------------------------------------------------

def of_kind(entries, kind):
    return [entry for entry in entries if entry['kind'] == kind]


def one(entries, kind, *names):
    """The payload of the run's one entry of a kind, if it stands before the end and has exactly these members."""
    found, ends = of_kind(entries, kind), of_kind(entries, 'session.end')
    if len(found) != 1 or set(found[0]['payload']) != set(names) or ends and ends[0]['seq'] < found[0]['seq']:
        return {}
    return found[0]['payload']


def base_of(entries):
    """[commit, tree] that the run began from; null where it says nothing in its one form."""
    said = one(entries, 'run.base', 'commit', 'tree', 'dirty', 'dirty_root')
    good = (either_null(said.get('commit'), is_git) and either_null(said.get('tree'), is_git)
            and either_null(said.get('dirty'), is_count) and either_null(said.get('dirty_root'), is_hex64))
    return (said.get('commit'), said.get('tree')) if good else (None, None)


def artifacts_of(entries):
    said = one(entries, 'run.artifacts', 'artifact_hash_b64u', 'files', 'bytes')
    good = is_b64u_hash(said.get('artifact_hash_b64u')) and is_count(said.get('files')) and is_count(said.get('bytes'))
    return said['artifact_hash_b64u'] if good else None


def root_over(entries):
    return tree_root([leaf_hash(entry['line']) for entry in entries]).hex()


def pack_of(entries):
    return entries[0]['payload'].get('pack') if entries and entries[0]['kind'] == 'session.start' else None


def harness_fits(harness, parts, pack):
    """Whether the payload says of the pack what the parts and the run's start do."""
    plain, secret = 'harness-pack.tar.gz' in parts, 'harness-pack.jwe.json' in parts
    if pack is None and (plain or secret or any(
            harness[name] is not None for name in ('id', 'pack_hash_b64u', 'config_hash_b64u', 'pack_uri'))):
        return False
    method = harness['pack_encryption_method']
    return harness['pack_root'] == pack and not (plain and (secret or method != 'none')) and not (secret and method == 'none')


def check_manifest(report, payload, parts, entries):
    receipts, (commit, tree) = of_kind(entries, 'receipt'), base_of(entries)
    prompts = [entry['payload'].get('prompt_hash') for entry in of_kind(entries, 'prompt')]
    prompts = [value for value in prompts if is_hex64(value)]
    true = {
        **payload, 'entries': len(entries), 'event_chain_root': root_over(entries),
        'receipts': len(receipts), 'receipts_root': root_over(receipts),
        'inputs': {'commit': commit, 'tree': tree, 'prompt_hashes': prompts[:256], 'more_prompts': len(prompts) > 256},
        'outputs': {'artifact_hash_b64u': artifacts_of(entries)},
    }
    report.require(payload == true and harness_fits(payload['metadata']['harness'], parts, pack_of(entries)), 'MANIFEST_WRONG')
    # Moments in this one form are in order as texts.
    report.require(all(payload['created'] >= entry['ts'] for entry in entries), 'MANIFEST_WRONG')


def references(value):
    """The names of all content that a payload refers to."""
    if isinstance(value, dict):
        if isinstance(value.get('$content'), str):
            yield value['$content']
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def content_keys(parts):
    if 'content-keys.json' not in parts:
        return {}
    keys = parse_canonical(parts['content-keys.json'])
    if not isinstance(keys, dict) or not all(map(is_hex64, keys.values())):
        raise Malformed('no keys of content')
    return keys


def check_content(report, parts, entries):
    """From `<algorithm>:<hash>` to the content that is shown under this name and is what it says."""
    shown, named = {}, {name for entry in entries for name in references(entry['payload'])}
    try:
        keys = content_keys(parts)
    except Malformed:
        report.fail('CONTENT_WRONG')
        return shown
    for path, content in parts.items():
        if not path.startswith('content/'):
            continue
        algorithm, _, digits = path[8:].rpartition('-')
        name = f'{algorithm}:{digits}'
        if algorithm == 'sha256':
            found = hashlib.sha256(content).hexdigest()
        elif algorithm == 'keyed-sha256' and name in keys:
            found = hmac.new(bytes.fromhex(keys[name]), content, 'sha256').hexdigest()
        else:
            found = None
        if found == digits and name in named:
            shown[name] = content
        else:
            report.fail('CONTENT_WRONG')
    report.require(all(name in shown and name.startswith('keyed-sha256:') for name in keys), 'CONTENT_WRONG')
    for entry in of_kind(entries, 'tool.call'):
        report.require(is_of_its_hash(entry['payload'], shown), 'CONTENT_WRONG')
    return shown


def is_of_its_hash(payload, shown):
    """Whether arguments that are shown are those of args_hash: under the same name, or by their plain SHA-256."""
    args = payload.get('args')
    name = args.get('$content') if isinstance(args, dict) else None
    content = shown.get(name) if isinstance(name, str) else None
    return content is None or payload.get('args_hash') in (name.partition(':')[2], hashlib.sha256(content).hexdigest())


def check_pack(report, payload, parts, entries, shown):
    """The pack, if it is here and is the one that the payload names."""
    harness = payload['metadata']['harness']
    if harness['pack_root'] is None:
        return None
    if 'harness-pack.tar.gz' not in parts:
        report.doubt('PACK_MISSING')
        return None
    try:
        pack = read_pack(parts['harness-pack.tar.gz'])
    except Malformed:
        report.fail('PACK_WRONG')
        return None
    same = (harness['pack_root'] == pack['root'] and harness['pack_hash_b64u'] == pack['pack_hash_b64u']
            and harness['config_hash_b64u'] in (None, pack['config_hash_b64u']) and harness['id'] in (None, pack['id']))
    report.require(same, 'PACK_WRONG')
    if same:
        check_policy(report, pack['policy'], entries, shown)
    return pack if same else None


def check_artifacts(report, payload, parts):
    """The artifacts that are shown, by path, if they are those that the run recorded; else None."""
    if 'artifacts.tar' not in parts:
        return None
    try:
        files = read_tar(parts['artifacts.tar'])
    except Malformed:
        report.fail('ARTIFACTS_WRONG')
        return None
    pairs = [[path, hashlib.sha256(content).hexdigest()] for path, content in files.items()]
    same = b64u(tree_root([leaf_hash(canonical(pair)) for pair in pairs])) == payload['outputs']['artifact_hash_b64u']
    report.require(same, 'ARTIFACTS_WRONG')
    return files if same else None
