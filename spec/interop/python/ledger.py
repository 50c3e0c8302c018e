"""Entries (spec/entry.md), the tree, notes, checkpoints and the ledger's keys (spec/checkpoint.md), and the one proof
for many entries of spec/bundle.md."""
import base64
import hashlib
import re
import unicodedata
from bisect import bisect_left

import ed25519
from encoding import (SAFE, Malformed, from_base64, is_count, is_hex64, is_moment, members, parse_canonical)

GENESIS = '39d8668c9e1c18834931c26be61912c018fcc8e17d52f36b0a00c7020fe1ab69'
KIND = re.compile(r'[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*')
SOURCE = re.compile(r'[a-z][a-z0-9-]{0,31}(?::[a-z0-9][a-z0-9._-]{0,63})?')
TAIL = re.compile(rb',"entry_hash":"([0-9a-f]{64})"\}')
LINE_BYTES = 65_535


# --- entries ---------------------------------------------------------------------------------------------------------

def no_inexact(value):
    """Canonical JSON also writes 1e21 and 2^53; an entry holds no integer beyond 2^53 - 1."""
    if isinstance(value, float) and value.is_integer() and abs(value) > SAFE:
        raise Malformed('an integer that is not exact')
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        no_inexact(item)


def parse_entry(line):
    """An entry from its line without the newline; `line` and `entry_hash` are among its members."""
    tail = TAIL.fullmatch(line[-81:]) if len(line) <= LINE_BYTES else None
    if tail is None:
        raise Malformed('no entry')
    body = line[:-81] + b'}'
    entry = parse_canonical(body, 32)
    cause, kind, payload, before, seq, session, source, ts, version = members(
        entry, 'cause', 'kind', 'payload', 'prev_hash', 'seq', 'session_id', 'source', 'ts', 'v')
    no_inexact(entry)
    good = (version == 1 and type(version) is int and is_count(seq, 1)
            and (cause is None or is_count(cause, 1) and cause < seq)
            and isinstance(kind, str) and len(kind) <= 64 and KIND.fullmatch(kind) is not None
            and isinstance(payload, dict) and is_hex64(before) and (session is None or is_hex64(session))
            and isinstance(source, str) and SOURCE.fullmatch(source) is not None and is_moment(ts))
    if not good:
        raise Malformed('a member is malformed')
    if hashlib.sha256(body).hexdigest() != tail[1].decode():
        raise Malformed('the entry does not have its hash')
    return {**entry, 'entry_hash': tail[1].decode(), 'line': line}


def parse_entries(data):
    if data == b'':
        return []
    if data[-1:] != b'\n':
        raise Malformed('the last line does not end in a newline')
    return [parse_entry(line) for line in data[:-1].split(b'\n')]


# --- the tree --------------------------------------------------------------------------------------------------------

def leaf_hash(data):
    return hashlib.sha256(b'\0' + data).digest()


def node_hash(left, right):
    return hashlib.sha256(b'\1' + left + right).digest()


def split(size):
    """The largest power of two below the size."""
    return 1 << (size - 1).bit_length() - 1


class Tree:
    """RFC 6962 as it grows: the roots of its complete subtrees, the widest first."""

    def __init__(self):
        self.size, self.roots = 0, []

    def append(self, leaf):
        self.size += 1
        self.roots.append(leaf)
        size = self.size
        while size % 2 == 0:
            right = self.roots.pop()
            self.roots.append(node_hash(self.roots.pop(), right))
            size //= 2

    def root(self):
        if not self.roots:
            return hashlib.sha256(b'').digest()
        found = self.roots[-1]
        for left in reversed(self.roots[:-1]):
            found = node_hash(left, found)
        return found


def tree_root(leaves):
    tree = Tree()
    for leaf in leaves:
        tree.append(leaf)
    return tree.root()


def root_of_proof(size, leaves, hashes):
    """The root of a tree of `size` leaves from some ([index, hash], ascending) and the roots of all the rest."""
    indices, rest = [index for index, _ in leaves], iter(hashes)

    def walk(start, width):
        first = bisect_left(indices, start)
        if first == len(indices) or indices[first] >= start + width:
            found = next(rest, None)
            if found is None:
                raise Malformed('a hash of the proof is missing')
            return found
        if width == 1:
            return leaves[first][1]
        left = split(width)
        return node_hash(walk(start, left), walk(start + left, width - left))

    if not leaves or indices[0] < 0 or indices[-1] >= size:
        raise Malformed('an entry is outside of the tree')
    root = walk(0, size)
    if next(rest, None) is not None:
        raise Malformed('a hash of the proof is left over')
    return root


def parse_proof(data):
    hashes, size = members(parse_canonical(data), 'hashes', 'size')
    if not isinstance(hashes, list) or not all(map(is_hex64, hashes)) or not is_count(size):
        raise Malformed('no proof')
    return size, [bytes.fromhex(value) for value in hashes]


# --- notes and keys --------------------------------------------------------------------------------------------------

