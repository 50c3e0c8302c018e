#!/usr/bin/env python3
"""A second verifier of proof bundles, written from spec/bundle.md and the pages it names, with none of Counterfoil's
code and nothing but Python's standard library.

    python3 verify_bundle.py FILE --trust trust.json [--now 2026-11-17T09:00:00.000Z] [--json]

It checks the file, the envelope, every entry, the order, the ledger's keys, the proof, the checkpoint, the sums, the
payload, content, the pack and its tool policy, commits, the signatures and facts of receipts, and attestations. It
does not check what spec/verdict.md asks of sessions, evidence, completeness and authority, and opens no encrypted pack: PASS
here means that nothing on the page bundle.md fails, and FAIL is always a failure. It never raises on bad data.
"""
import argparse
import hashlib
import json
import re
import sys
from datetime import datetime, timedelta, timezone

import ed25519
from archive import read_tar
from attestations import check_attestations, parse_attester
from calls import check_model_calls
from commits import check_commits
from encoding import Malformed, is_b64u_hash, is_count, is_hex64, is_moment, members, moment, parse_canonical, parse_envelope
from certificate import check_certificate
from gateway import check_gateways
from ledger import (is_signed, leaf_hash, ledger_keys, parse_checkpoint, parse_entries, parse_proof, parse_verifier_key,
                    root_of_proof)
from receipts import check_receipts
from run import (base_of, check_artifacts, check_content, check_manifest, check_pack, check_run,
                 either_null, is_text, pack_of)

PAYLOAD_TYPE = 'application/vnd.counterfoil.proof-bundle.v1+json'
ALWAYS = ('entries.jsonl', 'ledger.jsonl', 'checkpoint', 'proof.json')
PART = re.compile(r'entries\.jsonl|ledger\.jsonl|checkpoint|proof\.json|harness-pack\.tar\.gz|harness-pack\.jwe\.json'
                  r'|artifacts\.tar|certificate\.json'
                  r'|content/.+|content-keys\.json|commits/.+|trees/.+|attestations/.+')
LEDGER_KINDS = ('ledger.open', 'key.rotate', 'gateway.key', 'validator.key', 'policy', 'grants',
                'operator.enrol', 'operator.revoke')
FORGED = tuple('GATEWAY_' + what for what in (
    'RECEIPT_OTHER_RUN', 'RECEIPT_OTHER_CALL', 'RECEIPT_TWICE', 'RECEIPT_FORGED',
    'CLOSING_OTHER_RUN', 'CLOSING_OTHER_END', 'CLOSING_FORGED'))
BETWEEN_KINDS = ('gap', 'crash', 'config.change')


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


def check_chain(report, entries):
    """Each entry follows from the one right before it, where that is here."""
    for before, entry in zip(entries, entries[1:]):
        linked = entry['seq'] != before['seq'] + 1 or entry['prev_hash'] == before['entry_hash']
        report.require(linked, 'CHAIN_BROKEN')


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
    check_chain(report, sorted([*entries, *ledger], key=lambda entry: entry['seq']))
    check_tree(report, checkpoint, proof, entries, ledger, origin)
    check_signatures(report, checkpoint, origin, keys, signed, signatures, trust['keys'])
    fails, unknown = check_receipts(entries, ledger, run, pack_of(entries), origin, keys)
    for code in fails:
        report.fail(code)
    for code in unknown:
        report.doubt(code)
    check_run(report, entries)
    check_model_calls(report, entries)
    check_manifest(report, payload, parts, entries)
    if moment(payload['created']) > now + timedelta(minutes=5):
        report.notes.append('BUNDLE_DATE_AHEAD')
    shown = check_content(report, parts, entries)
    pack = check_pack(report, payload, parts, entries, shown)
    artifacts = check_artifacts(report, payload, parts)
    check_certificate(report, payload, parts, entries, shown)
    check_commits(report, parts, entries, base_of(entries)[0], pack, artifacts)
    answers, judged = check_attestations(parts, payload, entries, trust['attesters'], now, pack)
    # A trusted attester who saw the tests fail, or a judge find it wanting, is heard; any other answer says nothing of the run.
    report.fails += [code for code in answers if code == 'ATTESTATION_FAIL']
    report.notes += [code for code in answers if code is not None]
    attested = None in answers
    if attested or judged:
        report.unknown = [code for code in report.unknown if code != 'PACK_MISSING']
    doubt = check_gateways(entries, trust['gateways'])
    if doubt in FORGED:
        report.fail(doubt)
    return 'sandbox' if attested else 'gateway' if doubt is None else 'self'


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
