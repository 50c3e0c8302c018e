"""What an independent gateway vouches for (spec/receipt.md, the last section): one receipt for each model call of the
run, signed by a key that the verifier trusts. Nothing here changes the verdict; it decides the tier."""
import hashlib

import ed25519
from encoding import Malformed, b64u, canonical, is_count, is_hex64, members
from ledger import signature_of
from receipts import MEMBERS, check_form, facts, lines

RECEIPT = (*MEMBERS, 'client')


class Finding(Exception):
    """What does not hold; its text is the code."""


def require(holds, code):
    if not holds:
        raise Finding(code)


def nonce_of(run, pack, call):
    parts = [run, *([] if pack is None else [pack]), call['prev_hash']]
    return b64u(hashlib.sha256(b''.join(map(bytes.fromhex, parts))).digest())


def parse_handed_out(payload):
    """[origin, the gateway's public key, receipt, signature]."""
    version, origin, key, receipt = members(payload, 'v', 'origin', 'gateway_key', 'receipt')
    number, public, certificate = members(key, 'version', 'public_key', 'certificate')
    members(receipt, *RECEIPT)
    check_form({name: receipt[name] for name in MEMBERS}, 2)
    run, pack = members(receipt['client'], 'run', 'pack')
    good = (version == 1 and isinstance(origin, str) and is_count(number, 1) and number == receipt['key_version']
            and is_hex64(public) and is_hex64(run) and (pack is None or is_hex64(pack)))
    if not good:
        raise Malformed('not what a gateway hands out')
    signature_of(certificate)
    return origin, bytes.fromhex(public), receipt, signature_of(receipt['signature'])


def check_signer(origin, public, receipt, signature, gateways):
    """`gateways` are [name, key, upstreams] of those that are trusted."""
    trusted = [upstreams for name, key, upstreams in gateways if name == origin + '/gateway' and key == public]
    require(trusted, 'GATEWAY_KEY_NOT_TRUSTED')
    unsigned = canonical({name: value for name, value in receipt.items() if name != 'signature'})
    message = lines(b'counterfoil/receipt/v1', origin.encode(), unsigned)
    require(ed25519.verify(public, message, signature), 'GATEWAY_RECEIPT_FORGED')
    require(any(receipt['upstream'] in upstreams for upstreams in trusted), 'GATEWAY_UPSTREAM_NOT_ACCEPTED')


def check_against_run(receipt, call, result, own):
    """Against the run's own receipt of the call, and against its entries."""
    require(result is not None and own is not None, 'GATEWAY_COMMITMENT_WRONG')
    there, here = receipt['response'], own['response']
    require(receipt['request'] == own['request'] and there['complete'] == here['complete'], 'GATEWAY_COMMITMENT_WRONG')
    if there['complete']:
        require(there == here, 'GATEWAY_COMMITMENT_WRONG')
    else:
        require(here['bytes'] <= there['bytes'], 'GATEWAY_COMMITMENT_WRONG')
    for name, said, true in facts(receipt, call, result):
        # Both gateways have clocks of their own, and an answer that broke off may have come further at one of them.
        timed = name in ('latency_ms', 'first_byte_ms', 'request_id')
        late = name in ('status', 'result', 'model_answered', 'stop_reason', 'tokens') and not there['complete']
        require(timed or late or canonical([said]) == canonical([true]), 'GATEWAY_FACTS_WRONG')


def check_gateways(entries, run, pack, gateways):
    """None if a trusted gateway vouches for every model call, else the first code that applies."""
    calls = {entry['seq']: entry for entry in entries if entry['kind'] == 'model.call'}
    results = {entry['cause']: entry for entry in entries if entry['kind'] == 'model.result'}
    owned = {}
    for entry in entries:
        call = entry['payload'].get('call') if entry['kind'] == 'receipt' else None
        if isinstance(call, dict) and is_count(call.get('seq')):
            owned[call['seq']] = entry['payload']
    given = {}
    for entry in entries:
        if entry['kind'] == 'gateway.receipt':
            given.setdefault(entry['cause'], []).append(entry['payload'])
    try:
        require(calls, 'GATEWAY_NO_CALLS')
        require(entries[0]['kind'] == 'session.start' and (pack is None or is_hex64(pack)), 'GATEWAY_RUN_UNREADABLE')
        require(set(given) <= set(calls), 'GATEWAY_RECEIPT_OTHER_CALL')
        for seq, call in calls.items():
            require(seq in given, 'GATEWAY_RECEIPT_MISSING')
            require(len(given[seq]) == 1, 'GATEWAY_RECEIPT_TWICE')
            try:
                origin, public, receipt, signature = parse_handed_out(given[seq][0])
                own = owned.get(seq)
                if own is not None:
                    check_form(own)
            except Malformed:
                raise Finding('GATEWAY_RECEIPT_MALFORMED') from None
            require(receipt['client'] == {'run': run, 'pack': pack}, 'GATEWAY_RECEIPT_OTHER_RUN')
            require(receipt['nonce'] == nonce_of(run, pack, call), 'GATEWAY_RECEIPT_OTHER_CALL')
            check_signer(origin, public, receipt, signature, gateways)
            check_against_run(receipt, call, results.get(seq), own)
    except Finding as finding:
        return str(finding)
    return None
