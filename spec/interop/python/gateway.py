"""What an independent gateway vouches for (spec/receipt.md, the last sections): one receipt for each model call of the
run, numbered, and a closing of the run, all signed by a key that the verifier trusts. It decides the tier; a receipt or
a closing that is forged fails the bundle besides."""
import hashlib

import ed25519
from encoding import Malformed, b64u, canonical, is_count, is_hex64, is_moment, members
from ledger import signature_of
from calls import ASKING
from receipts import check_form, facts, lines, place


class Finding(Exception):
    """What does not hold; its text is the code."""


def require(holds, code):
    if not holds:
        raise Finding(code)


def nonce_of(run, pack, call):
    parts = [run, *([] if pack is None else [pack]), call['prev_hash']]
    return b64u(hashlib.sha256(b''.join(map(bytes.fromhex, parts))).digest())


def parse_statement(payload, name):
    """[origin, statement]. The key that stands beside the statement is a hint: whom to trust says trust.json."""
    version, origin, key, statement = members(payload, 'v', 'origin', 'gateway_key', name)
    number, public, certificate = members(key, 'version', 'public_key', 'certificate')
    if (version != 1 or not isinstance(origin, str) or not 0 < len(origin) <= 256 or '\n' in origin
            or not is_count(number, 1) or not is_hex64(public)):
        raise Malformed('not what a gateway hands out')
    signature_of(certificate)
    return origin, statement


def check_client(client, *more):
    run, pack, *_ = members(client, 'run', 'pack', *more)
    if not is_hex64(run) or not (pack is None or is_hex64(pack)) or not all(is_count(client[name], 1) for name in more):
        raise Malformed('a client that is none')


def parse_handed_out(payload):
    """[origin, receipt, signature]."""
    origin, receipt = parse_statement(payload, 'receipt')
    if isinstance(receipt, dict) and 'client' in receipt:
        numbered = isinstance(receipt['client'], dict) and 'call' in receipt['client']
        own = ('client', 'tool_uses') if numbered else ('client',)
        check_form({name: value for name, value in receipt.items() if name not in own}, 3 if numbered else 2)
        if numbered and not is_count(receipt.get('tool_uses')):
            raise Malformed('no number of tools')
        check_client(receipt['client'], *(['call'] if numbered else []))
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
    elif 'tool_uses' in receipt:
        require(receipt['tool_uses'] == result['payload'].get('tool_uses'), 'GATEWAY_FACTS_WRONG')


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
        client = receipt.get('client') or {}
        require((client.get('run'), client.get('pack')) == (run, pack), 'GATEWAY_RECEIPT_OTHER_RUN')
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


def parse_closing(payload):
    """[origin, closing, signature]."""
    origin, closing = parse_statement(payload, 'closing')
    version, client, calls, nonce, end, issued, key, signature = members(
        closing, 'v', 'client', 'calls', 'last_nonce', 'end', 'issued', 'key_version', 'signature')
    check_client(client)
    last = nonce is None if calls == 0 else isinstance(nonce, str) and 8 <= len(nonce) <= 128
    if version != 1 or not is_count(calls) or not last or not is_hex64(end) or not is_moment(issued) or not is_count(key, 1):
        raise Malformed('no closing')
    return origin, closing, signature_of(signature)


def check_numbers(handed):
    """The calls are numbered from 1 on, by one gateway."""
    seen = set()
    for origin, receipt, _ in handed:
        number = receipt['client'].get('call')
        require(number is not None, 'GATEWAY_CALLS_UNNUMBERED')
        require(origin == handed[0][0], 'GATEWAY_SEVERAL')
        require(number not in seen, 'GATEWAY_CALL_REPEATED')
        seen.add(number)
    require(seen == set(range(1, len(handed) + 1)), 'GATEWAY_CALL_LEFT_OUT')


def check_closing(entry, entries, handed, gateways):
    try:
        origin, closing, signature = parse_closing(entry['payload'])
    except Malformed:
        raise Finding('GATEWAY_CLOSING_MALFORMED') from None
    run, pack = run_of(entries)
    require(closing['client'] == {'run': run, 'pack': pack}, 'GATEWAY_CLOSING_OTHER_RUN')
    require(all(given[0] == origin for given in handed), 'GATEWAY_SEVERAL')
    unsigned = canonical({name: value for name, value in closing.items() if name != 'signature'})
    message = lines(b'counterfoil/run-closing/v1', origin.encode(), unsigned)
    require(any(name == origin + '/gateway' and ed25519.verify(key, message, signature) for name, key, _ in gateways),
            'GATEWAY_CLOSING_FORGED')
    ends = [each['entry_hash'] for each in entries if each['kind'] == 'session.end' and each['seq'] == entry['cause']]
    require(ends == [closing['end']], 'GATEWAY_CLOSING_OTHER_END')
    require(closing['calls'] == len(handed), 'GATEWAY_CLOSING_OTHER_COUNT')
    last = [receipt['nonce'] for _, receipt, _ in handed if receipt['client']['call'] == closing['calls']]
    require(last == [closing['last_nonce']], 'GATEWAY_CLOSING_OTHER_CALL')


def check_last(entries):
    """Behind the last model call no tool was asked for or called."""
    last = max(entry['seq'] for entry in entries if entry['kind'] == 'model.call')
    asking = set()
    for entry in entries:
        if entry['kind'] == 'gateway.receipt':
            _, receipt, _ = parse_handed_out(entry['payload'])
            answer = receipt['response']
            if receipt['tool_uses'] > 0 or receipt['stop_reason'] in ASKING or (not answer['complete'] and answer['bytes'] > 0):
                asking.add(entry['cause'])
    for entry in entries:
        deed = entry['kind'] in ('tool.call', 'model.tool_use')
        told = entry['kind'] == 'model.result' and entry['cause'] in asking
        require(entry['seq'] < last or not (deed or told), 'GATEWAY_TOOL_LAST')


def check_closed(entries, gateways):
    """Of a run all of whose receipts hold."""
    handed = [parse_handed_out(entry['payload']) for entry in entries if entry['kind'] == 'gateway.receipt']
    check_numbers(handed)
    closings = [entry for entry in entries if entry['kind'] == 'gateway.closing']
    for entry in closings:
        check_closing(entry, entries, handed, gateways)
    require(closings, 'GATEWAY_CLOSING_MISSING')
    check_last(entries)


def check_receipts_alone(entries, gateways):
    """None if trusted gateways signed for every model call, else the first code that applies."""
    try:
        check_run(entries, gateways)
    except Finding as finding:
        return str(finding)
    return None


def check_gateways(entries, gateways):
    """None if a trusted gateway vouches for the whole run, else the first code that applies."""
    try:
        check_run(entries, gateways)
        check_closed(entries, gateways)
    except Finding as finding:
        return str(finding)
    return None
