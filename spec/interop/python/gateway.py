"""What an independent gateway vouches for (spec/receipt.md, the last section): one receipt for each model call of the
run, signed by a key that the verifier trusts. It decides the tier; a receipt that is forged fails the bundle besides."""
import hashlib

import ed25519
from encoding import Malformed, b64u, canonical, is_count, is_hex64, members
from ledger import signature_of
from receipts import check_form, facts, lines, place


class Finding(Exception):
    """What does not hold; its text is the code."""


def require(holds, code):
    if not holds:
        raise Finding(code)


def nonce_of(run, pack, call):
    parts = [run, *([] if pack is None else [pack]), call['prev_hash']]
    return b64u(hashlib.sha256(b''.join(map(bytes.fromhex, parts))).digest())


def parse_handed_out(payload):
    """[origin, receipt, signature]. The key that stands beside the receipt is a hint: whom to trust says trust.json."""
    version, origin, key, receipt = members(payload, 'v', 'origin', 'gateway_key', 'receipt')
    number, public, certificate = members(key, 'version', 'public_key', 'certificate')
    if version != 1 or not isinstance(origin, str) or not is_count(number, 1) or not is_hex64(public):
        raise Malformed('not what a gateway hands out')
    signature_of(certificate)
    if isinstance(receipt, dict) and 'client' in receipt:
        check_form({name: value for name, value in receipt.items() if name != 'client'}, 2)
        run, pack = members(receipt['client'], 'run', 'pack')
        if not is_hex64(run) or not (pack is None or is_hex64(pack)):
            raise Malformed('a client that is none')
    else:
        check_form(receipt)
    return origin, receipt, signature_of(receipt['signature'])


def check_signer(origin, receipt, signature, gateways):
    """`gateways` are [name, key, upstreams] of those that are trusted."""
    trusted = [(key, upstreams) for name, key, upstreams in gateways if name == origin + '/gateway']
    require(trusted, 'GATEWAY_KEY_NOT_TRUSTED')
    unsigned = canonical({name: value for name, value in receipt.items() if name != 'signature'})
    message = lines(b'counterfoil/receipt/v1', origin.encode(), unsigned)
    by = [upstreams for key, upstreams in trusted if ed25519.verify(key, message, signature)]
    require(by, 'GATEWAY_RECEIPT_FORGED')
    require(any(receipt['upstream'] in upstreams for upstreams in by), 'GATEWAY_UPSTREAM_NOT_ACCEPTED')


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
    if not there['complete']:
        check_broken_off(receipt, result, own)


def check_broken_off(receipt, result, own):
    """Of an answer that broke off, a receipt vouches for the bytes that its gateway saw, and for nothing else."""
    said = result['payload']
    pairs = [(said.get('status'), receipt['status']), (said.get('model'), receipt['model_answered']),
             (said.get('stop_reason'), receipt['stop_reason'])]
    tokens = said.get('tokens') if isinstance(said.get('tokens'), dict) else {}
    pairs += [(count, receipt['tokens'].get(name)) for name, count in tokens.items()]
    alike = receipt['response'] == own['response']
    nothing = said.get('response_hash') is None and said.get('tool_uses') == 0
    require(said.get('result') in ('incomplete', 'aborted', 'unanswered')
            and all(ours in (None, theirs) for ours, theirs in pairs) and (alike or nothing), 'GATEWAY_RECEIPT_INCOMPLETE')


def run_of(entries):
    """[run, pack] of the entries, which are one run from its beginning on."""
    first = entries[0] if entries else None
    require(first is not None and first['kind'] == 'session.start', 'GATEWAY_RUN_UNREADABLE')
    pack = first['payload'].get('pack')
    require(pack is None or is_hex64(pack), 'GATEWAY_RUN_UNREADABLE')
    require(all(entry['session_id'] == first['session_id'] for entry in entries), 'GATEWAY_RUN_UNREADABLE')
    return first['session_id'], pack


def own_receipts(entries):
    """From seq and hash of a call to the run's own receipt of it. Whether that holds is asked elsewhere."""
    found = {}
    for entry in entries:
        if entry['kind'] == 'receipt':
            try:
                check_form(entry['payload'])
                found[place(entry['payload']['call'])] = entry['payload']
            except Malformed:
                raise Finding('GATEWAY_RUN_UNREADABLE') from None
    return found


def check_run(entries, gateways):
    run, pack = run_of(entries)
    calls = {entry['seq']: entry for entry in entries if entry['kind'] == 'model.call'}
    require(calls, 'GATEWAY_NO_CALLS')
    for call in calls.values():
        require(isinstance(call['payload'].get('upstream'), str), 'GATEWAY_RUN_UNREADABLE')
    given, used = {}, set()
    for entry in entries:
        if entry['kind'] != 'gateway.receipt':
            continue
        try:
            origin, receipt, signature = parse_handed_out(entry['payload'])
        except Malformed:
            raise Finding('GATEWAY_RECEIPT_MALFORMED') from None
        require(receipt.get('client') == {'run': run, 'pack': pack}, 'GATEWAY_RECEIPT_OTHER_RUN')
        check_signer(origin, receipt, signature, gateways)
        call = calls.get(entry['cause'])
        require(entry['cause'] not in given and (origin, receipt['id']) not in used, 'GATEWAY_RECEIPT_TWICE')
        require(call is not None and receipt['nonce'] == nonce_of(run, pack, call), 'GATEWAY_RECEIPT_OTHER_CALL')
        given[entry['cause']] = receipt
        used.add((origin, receipt['id']))
    results = {entry['cause']: entry for entry in entries if entry['kind'] == 'model.result'}
    owned = own_receipts(entries)
    for seq, call in calls.items():
        require(seq in given, 'GATEWAY_RECEIPT_MISSING')
        check_against_run(given[seq], call, results.get(seq), owned.get((seq, call['entry_hash'])))


def check_gateways(entries, gateways):
    """None if a trusted gateway vouches for every model call, else the first code that applies."""
    try:
        check_run(entries, gateways)
    except Finding as finding:
        return str(finding)
    return None
