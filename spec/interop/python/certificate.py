"""The certificate of a run: bundle.md. Every member is made again from the entries, and every payload is hashed again."""
import hashlib

from blake3 import blake3
from encoding import Malformed, canonical, is_hex64, parse_canonical

MEMBERS = {'schema', 'run_id', 'agent', 'events', 'final_state_hash', 'hashes', 'hash_key', 'capabilities', 'patches',
           'determinism'}
DETERMINISM = {'result', 'replay_id', 'code', 'node', 'sandbox', 'from', 'events', 'final_state_hash', 'reason'}
CAPABILITIES = {'hash', 'granted', 'root', 'calls', 'denials'}


def check_certificate(report, payload, parts, entries, shown):
    if 'certificate.json' not in parts:
        check_uncertified(report, entries, shown)
        return
    try:
        said = parse_canonical(parts['certificate.json'])
    except Malformed:
        said = None
    events = [entry['payload'] for entry in entries if entry['kind'] == 'run.event']
    if not is_in_form(said) or not is_what_entries_say(said, payload, events):
        report.fail('CERTIFICATE_WRONG')
        return
    check_payloads(report, said, events, shown)
    if said['determinism']['result'] != 'matches' or not is_code_shown(events[0]['payload'], shown):
        report.doubt('RUN_NOT_REPLAYED')
    # Who was an operator when a patch was approved is not judged here.
    if said['patches'] or any(entry['kind'].startswith('patch.') for entry in entries):
        report.doubt('PATCH_SIGNER_UNKNOWN')


def check_uncertified(report, entries, shown):
    """Nobody says that the run was replayed, and nothing discloses the key of its hashes."""
    events = [entry['payload'] for entry in entries if entry['kind'] == 'run.event']
    init = events[0].get('payload') if events else None
    if events:
        hashes = init.get('hashes') if isinstance(init, dict) else None
        check_payloads(report, {'hashes': 'blake3' if hashes == 'blake3' else 'keyed-blake3', 'hash_key': None}, events, shown)
        report.doubt('RUN_NOT_REPLAYED')
    if any(entry['kind'].startswith('patch.') for entry in entries):
        report.doubt('PATCH_SIGNER_UNKNOWN')


def is_code_shown(init, shown):
    bundle = init['code'].get('bundle')
    name = bundle.get('$content') if isinstance(bundle, dict) else None
    return isinstance(name, str) and name in shown


def is_in_form(said):
    if not isinstance(said, dict) or set(said) != MEMBERS or said['schema'] != 'run_certificate.v1':
        return False
    replay, manifest = said['determinism'], said['capabilities']
    keyed = said['hashes'] == 'keyed-blake3' and (said['hash_key'] is None or is_hex64(said['hash_key']))
    plain = said['hashes'] == 'blake3' and said['hash_key'] is None
    return (isinstance(replay, dict) and set(replay) == DETERMINISM and isinstance(manifest, dict)
            and set(manifest) == CAPABILITIES and isinstance(said['patches'], list) and (keyed or plain))


def is_what_entries_say(said, payload, events):
    first, last = (events[0], events[-1]) if events else ({}, {})
    init = first.get('payload')
    if first.get('kind') != 'AgentInit' or last.get('kind') != 'Final' or not isinstance(init, dict):
        return False
    kinds = [event.get('kind') for event in events]
    code = init.get('code')
    made = {
        'run_id': payload['run_id'],
        'agent': init.get('agent'),
        'events': len(events),
        'final_state_hash': last.get('state_hash_after'),
        'hashes': init.get('hashes'),
        'capabilities': {
            'hash': init.get('capabilities_hash'),
            'granted': init.get('capabilities'),
            'root': init.get('root'),
            'calls': kinds.count('ToolCall'),
            'denials': kinds.count('Denial'),
        },
    }
    return (all(said[name] == value for name, value in made.items())
            and is_replay_of(said, code.get('root') if isinstance(code, dict) else None))


def is_replay_of(said, code):
    """That it was done is the word of who signed; what it came to must be the run."""
    replay = said['determinism']
    others = {name: value for name, value in replay.items() if name != 'replay_id'}
    text = b'counterfoil/replay/v1\n%s\n%s\n' % (said['run_id'].encode(), canonical(others))
    told = [replay[name] for name in ('node', 'sandbox', 'events', 'final_state_hash')]
    if replay['result'] == 'matches':
        holds = (None not in told and replay['reason'] is None and replay['events'] == said['events']
                 and replay['final_state_hash'] == said['final_state_hash'])
    else:
        holds = replay['result'] == 'unknown' and told == [None] * 4 and isinstance(replay['reason'], str)
    return (holds and replay['from'] is None and replay['code'] == code
            and replay['replay_id'] == hashlib.sha256(text).hexdigest())


def check_payloads(report, said, events, shown):
    key = None if said['hash_key'] is None else bytes.fromhex(said['hash_key'])
    if said['hashes'] == 'keyed-blake3' and key is None:
        report.doubt('RUN_PAYLOAD_UNKNOWN')
        return
    for event in events:
        payload = payload_of(event.get('payload'), shown)
        if payload is None:
            report.doubt('RUN_PAYLOAD_UNKNOWN')
        else:
            report.require(blake3(canonical(payload), key) == event.get('payload_hash'), 'RUN_PAYLOAD_HASH')


def payload_of(payload, shown):
    """The object itself; for a reference to content, what it stands for if that is shown; else None."""
    if not isinstance(payload, dict):
        return None
    if '$content' not in payload:
        return payload
    try:
        name = payload['$content']
        value = parse_canonical(shown[name]) if isinstance(name, str) and name in shown else None
    except Malformed:
        return None
    return value if isinstance(value, dict) else None
