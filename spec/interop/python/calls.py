"""The calls of a run (spec/bundle.md): which entries show that a tool was called, with which arguments, whether the pack
allows it, and whether the model calls fit together."""
import hashlib
from collections import Counter

from encoding import Malformed, canonical, jcs, parse_canonical
from pack import judge_call, names_of

ENCRYPTED = 'application/vnd.counterfoil.encrypted'
ASKING = ('tool_use', 'tool_calls', 'function_call')


def has_reference(value):
    if isinstance(value, dict):
        return '$content' in value or any(map(has_reference, value.values()))
    return isinstance(value, list) and any(map(has_reference, value))


def arguments_of(payload, shown):
    """[the arguments in a list of one, or None where not all of them are shown; whether args_hash is of them]."""
    said = payload.get('args')
    if said is None:
        return None, False
    if not (isinstance(said, dict) and isinstance(said.get('$content'), str)):
        if has_reference(said):
            return None, False
        data = said.encode() if isinstance(said, str) else canonical(said)
        return [said], payload.get('args_hash') == hashlib.sha256(data).hexdigest()
    content, kind = shown.get(said['$content']), said.get('type')
    if content is None or isinstance(kind, str) and kind.startswith(ENCRYPTED):
        return None, True
    try:
        return [content.decode('utf-8') if kind == 'text/plain' else parse_canonical(content)], True
    except (Malformed, UnicodeDecodeError):
        return None, True


def is_result_of(result, call):
    if call is None or call.get('tool') != result.get('tool'):
        return False
    hashes = [call.get('args_hash'), result.get('args_hash')]
    return None in hashes or hashes[0] == hashes[1]


def calls_of(entries):
    """Entries that show that a tool was called. A call stands for what names the same tool."""
    calls = {entry['seq']: entry['payload'] for entry in entries if entry['kind'] == 'tool.call'}
    questions = {entry['seq']: entry['payload'] for entry in entries if entry['kind'] == 'approval'}
    same = lambda payload: jcs([payload.get('tool'), payload.get('args_hash')])
    known = {same(payload) for payload in calls.values()}
    asked = {(payload['tool_use_id'], name) for payload in calls.values() for name in names_of(payload)
             if isinstance(payload.get('tool_use_id'), str)}
    for entry in entries:
        kind, payload = entry['kind'], entry['payload']
        use = payload.get('tool_use_id'), payload.get('tool')
        stands = all(isinstance(word, str) for word in use) and use in asked
        if kind in ('tool.denied', 'approval'):
            before = calls.get(entry['cause'], questions.get(entry['cause']))
            is_same = isinstance(payload.get('args_hash'), str) and same(payload) in known
            if not is_same and not is_result_of(payload, before):
                yield entry
        if (kind == 'tool.call' or kind == 'tool.result' and not is_result_of(payload, calls.get(entry['cause']))
                or kind == 'model.tool_use' and not stands):
            yield entry


def asks_in_vain(payload):
    return payload.get('tool_uses') == 0 and payload.get('stop_reason') in ASKING


def check_policy(report, policy, entries, shown):
    codes = [judge_call(policy, entry['payload'], *arguments_of(entry['payload'], shown)) for entry in calls_of(entries)]
    if any(policy) and any(entry['kind'] == 'model.result' and asks_in_vain(entry['payload'])
                           and entry['payload'].get('understood') != 'whole' for entry in entries):
        codes.append('TOOL_UNDISCLOSED')
    if any(policy) and any(entry['kind'] == 'observation' and isinstance(entry['payload'].get('problem'), str)
                           for entry in entries):
        codes.append('TOOL_UNDISCLOSED')
    if 'TOOL_DENIED' in codes:
        report.fail('TOOL_DENIED')
    if 'TOOL_UNDISCLOSED' in codes:
        report.doubt('TOOL_UNDISCLOSED')


def base_of(payload):
    messages = payload.get('messages')
    base = messages.get('base') if isinstance(messages, dict) else None
    return base if isinstance(base, int) else None


def check_model_calls(report, entries):
    """What was taken out leaves a trace in what is left."""
    calls, uses = set(), Counter(entry['cause'] for entry in entries if entry['kind'] == 'model.tool_use')
    for entry in entries:
        payload = entry['payload']
        if entry['kind'] == 'model.call':
            base = base_of(payload)
            report.require(base is None or base in calls, 'MODEL_CALL_MISSING')
            calls.add(entry['seq'])
        elif entry['kind'] == 'model.result':
            vain = asks_in_vain(payload) and payload.get('understood') == 'whole'
            report.require(payload.get('tool_uses') == uses[entry['cause']] and not vain, 'TOOL_USE_MISSING')
