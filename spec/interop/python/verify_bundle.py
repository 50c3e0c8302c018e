#!/usr/bin/env python3
"""A second verifier of proof bundles, written from spec/bundle.md and the pages it names, with none of Counterfoil's
code and nothing but Python's standard library.

    python3 verify_bundle.py FILE --trust trust.json [--now 2026-11-17T09:00:00.000Z] [--json]

It checks the file, the envelope, every entry, the order, the ledger's keys, the proof, the checkpoint, the sums, the
payload, content, the pack and its tool policy, commits, the signatures and facts of receipts, and attestations. It
does not check what spec/verdict.md asks of sessions, evidence and completeness, and opens no encrypted pack: PASS
here means that nothing on the page bundle.md fails, and FAIL is always a failure. It never raises on bad data.
"""
import argparse
import hashlib
import hmac
import json
import re
import sys
from datetime import datetime, timezone

import ed25519
from archive import read_tar
from attestations import check_attestations, parse_attester
from encoding import (Malformed, b64u, canonical, is_b64u_hash, is_count, is_git, is_hex64, is_moment, members, moment,
                      parse_canonical, parse_envelope)
from gateway import check_gateways
from ledger import (Tree, is_signed, leaf_hash, ledger_keys, parse_checkpoint, parse_entries, parse_proof,
                    parse_verifier_key, root_of_proof, tree_root)
from pack import judge_call, read_pack
from receipts import check_receipts

PAYLOAD_TYPE = 'application/vnd.counterfoil.proof-bundle.v1+json'
ALWAYS = ('entries.jsonl', 'ledger.jsonl', 'checkpoint', 'proof.json')
PART = re.compile(r'entries\.jsonl|ledger\.jsonl|checkpoint|proof\.json|harness-pack\.tar\.gz|harness-pack\.jwe\.json'
                  r'|artifacts\.tar'
                  r'|content/.+|content-keys\.json|commits/.+|attestations/.+')
LEDGER_KINDS = ('ledger.open', 'key.rotate', 'gateway.key', 'validator.key', 'policy')
BETWEEN_KINDS = ('gap', 'crash', 'config.change')
FAILS = ('BUNDLE_MALFORMED', 'ENTRY_MALFORMED', 'ENTRY_MISPLACED', 'LEDGER_UNKNOWN', 'NOT_IN_TREE', 'CHECKPOINT_UNSIGNED',
         'BUNDLE_UNSIGNED', 'RUN_SUM_WRONG', 'RUN_UNKNOWN', 'MANIFEST_WRONG', 'CONTENT_WRONG', 'PACK_WRONG', 'TOOL_DENIED',
         'COMMIT_WRONG', 'ARTIFACTS_WRONG')
DOUBTS = ('KEY_NOT_TRUSTED', 'RUN_SUM_MISSING', 'RUN_OPEN', 'PACK_MISSING', 'TOOL_UNDISCLOSED')
ENCRYPTED = 'application/vnd.counterfoil.encrypted'


class Report:
    """Codes, each once, in the order in which they were found."""

    def __init__(self):
        self.fails, self.unknown, self.notes = [], [], []

    def fail(self, code):
        self.fails.append(code)

    def doubt(self, code):
        self.unknown.append(code)

    def codes(self):
        return list(dict.fromkeys(self.fails + self.unknown + self.notes))

    def require(self, holds, code):
        if not holds:
            self.fail(code)


# --- the file and the envelope ---------------------------------------------------------------------------------------

def either_null(value, check):
    return value is None or check(value)


def is_text(value):
    return isinstance(value, str)


def check_payload(payload):
    """The types of the payload's members; whether they are true is asked later."""
    (created, entries, root, inputs, metadata, origin, outputs, parts, receipts, receipts_root, run, schema) = members(
        payload, 'created', 'entries', 'event_chain_root', 'inputs', 'metadata', 'origin', 'outputs', 'parts', 'receipts',
        'receipts_root', 'run_id', 'schema')
    commit, more, prompts, tree = members(inputs, 'commit', 'more_prompts', 'prompt_hashes', 'tree')
    (harness,) = members(metadata, 'harness')
    config, name, method, pack, pack_root, uri = members(
        harness, 'config_hash_b64u', 'id', 'pack_encryption_method', 'pack_hash_b64u', 'pack_root', 'pack_uri')
    (artifacts,) = members(outputs, 'artifact_hash_b64u')
    good = (schema == 'proof_bundle.v1' and is_moment(created) and is_count(entries) and is_hex64(root)
            and is_count(receipts) and is_hex64(receipts_root) and is_hex64(run) and is_text(origin)
            and either_null(commit, is_text) and either_null(tree, is_text) and isinstance(more, bool)
            and isinstance(prompts, list) and len(prompts) <= 256 and all(map(is_hex64, prompts))
            and either_null(artifacts, is_b64u_hash) and either_null(config, is_b64u_hash) and either_null(name, is_text) and len(name or '') <= 128
            and either_null(pack, is_b64u_hash) and either_null(pack_root, is_hex64) and either_null(uri, is_text) and len(uri or '') <= 2048
            and method in ('none', 'aes-gcm') and isinstance(parts, dict))
    if not good:
        raise Malformed('a member of the payload is malformed')