def is_name(name):
    return name != '' and not any(
        sign == '+' or sign.isspace() or unicodedata.category(sign) in ('Cc', 'Zs', 'Zl', 'Zp') for sign in name)


def key_id(name, public_key):
    return hashlib.sha256(name.encode() + b'\n\x01' + public_key).digest()[:4]


def parse_verifier_key(text):
    """[name, public key] of <name>+<id>+<base64>."""
    found = re.fullmatch(r'([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)', text) if isinstance(text, str) else None
    if found is None or not is_name(found[1]):
        raise Malformed('no verifier key')
    data = from_base64(found[3])
    if len(data) != 33 or data[0] != 1 or key_id(found[1], data[1:]).hex() != found[2]:
        raise Malformed('no verifier key')
    if not ed25519.is_public_key(data[1:]):
        raise Malformed('no public key')
    return found[1], data[1:]


def parse_note(data):
    """The text, and [name, key id, signature] of each signature."""
    if len(data) > 65_536:
        raise Malformed('the note is too long')
    try:
        whole = data.decode('utf-8')
    except UnicodeDecodeError:
        raise Malformed('not UTF-8') from None
    text, blank, signed = whole.rpartition('\n\n')
    if blank == '' or not signed.endswith('\n'):
        raise Malformed('no note')
    if any(unicodedata.category(sign) == 'Cc' and sign != '\n' for sign in whole):
        raise Malformed('a control character')
    lines, signatures = signed[:-1].split('\n'), []
    if len(lines) > 64:
        raise Malformed('too many signatures')
    for line in lines:
        found = re.fullmatch(r'\u2014 ([^ ]+) ([A-Za-z0-9+/=]+)', line)
        raw = from_base64(found[2]) if found is not None else b''
        if len(raw) < 5 or not is_name(found[1]):
            raise Malformed('no signature')
        signatures.append((found[1], raw[:4], raw[4:]))
    return text + '\n', signatures


def is_signed(note, name, public_key):
    """Whether the key signed the note: once, and well."""
    text, signatures = note
    own = [sig for said, number, sig in signatures if said == name and number == key_id(name, public_key)]
    return len(own) == 1 and ed25519.verify(public_key, text.encode(), own[0])


def parse_checkpoint(data):
    """{origin, size, root, note}."""
    note = parse_note(data)
    lines = note[0].split('\n')
    if len(lines) != 4 or not is_name(lines[0]) or re.fullmatch(r'0|[1-9][0-9]{0,15}', lines[1]) is None:
        raise Malformed('no checkpoint')
    size, root = int(lines[1]), from_base64(lines[2])
    if size > SAFE or len(root) != 32:
        raise Malformed('no checkpoint')
    return {'origin': lines[0], 'size': size, 'root': root, 'note': note}


def public_key_of(value):
    if not is_hex64(value) or not ed25519.is_public_key(bytes.fromhex(value)):
        raise Malformed('no public key')
    return bytes.fromhex(value)


def signature_of(value):
    data = from_base64(value)
    if len(data) != 64:
        raise Malformed('no signature')
    return data


def is_handed_over(entry, origin, old):
    """Whether the old key handed over to the one that this key.rotate names."""
    payload = entry['payload']
    try:
        checkpoint, signature = parse_checkpoint(payload['checkpoint'].encode()), signature_of(payload['signature'])
    except (Malformed, AttributeError):
        return False
    lines = ['counterfoil/key-rotate/v1', origin, str(entry['seq']), entry['prev_hash'],
             base64.b64encode(checkpoint['root']).decode(), old.hex(), payload['public_key']]
    return (checkpoint['origin'] == origin and checkpoint['size'] == entry['seq'] - 1
            and is_signed(checkpoint['note'], origin, old)
            and ed25519.verify(old, ''.join(line + '\n' for line in lines).encode(), signature))


def ledger_keys(entries, origin):
    """The keys of the ledger, [seq from which it is in force, key], and whether each was handed over to."""
    first = entries[0] if entries else None
    if first is None or first['kind'] != 'ledger.open' or first['seq'] != 1 or first['prev_hash'] != GENESIS:
        raise Malformed('the first entry of the ledger is not there')
    form, nonce, public_key = members(first['payload'], 'format', 'nonce', 'public_key')
    if form != 'counterfoil/1' or not is_hex64(nonce) or origin != 'counterfoil/' + first['entry_hash'][:16]:
        raise Malformed('the first entry is of another ledger')
    keys, good = [(1, public_key_of(public_key))], True
    for entry in entries[1:]:
        if entry['kind'] == 'ledger.open':
            raise Malformed('a second first entry')
        if entry['kind'] == 'key.rotate':
            try:
                members(entry['payload'], 'checkpoint', 'public_key', 'signature')
                new = public_key_of(entry['payload']['public_key'])
            except Malformed:
                good = False
                continue
            good = is_handed_over(entry, origin, keys[-1][1]) and good
            # What comes behind is checked with the key that is named: that it was not handed over to is told once.
            keys.append((entry['seq'], new))
    return keys, good
