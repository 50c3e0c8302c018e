"""Receipts of a gateway (spec/receipt.md) among the entries of one run."""
import re

import ed25519
from encoding import Malformed, canonical, is_count, is_hex64, is_moment, members, units
from ledger import public_key_of, signature_of

MEMBERS = ('v', 'id', 'run', 'call', 'event', 'pack', 'nonce', 'provider', 'upstream', 'api', 'model', 'model_answered',
           'parameters', 'request', 'response', 'status', 'result', 'stop_reason', 'tokens', 'latency_ms',
           'first_byte_ms', 'request_id', 'issued', 'key_version', 'signature')
TOKENS = ('input', 'output', 'cache_read', 'cache_write', 'reasoning')


class Finding(Exception):
    """A receipt that does not hold; its text is the code of spec/verdict.md."""


def lines(*parts):
    return b''.join(part + b'\n' for part in parts)


def key_at(keys, seq):
    """The newest key that stands before this entry."""
    return [key for since, key in keys if since < seq or since == 1][-1]


def gateway_keys(ledger, origin, keys):
    """[seq, version, public key] of each gateway.key that the ledger's key of its place certified, and the faults."""
    found, faults = [], []
    for entry in ledger:
        if entry['kind'] != 'gateway.key':
            continue
        try:
            version, text, certificate = members(entry['payload'], 'version', 'public_key', 'certificate')
            public, signature = public_key_of(text), signature_of(certificate)
        except Malformed:
            faults.append('RECEIPT_MALFORMED')
            continue
        message = lines(b'counterfoil/gateway-key/v1', origin.encode(), str(version).encode(), text.encode())
        if version == len(found) + 1 and ed25519.verify(key_at(keys, entry['seq']), message, signature):
            found.append((entry['seq'], version, public))
        else:
            faults.append('GATEWAY_KEY_INVALID')
    return found, faults


def cut(value):
    """Texts have at most 256 characters, counted in UTF-16."""
    return units(value)[:512].decode('utf-16-be', 'replace') if isinstance(value, str) else value


def told_parameters(value):
    if not isinstance(value, dict):
        return {}
    single = sorted((name for name, item in value.items() if not isinstance(item, (dict, list))), key=units)[:32]
    return {name: cut(value[name]) for name in single}


def place(value):
    seq, digits = members(value, 'seq', 'hash')
    if not is_count(seq, 1) or not is_hex64(digits):
        raise Malformed('no place')
    return seq, digits


def check_form(receipt, version=1):
    members(receipt, *MEMBERS)
    sizes = [*members(receipt['request'], 'bytes', 'commitment'), *members(receipt['response'], 'bytes', 'commitment', 'complete')]
    members(receipt['tokens'], *TOKENS)
    if not (receipt['v'] == version and is_count(sizes[0]) and is_hex64(sizes[1]) and is_count(sizes[2]) and is_hex64(sizes[3])
            and isinstance(sizes[4], bool) and is_moment(receipt['issued']) and is_count(receipt['key_version'], 1)
            and isinstance(receipt['id'], str) and re.fullmatch(r'[1-9][0-9]*-[0-9a-f]{32}', receipt['id']) is not None
            and isinstance(receipt['nonce'], str) and is_hex64(receipt['run'])
            and (receipt['pack'] is None or is_hex64(receipt['pack']))):
        raise Malformed('no receipt')


def facts(receipt, call, result):
    """[name, what the receipt says, what the entries say] of each fact."""
    asked, answer = call['payload'], result['payload']
    for name in ('provider', 'upstream', 'api', 'model'):
        yield name, receipt[name], asked.get(name)
    for name, other in (('model_answered', 'model'), ('status', 'status'), ('result', 'result'),
                        ('stop_reason', 'stop_reason'), ('tokens', 'tokens'), ('latency_ms', 'duration_ms'),
                        ('first_byte_ms', 'first_byte_ms'), ('request_id', 'request_id')):
        yield name, receipt[name], answer.get(other)
    yield 'parameters', receipt['parameters'], told_parameters(asked.get('parameters'))
    yield 'request', receipt['request']['bytes'], asked.get('request_bytes')


def check_receipt(entry, run, by_seq, pack, origin, gateways):
    """The seq of the call that the receipt is for; raises a Finding where it does not hold."""
    receipt = entry['payload']
    try:
        check_form(receipt)
        call_seq, call_hash = place(receipt['call'])
        event_seq, event_hash = place(receipt['event'])
        signature = signature_of(receipt['signature'])
    except Malformed:
        raise Finding('RECEIPT_MALFORMED') from None
    newest = [found for found in gateways if found[0] < entry['seq']][-1:]
    unsigned = canonical({name: value for name, value in receipt.items() if name != 'signature'})
    message = lines(b'counterfoil/receipt/v1', origin.encode(), unsigned)
    if not newest or newest[0][1] != receipt['key_version'] or not ed25519.verify(newest[0][2], message, signature):
        raise Finding('RECEIPT_FORGED')
    call, result = by_seq.get(call_seq), by_seq.get(event_seq)
    bound = (receipt['run'] == run and receipt['pack'] == pack and entry['cause'] == event_seq
             and call is not None and call['kind'] == 'model.call' and call['entry_hash'] == call_hash
             and result is not None and result['kind'] == 'model.result' and result['entry_hash'] == event_hash
             and result['cause'] == call_seq and call['payload'].get('receipt_id') == receipt['id']
             and receipt['id'].startswith(f'{call_seq}-'))
    if not bound:
        raise Finding('RECEIPT_MISBOUND')
    wire = result['payload'].get('wire_bytes')
    nonce = call['payload'].get('nonce')
    if (any(canonical([said]) != canonical([there]) for _, said, there in facts(receipt, call, result))
            or not is_count(wire) or receipt['response']['bytes'] < wire
            or receipt['nonce'] != (receipt['id'] if nonce is None else nonce)):
        raise Finding('RECEIPT_MISMATCH')
    return call_seq


def check_receipts(entries, ledger, run, pack, origin, keys):
    """Codes that fail, and codes that are unknown."""
    gateways, fails = gateway_keys(ledger, origin, keys)
    unknown, vouched, nonces = [], set(), set()
    by_seq = {entry['seq']: entry for entry in entries}
    for entry in entries:
        if entry['kind'] != 'receipt':
            continue
        try:
            call = check_receipt(entry, run, by_seq, pack, origin, gateways)
            if call in vouched:
                raise Finding('RECEIPT_MISBOUND')
            if entry['payload']['nonce'] in nonces:
                raise Finding('RECEIPT_NONCE_REUSED')
            nonces.add(entry['payload']['nonce'])
            vouched.add(call)
        except Finding as finding:
            fails.append(str(finding))
    announced = [entry['seq'] for entry in entries
                 if entry['kind'] == 'model.call' and entry['payload'].get('receipt_id') is not None]
    if any(seq not in vouched for seq in announced) and not fails:
        unknown.append('RECEIPT_MISSING')
    return fails, unknown