def open_bundle(data):
    """The payload, the parts, what is signed by whom, the checkpoint and the proof."""
    files = read_tar(data)
    if 'bundle.json' not in files:
        raise Malformed('no envelope')
    kind, raw, signed, signatures = parse_envelope(files.pop('bundle.json'))
    if kind != PAYLOAD_TYPE:
        raise Malformed('an envelope of something else')
    payload = parse_canonical(raw)
    check_payload(payload)
    if not all(name in files for name in ALWAYS) or not all(PART.fullmatch(path) for path in files):
        raise Malformed('a part is missing, or there is one that a bundle does not have')
    if payload['parts'] != {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}:
        raise Malformed('the parts are not those that the payload names')
    return payload, files, signed, signatures, parse_checkpoint(files['checkpoint']), parse_proof(files['proof.json'])


# --- entries and proof -----------------------------------------------------------------------------------------------

def rises(entries):
    return all(before['seq'] < entry['seq'] for before, entry in zip(entries, entries[1:]))


def check_order(report, entries, ledger, run):
    first, last = (entries[0]['seq'], entries[-1]['seq']) if entries else (0, 0)
    own = {entry['seq'] for entry in entries}
    report.require(rises(entries) and rises(ledger) and all(entry['seq'] not in own for entry in ledger), 'ENTRY_MISPLACED')
    report.require(all(entry['session_id'] == run for entry in entries), 'ENTRY_MISPLACED')
    for entry in ledger:
        between = entry['kind'] in BETWEEN_KINDS and first < entry['seq'] < last
        report.require(entry['session_id'] is None and (entry['kind'] in LEDGER_KINDS or between), 'ENTRY_MISPLACED')


def check_tree(report, checkpoint, proof, entries, ledger, origin):
    (size, hashes), leaves = proof, {entry['seq'] - 1: leaf_hash(entry['line']) for entry in [*entries, *ledger]}
    try:
        root = root_of_proof(size, sorted(leaves.items()), hashes)
    except Malformed:
        root = None
    report.require((root, size, origin) == (checkpoint['root'], checkpoint['size'], checkpoint['origin']), 'NOT_IN_TREE')


def check_signatures(report, checkpoint, origin, keys, signed, signatures, trusted):
    last = keys[-1][1]
    report.require(is_signed(checkpoint['note'], origin, last), 'CHECKPOINT_UNSIGNED')
    report.require(any(ed25519.verify(last, signed, signature) for _, signature in signatures), 'BUNDLE_UNSIGNED')
    if not any((origin, key) in trusted for _, key in keys):
        report.doubt('KEY_NOT_TRUSTED')


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
    return shown


def arguments_shown(shown):
    def of_call(payload):
        """The arguments of a call in a list, or None where not all of them are shown in the form of recorders."""
        said = payload.get('args')
        if isinstance(said, dict) and '$content' not in said:
            return None if any(references(said)) else [said]
        name = said.get('$content') if isinstance(said, dict) else None
        content = shown.get(name) if isinstance(name, str) else None
        if content is None or isinstance(said.get('type'), str) and said['type'].startswith(ENCRYPTED):
            return None
        try:
            return [content.decode('utf-8') if said.get('type') == 'text/plain' else parse_canonical(content)]
        except (Malformed, UnicodeDecodeError):
            return None
    return of_call


def check_pack(report, payload, parts, entries, shown):
    harness = payload['metadata']['harness']
    if harness['pack_root'] is None:
        return
    if 'harness-pack.tar.gz' not in parts:
        report.doubt('PACK_MISSING')
        return
    try:
        pack = read_pack(parts['harness-pack.tar.gz'])
    except Malformed:
        report.fail('PACK_WRONG')
        return
    same = (harness['pack_root'] == pack['root'] and harness['pack_hash_b64u'] == pack['pack_hash_b64u']
            and harness['config_hash_b64u'] in (None, pack['config_hash_b64u']) and harness['id'] in (None, pack['id']))
    report.require(same, 'PACK_WRONG')
    for entry in of_kind(entries, 'tool.call'):
        code = judge_call(pack['policy'], entry['payload'], arguments_shown(shown))
        if code == 'TOOL_DENIED':
            report.fail(code)
        elif code is not None:
            report.doubt(code)


def is_commit(payload, objects):
    commit, tree, parents = members(payload, 'commit', 'tree', 'parents')
    data = objects.get(commit) if is_git(commit) else None
    if data is None or not is_git(tree) or not isinstance(parents, list) or not all(map(is_git, parents)):
        return False
    whole = b'commit %d\0' % len(data) + data
    digest = hashlib.sha1(whole) if len(commit) == 40 else hashlib.sha256(whole)
    head = f'tree {tree}\n' + ''.join(f'parent {parent}\n' for parent in parents)
    rest = data[len(head):]
    return digest.hexdigest() == commit and data.startswith(head.encode()) and not rest.startswith(b'parent ')


