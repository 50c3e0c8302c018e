"""Attestations of a run (spec/attestation.md): the document, who signed it, and whether it is about this bundle.

For each there is one answer, None or the first code of the page that applies. One by rubric is told apart: a model
judged, nothing was run, and it lifts no tier.
"""
import re
from datetime import timedelta

import ed25519
from encoding import (Malformed, is_b64u_hash, is_count, is_git, is_hex64, is_moment, members, moment, parse_canonical,
                      parse_envelope)
from ledger import Tree, leaf_hash, parse_verifier_key

PAYLOAD_TYPE = 'application/vnd.counterfoil.verification-attestation.v1+json'
MOST_BYTES = 65_536
BEHIND = ('commit', 'session.sum', 'gateway.closing')
MEMBERS = ('schema', 'attestation_type', 'attestation_id', 'run_id', 'origin', 'bundle_hash', 'event_chain_root',
           'pack_hash_b64u', 'pack_root', 'artifact_hash_b64u', 'artifacts', 'left_out', 'base', 'dependencies',
           'verification_method', 'result', 'tests', 'reason', 'attempt', 'sandbox', 'attester_did', 'issued', 'expires')
RUBRIC = ('rubric_sha256', 'model', 'threshold', 'votes', 'score', 'ledger')
RESTS_ON = ('cgroup', 'rlimit', 'tmpfs', 'reader', 'timer', 'unbounded')
DID = re.compile(r'did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}|did:web:[A-Za-z0-9.%_-]+(?::[A-Za-z0-9.%_-]+)*')
BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'


class Finding(Exception):
    """What does not hold; its text is the code."""


def require(holds):
    if not holds:
        raise Malformed('no attestation')


def is_text(value, most):
    return isinstance(value, str) and len(value) <= most


# --- did:key ---------------------------------------------------------------------------------------------------------

def key_of_did(did):
    """The Ed25519 key that a did:key is, or None."""
    if not isinstance(did, str) or re.fullmatch(r'did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}', did) is None:
        return None
    value = 0
    for sign in did[9:]:
        value = value * 58 + BASE58.index(sign)
    data = value.to_bytes(36, 'big')
    return data[-32:] if data[:-32] == b'\0\0\xed\x01' and ed25519.is_public_key(data[-32:]) else None


# --- the document ----------------------------------------------------------------------------------------------------

def check_tests(tests, result):
    listed, *counts = members(tests, 'listed', 'passed', 'failed', 'missing')
    require(is_count(listed, 1) and all(map(is_count, counts)) and sum(counts) == listed)
    require(result == 'FAIL' or counts[0] == listed)


def check_sandbox(sandbox):
    name, versions, limits = members(sandbox, 'name', 'versions', 'limits')
    require(is_text(name, 64) and isinstance(versions, dict) and len(versions) <= 8)
    require(all(is_text(key, 64) and is_text(value, 128) for key, value in versions.items()))
    require(isinstance(limits, list) and len(limits) <= 32)
    for limit in limits:
        called, value, rests_on = members(limit, 'name', 'value', 'rests_on')
        require(is_text(called, 64) and rests_on in RESTS_ON)
        require(value is None if rests_on == 'unbounded' else is_count(value))


