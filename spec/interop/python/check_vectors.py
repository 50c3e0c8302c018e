#!/usr/bin/env python3
"""Runs the vectors that the second verifier can judge, and says where it disagrees. Exit code 1 if it does anywhere.

    python3 check_vectors.py [FOLDER]      FOLDER is spec/vectors unless given

Of bundles, the verdict, the tier and the codes are compared. Codes of sessions, evidence and completeness are not this
verifier's (see verify_bundle.py): where a vector expects one of them, its other codes must still be the same.
"""
import json
import os
import sys

sys.dont_write_bytecode = True

from blake3 import blake3  # noqa: E402
from encoding import Malformed, moment  # noqa: E402
from gateway import check_gateways, check_receipts_alone  # noqa: E402
from ledger import parse_verifier_key  # noqa: E402
from pack import read_pack  # noqa: E402
from verify_bundle import verify  # noqa: E402

# Of spec/verdict.md: sessions, evidence, time, completeness. A sum that is malformed is told here as well.
OTHERS = ('SESSION_ID', 'SESSION_UN', 'SESSION_CUT', 'SESSION_LATE', 'SESSION_INC', 'INTERACTION_', 'PROMPT_MISSING',
          'FINAL_HASH', 'BRANCH_', 'AUTH_', 'RESUMES_', 'CLAIM_', 'VALIDATION_', 'VALIDATOR_', 'GATE_', 'POLICY_',
          'EVIDENCE_', 'TURN_', 'NO_GATE', 'CALL_', 'RESULT_', 'BLIND', 'MODE_', 'HOOKS_', 'HARNESS_', 'COMPLETENESS_')
HERE = os.path.dirname(os.path.abspath(__file__))


def read(*path):
    with open(os.path.join(*path), 'rb') as file:
        return file.read()


def packs(folder):
    """[name, what is expected, what was found] of each pack that is kept."""
    index = json.loads(read(folder, 'pack', 'index.json'))
    for case in index['accepted']:
        names = ('root', 'pack_hash_b64u', 'static_hash', 'config_hash', 'tool_policy_hash')
        pack = read_pack(read(folder, 'pack', case['file']))
        yield case['name'], [case[name] for name in names], [pack[name] for name in names]
    for case in index['refused']:
        if 'file' not in case:
            continue
        try:
            read_pack(read(folder, 'pack', case['file']))
            found = 'accepted'
        except Malformed as fault:
            found = str(fault)
        yield case['name'], case['code'], found


def hashes(folder):
    vectors = json.loads(read(folder, 'blake3.json'))
    for case in vectors['cases']:
        data = bytes(at % 251 for at in range(case['bytes']))
        found = [blake3(data), blake3(data, bytes.fromhex(vectors['key']))]
        yield f"{case['bytes']} bytes", [case['hash'], case['keyed_hash']], found


def gateways(folder, name, check):
    for case in json.loads(read(folder, name)):
        trusted = [(*parse_verifier_key(item['vkey']), item['upstreams']) for item in case['gateways']]
        yield case['name'], case['expect'].get('code'), check(case['entries'], trusted)


def bundles(folder):
    """Codes that are not this verifier's are left out of what is expected; then verdict and tier can't be compared."""
    for case in json.loads(read(folder, 'bundle', 'cases.json')):
        found = verify(read(folder, 'bundle', case['file']), case['trust'], moment(case['now']))
        expected = case['expect']
        own = [code for code in expected['codes'] if not code.startswith(OTHERS)]
        whole = len(own) == len(expected['codes'])
        form = lambda said, codes: [*([said['verdict'], said['tier']] if whole else []), *sorted(set(codes))]
        yield case['name'], form(expected, own), form(found, found['codes'])


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, '..', '..', 'vectors')
    wrong = 0
    for title, cases in (('BLAKE3', hashes(folder)), ('packs', packs(folder)), ('receipts of independent gateways', gateways(folder, 'gateway-receipts.json', check_receipts_alone)),
                         ('closings of independent gateways', gateways(folder, 'gateway-closings.json', check_gateways)),
                         ('bundles', bundles(folder))):
        count = 0
        for name, expected, found in cases:
            count += 1
            if expected != found:
                wrong += 1
                print(f'{title}: {name}: expected {expected}, found {found}')
        print(f'{title}: {count} vectors')
    print('agreed on all of them' if wrong == 0 else f'disagreed on {wrong}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