def check_commits(report, parts, entries):
    objects = {path[8:]: content for path, content in parts.items() if path.startswith('commits/')}
    named = set()
    for entry in of_kind(entries, 'commit'):
        try:
            good = is_commit(entry['payload'], objects)
        except Malformed:
            good = False
        if good:
            named.add(entry['payload']['commit'])
        report.require(good, 'COMMIT_WRONG')
    report.require(set(objects) == named, 'COMMIT_WRONG')


def check_artifacts(report, payload, parts):
    if 'artifacts.tar' not in parts:
        return
    try:
        files = read_tar(parts['artifacts.tar'])
    except Malformed:
        report.fail('ARTIFACTS_WRONG')
        return
    pairs = [[path, hashlib.sha256(content).hexdigest()] for path, content in files.items()]
    root = tree_root([leaf_hash(canonical(pair)) for pair in pairs])
    report.require(b64u(root) == payload['outputs']['artifact_hash_b64u'], 'ARTIFACTS_WRONG')


# --- verdict and tier ------------------------------------------------------------------------------------------------

def parse_trust(trust):
    """Whom the verifier trusts. This file is the caller's own, so what is wrong in it raises Malformed."""
    keys = [*trust.get('keys', []), *(item['vkey'] for item in trust.get('ledgers', []))]
    return {'keys': {parse_verifier_key(key) for key in keys},
            'gateways': [(*parse_verifier_key(item['vkey']), item.get('upstreams', [])) for item in trust.get('gateways', [])],
            'attesters': [parse_attester(item) for item in trust.get('attesters', [])], 'packs': trust.get('packs', [])}


def check_bundle(report, data, trust, now):
    """The tier that the bundle has if it passes."""
    try:
        payload, parts, signed, signatures, checkpoint, proof = open_bundle(data)
    except Malformed:
        report.fail('BUNDLE_MALFORMED')
        return 'self'
    try:
        entries, ledger = parse_entries(parts['entries.jsonl']), parse_entries(parts['ledger.jsonl'])
    except Malformed:
        report.fail('ENTRY_MALFORMED')
        return 'self'
    run, origin = payload['run_id'], payload['origin']
    check_order(report, entries, ledger, run)
    if report.fails:
        return 'self'
    try:
        keys, handed_over = ledger_keys(ledger, origin)
    except Malformed:
        report.fail('LEDGER_UNKNOWN')
        return 'self'
    report.require(handed_over, 'ROTATION_INVALID')
    check_tree(report, checkpoint, proof, entries, ledger, origin)
    check_signatures(report, checkpoint, origin, keys, signed, signatures, trust['keys'])
    fails, unknown = check_receipts(entries, ledger, run, pack_of(entries), origin, keys)
    for code in fails:
        report.fail(code)
    for code in unknown:
        report.doubt(code)
    check_run(report, entries)
    check_manifest(report, payload, parts, entries)
    check_pack(report, payload, parts, entries, check_content(report, parts, entries))
    check_commits(report, parts, entries)
    check_artifacts(report, payload, parts)
    answers = list(check_attestations(parts, payload, entries, trust['attesters'], now).values())
    # A trusted attester who ran the tests and saw them fail is heard; any other answer says nothing of the run.
    report.fails += [code for code in answers if code == 'ATTESTATION_FAIL']
    report.notes += [code for code in answers if code is not None]
    attested = None in answers
    if attested:
        report.unknown = [code for code in report.unknown if code != 'PACK_MISSING']
    vouched = check_gateways(entries, trust['gateways']) is None
    return 'sandbox' if attested else 'gateway' if vouched else 'self'


def verify(data, trust, now):
    """{verdict, tier, codes}. `trust` is the value of trust.json and `now` a moment; the data may be anything."""
    report, trust = Report(), parse_trust(trust)
    tier = check_bundle(report, data, trust, now)
    verdict = 'FAIL' if report.fails else 'UNKNOWN' if report.unknown else 'PASS'
    return {'verdict': verdict, 'tier': tier if verdict == 'PASS' else 'self', 'codes': report.codes()}


def main():
    parser = argparse.ArgumentParser(description='Verify a proof bundle.')
    parser.add_argument('file')
    parser.add_argument('--trust', required=True, help='whom you trust, as JSON')
    parser.add_argument('--now', help='the moment of the check, as 2026-11-17T09:00:00.000Z')
    parser.add_argument('--json', action='store_true')
    said = parser.parse_args()
    with open(said.file, 'rb') as file:
        data = file.read()
    with open(said.trust, 'rb') as file:
        trust = json.load(file)
    now = moment(said.now) if said.now else datetime.now(timezone.utc)
    found = verify(data, trust, now)
    print(json.dumps(found) if said.json else ' '.join([found['verdict'], found['tier'], *found['codes']]))
    return {'PASS': 0, 'FAIL': 4, 'UNKNOWN': 5}[found['verdict']]


if __name__ == '__main__':
    sys.exit(main())
