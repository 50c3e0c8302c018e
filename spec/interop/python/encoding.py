"""The encodings that every part rests on: canonical JSON (RFC 8785), base64, moments, DSSE envelopes.

Each has one accepted form. Whatever is not in it raises Malformed, and nothing else is ever raised.
"""
import base64
import json
import re
from datetime import datetime, timezone

SAFE = 2 ** 53 - 1
HEX64 = re.compile(r'[0-9a-f]{64}')
GIT = re.compile(r'[0-9a-f]{40}|[0-9a-f]{64}')
MOMENT = re.compile(r'[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z')
# A string that is never closed reaches to the end, so that a hostile text is read once and not once a quote.
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
ENVELOPE_SIGNATURES = 16


class Malformed(Exception):
    """What was read is not in its one form."""


def is_hex64(value):
    return isinstance(value, str) and HEX64.fullmatch(value) is not None


def is_git(value):
    return isinstance(value, str) and GIT.fullmatch(value) is not None


def is_count(value, least=0):
    return type(value) is int and least <= value <= SAFE


def moment(text):
    """A moment in UTC with milliseconds that exists, as datetime."""
    if not isinstance(text, str) or MOMENT.fullmatch(text) is None:
        raise Malformed('no moment')
    try:
        return datetime.strptime(text, '%Y-%m-%dT%H:%M:%S.%fZ').replace(tzinfo=timezone.utc)
    except ValueError:
        raise Malformed('a moment that does not exist') from None


def is_moment(text):
    try:
        moment(text)
        return True
    except Malformed:
        return False


def from_base64(text):
    """RFC 4648 section 4, padded, trailing bits zero."""
    try:
        data = base64.b64decode(text.encode('ascii'), validate=True)
    except (ValueError, AttributeError):
        raise Malformed('no base64') from None
    if base64.b64encode(data).decode() != text:
        raise Malformed('base64 in another form')
    return data


def b64u(data):
    return base64.urlsafe_b64encode(data).decode().rstrip('=')


def is_b64u_hash(text):
    """32 bytes in base64url without padding."""
    return isinstance(text, str) and re.fullmatch(r'[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]', text) is not None


# --- canonical JSON --------------------------------------------------------------------------------------------------

def units(text):
    """The order of RFC 8785: by UTF-16 code units."""
    return text.encode('utf-16-be', 'surrogatepass')


def number(value):
    """ECMAScript's form of a double (RFC 8785, section 3.2.2.3)."""
    if isinstance(value, int):
        return str(value)
    if value == 0:
        return '0'
    sign, value = ('-', -value) if value < 0 else ('', value)
    # repr gives the shortest digits that lead back to the double, as ECMAScript does; only the layout differs.
    mantissa, _, exponent = repr(value).partition('e')
    whole, _, fraction = mantissa.partition('.')
    digits = (whole + fraction).lstrip('0')
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip('0')
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + '0' * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + '.' + digits[point:]
    if -6 < point <= 0:
        return sign + '0.' + '0' * -point + digits
    power = point - 1
    return sign + digits[0] + ('.' + digits[1:] if count > 1 else '') + 'e' + ('+' if power > 0 else '-') + str(abs(power))


def jcs(value):
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return '[' + ','.join(map(jcs, value)) + ']'
    members = (f'{json.dumps(name, ensure_ascii=False)}:{jcs(value[name])}' for name in sorted(value, key=units))
    return '{' + ','.join(members) + '}'


def canonical(value):
    return jcs(value).encode()


def depth_of(text):
    depth = deepest = 0
    for sign in re.findall(r'[\[\]{}]', STRING.sub('', text)):
        depth += 1 if sign in '[{' else -1
        deepest = max(deepest, depth)
    return deepest


def parsed_number(text):
    value = float(text)
    if value in (float('inf'), float('-inf')):
        raise Malformed('a number that no double holds')
    return int(value) if value.is_integer() and abs(value) <= SAFE else value


def once(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Malformed('a name twice')
    return value


def no_constant(name):
    raise Malformed(f'{name} is no JSON')


def parse_json(data, levels=64):
    """The value of JSON in UTF-8, in whatever layout; a name that comes twice is refused."""
    try:
        text = data.decode('utf-8')
    except UnicodeDecodeError:
        raise Malformed('not UTF-8') from None
    if depth_of(text) > levels:
        raise Malformed('nested too deep')
    try:
        return json.loads(text, object_pairs_hook=once, parse_int=parsed_number, parse_float=parsed_number,
                          parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise Malformed('not JSON') from None


def parse_canonical(data, levels=64):
    """The value, if these bytes are its one encoding."""
    value = parse_json(data, levels)
    try:
        same = canonical(value) == data
    except UnicodeEncodeError:
        raise Malformed('half of a surrogate pair') from None
    if not same:
        raise Malformed('not canonical JSON')
    return value


def members(value, *names):
    """The members of an object that has exactly these."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Malformed('members are missing, or there are others')
    return [value[name] for name in names]


# --- DSSE ------------------------------------------------------------------------------------------------------------

def pae(payload_type, payload):
    kind = payload_type.encode()
    return b'DSSEv1 %d %s %d %s' % (len(kind), kind, len(payload), payload)


def parse_envelope(data):
    """Of a DSSE envelope in canonical JSON: its type, the payload, what is signed, and [keyid, signature] of each."""
    text, kind, signatures = members(parse_canonical(data), 'payload', 'payloadType', 'signatures')
    if not isinstance(kind, str) or not isinstance(text, str) or not isinstance(signatures, list):
        raise Malformed('no envelope')
    if not 1 <= len(signatures) <= ENVELOPE_SIGNATURES:
        raise Malformed('no signature, or too many')
    payload, signed = from_base64(text), []
    for signature in signatures:
        keyid, sig = members(signature, 'keyid', 'sig')
        if not isinstance(keyid, str) or not isinstance(sig, str):
            raise Malformed('a signature that is none')
        signed.append((keyid, from_base64(sig)))
        if len(signed[-1][1]) != 64:
            raise Malformed('no signature of Ed25519')
    return kind, payload, pae(kind, payload), signed
