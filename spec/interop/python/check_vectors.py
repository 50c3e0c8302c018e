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

from encoding import Malformed, moment  # noqa: E402
from gateway import check_gateways  # noqa: E402
from ledger import parse_verifier_key  # noqa: E402
from pack import read_pack  # noqa: E402

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


def gateways(folder):
    for case in json.loads(read(folder, 'gateway-receipts.json')):
        trusted = [(*parse_verifier_key(item['vkey']), item['upstreams']) for item in case['gateways']]
        yield case['name'], case['expect'].get('code'), check_gateways(case['entries'], trusted)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, '..', '..', 'vectors')
    wrong = 0
    for title, cases in (('packs', packs(folder)), ('receipts of independent gateways', gateways(folder))):
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