def check_rubric(rubric, result):
    sha256, model, threshold, votes, score, ledger = members(rubric, *RUBRIC)
    origin, session, size, root = members(ledger, 'origin', 'session_id', 'tree_size', 'root_hash')
    require(is_hex64(sha256) and is_text(model, 128) and is_score(threshold) and threshold > 0 and is_score(score))
    require(is_text(origin, 256) and is_hex64(session) and is_count(size, 1) and is_hex64(root))
    require(isinstance(votes, list) and 1 <= len(votes) <= 25)
    rows = [members(vote, 'seq', 'entry_hash', 'score') for vote in votes]
    require(all(is_count(seq, 1) and is_hex64(entry) and (said is None or is_score(said)) for seq, entry, said in rows))
    seqs, scores = [row[0] for row in rows], [row[2] for row in rows]
    require(all(before < seq for before, seq in zip(seqs, seqs[1:])) and seqs[-1] <= size)
    require(2 * sum(said is not None for said in scores) > len(scores))
    require(score == sorted(said or 0 for said in scores)[(len(scores) - 1) // 2])
    require((result == 'PASS') == (score >= threshold))


def is_score(value):
    return is_count(value) and value <= 100


def check_base(base):
    if base is not None:
        commit, tree = members(base, 'commit', 'tree')
        require(is_git(commit) and (tree is None or is_git(tree)))


def check_document(said):
    """spec/schema/verification_attestation.v1.json, and what it says that a schema can't."""
    require(isinstance(said, dict))
    by_rubric = said.get('verification_method') == 'rubric'
    members(said, *MEMBERS, *(['rubric'] if by_rubric else []))
    require(said['attestation_type'] == 'verification_result')
    require(isinstance(said['attestation_id'], str) and re.fullmatch(r'[0-9a-f]{32}', said['attestation_id']) is not None)
    require(all(is_hex64(said[name]) for name in ('run_id', 'bundle_hash', 'event_chain_root', 'pack_root')))
    require(is_b64u_hash(said['pack_hash_b64u']) and is_b64u_hash(said['artifact_hash_b64u']))
    require(is_text(said['origin'], 256) and is_text(said['reason'], 512))
    require(is_count(said['artifacts']) and is_count(said['left_out']) and is_count(said['attempt'], 1))
    require(said['dependencies'] is None or is_hex64(said['dependencies']))
    require(said['verification_method'] in ('tests_passed', 'rubric') and said['result'] in ('PASS', 'FAIL'))
    require(is_text(said['attester_did'], 512) and DID.fullmatch(said['attester_did']) is not None)
    require(is_moment(said['issued']) and is_moment(said['expires']) and said['issued'] < said['expires'])
    check_base(said['base'])
    if said['verification_method'] == 'tests_passed':
        check_tests(said['tests'], said['result'])
        check_sandbox(said['sandbox'])
    else:
        require(said['tests'] is None and said['sandbox'] is None and said['left_out'] == 0)
        check_rubric(said['rubric'], said['result'])


# --- what a verifier does --------------------------------------------------------------------------------------------

def day_or_moment(text):
    return None if text is None else moment(text + 'T00:00:00.000Z' if len(text) == 10 else text)


def parse_attester(item):
    """One that is trusted: its key, perhaps the DID that it must go by, and from when until when it counts."""
    return {'key': parse_verifier_key(item['vkey'])[1], 'did': item.get('did'),
            'from': day_or_moment(item.get('from')), 'until': day_or_moment(item.get('until'))}


def opened(data):
    if len(data) > MOST_BYTES:
        raise Finding('ATTESTATION_MALFORMED')
    try:
        kind, payload, signed, signatures = parse_envelope(data)
        if kind != PAYLOAD_TYPE:
            raise Finding('ATTESTATION_OTHER_SCHEMA')
        said = parse_canonical(payload)
        if isinstance(said, dict) and isinstance(said.get('schema'), str) and said['schema'] != 'verification_attestation.v1':
            raise Finding('ATTESTATION_OTHER_SCHEMA')
        check_document(said)
    except Malformed:
        raise Finding('ATTESTATION_MALFORMED') from None
    return said, signed, signatures


def check_attester(said, signed, signatures, attesters):
    """Known are the keys that are trusted, and the one that a did:key is."""
    signers = lambda key: key is not None and any(ed25519.verify(key, signed, sig) for _, sig in signatures)
    by = [attester for attester in attesters if signers(attester['key'])]
    if not by and not signers(key_of_did(said['attester_did'])):
        raise Finding('ATTESTATION_UNSIGNED')
    own = lambda attester: attester['did'] is None and attester['key'] == key_of_did(said['attester_did'])
    named = [attester for attester in by if own(attester) or attester['did'] == said['attester_did']]
    if not named:
        raise Finding('ATTESTER_NOT_TRUSTED')
    issued = moment(said['issued'])
    if not any((attester['from'] is None or issued >= attester['from'])
               and (attester['until'] is None or issued < attester['until']) for attester in named):
        raise Finding('ATTESTER_DATES')


def roots_of(entries):
    """Of all entries, and without those at the end that say what became of the run: commits, and sums over it."""
    tree, roots = Tree(), []
    for entry in entries:
        if entry['kind'] in BEHIND:
            roots.append(tree.root().hex())
        else:
            roots.clear()
        tree.append(leaf_hash(entry['line']))
    return [*roots, tree.root().hex()]


def is_as_asked(said, pack):
    """Was it judged in the way that the pack asks for? Where the pack is not at hand, nobody can tell."""
    rubric = said.get('rubric')
    if pack is None or rubric is None or pack['rubric'] is None:
        return pack is None or rubric == pack['rubric']
    return pack['rubric'] == {**{name: rubric[name] for name in ('rubric_sha256', 'model', 'threshold')},
                              'votes': len(rubric['votes'])}


def check_attestation(said, payload, roots, files, now, pack):
    """None, or the first code that applies to one that a trusted attester signed."""
    harness = payload['metadata']['harness']
    if any(said[name] != payload[name] for name in ('run_id', 'origin')) or said['event_chain_root'] not in roots:
        return 'ATTESTATION_OTHER_RUN'
    inputs = payload['inputs']
    if said['base'] != (None if inputs['commit'] is None else {'commit': inputs['commit'], 'tree': inputs['tree']}):
        return 'ATTESTATION_OTHER_RUN'
    if any(said[name] != harness[name] for name in ('pack_root', 'pack_hash_b64u')):
        return 'ATTESTATION_OTHER_PACK'
    if said['artifact_hash_b64u'] != payload['outputs']['artifact_hash_b64u'] or said['artifacts'] != files:
        return 'ATTESTATION_OTHER_ARTIFACTS'
    if not is_as_asked(said, pack):
        return 'ATTESTATION_OTHER_VERIFICATION'
    if moment(said['issued']) > now + timedelta(minutes=5):
        return 'ATTESTATION_NOT_YET_VALID'
    if moment(said['expires']) <= now:
        return 'ATTESTATION_EXPIRED'
    return None if said['result'] == 'PASS' else 'ATTESTATION_FAIL'


def check_attestations(parts, payload, entries, attesters, now, pack):
    """The answers to all of them but for good ones by rubric; and whether there is one of these."""
    roots, answers, judged = roots_of(entries), [], False
    # The payload names their hash only if there is one such entry, in its one form.
    files = [entry['payload'].get('files') for entry in entries if entry['kind'] == 'run.artifacts']
    for path, data in parts.items():
        if not path.startswith('attestations/'):
            continue
        try:
            said, signed, signatures = opened(data)
            check_attester(said, signed, signatures, attesters)
        except Finding as finding:
            answers.append(str(finding))
            continue
        code = check_attestation(said, payload, roots, files[0] if files else None, now, pack)
        if code is None and 'rubric' in said:
            judged = True
        else:
            answers.append(code)
    return answers, judged
