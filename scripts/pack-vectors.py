#!/usr/bin/env python3
"""Writes spec/vectors/pack: packs that must be accepted and packs that must be refused, and disclosures.

Written from spec/pack.md alone, with nothing but Python's standard library, so that the expected hashes are a second
opinion. Usage: python3 scripts/pack-vectors.py. The output is the same each time.
"""
import base64
import hashlib
import json
import os
import shutil
import struct
import zlib

OUT = os.path.join(os.path.dirname(__file__), '..', 'spec', 'vectors', 'pack')
GZIP_HEADER = bytes.fromhex('1f8b0800000000000003')


def units(text):
    return text.encode('utf-16-be', 'surrogatepass')


def jcs(value):
    """RFC 8785, for the values that occur here: texts, whole numbers, lists and objects."""
    if isinstance(value, dict):
        members = (f'{jcs(key)}:{jcs(value[key])}' for key in sorted(value, key=units))
        return '{' + ','.join(members) + '}'
    if isinstance(value, list):
        return '[' + ','.join(map(jcs, value)) + ']'
    return json.dumps(value, ensure_ascii=False)


def encoded(value):
    return jcs(value).encode()


def sha(data):
    return hashlib.sha256(data).hexdigest()


def in_order(files):
    return sorted(files.items(), key=lambda file: units(file[0]))


def pairs(files, folder=''):
    return [[path, sha(data)] for path, data in in_order(files) if path.startswith(folder)]


# --- the archive -----------------------------------------------------------------------------------------------------

def header(name, size, kind=b'0', prefix=b'', mode=b'0000644\0', uid=b'0000000\0', mtime=b'00000000000\0',
           magic=b'ustar\x0000', link=b'', uname=b'', size_field=None, spoil=False):
    block = bytearray(512)
    fields = {0: name, 100: mode, 108: uid, 116: b'0000000\0', 124: size_field or b'%011o\0' % size, 136: mtime,
              148: b' ' * 8, 156: kind, 157: link, 257: magic, 265: uname, 329: b'0000000\0', 337: b'0000000\0',
              345: prefix}
    for at, data in fields.items():
        block[at:at + len(data)] = data
    block[148:156] = b'%06o\0 ' % (sum(block) + (1 if spoil else 0))
    return bytes(block)


def padded(data, filler=b'\0'):
    return data + (filler * 512)[:-len(data) % 512]


def pax(record, size):
    return header(b'PaxHeader', len(record), b'x') + padded(record) + header(b'file', size)


def record_of(path):
    body = b' path=' + path.encode('utf-8', 'surrogatepass') + b'\n'
    length = len(body) + 1
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def heads(path, size):
    raw = path.encode()
    if all(0x20 <= byte <= 0x7e for byte in raw):
        if len(raw) <= 100:
            return header(raw, size)
        for at, byte in enumerate(raw):
            if byte == ord('/') and len(raw) - at - 1 <= 100 and at <= 155:
                return header(raw[at + 1:], size, prefix=raw[:at])
    return pax(record_of(path), size)


def member(path, data, head=None):
    return (heads(path, len(data)) if head is None else head) + padded(data)


END = bytes(1024)


def tar(files, also=None):
    """`also` has members that stand in for those of a path, or stand beside them."""
    parts = {path: member(path, data) for path, data in files.items()}
    parts.update(also or {})
    return b''.join(part for _, part in in_order(parts)) + END


def gzip(data, level=9, head=GZIP_HEADER, crc=None, length=None):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    stream = packer.compress(data) + packer.flush()
    return head + stream + struct.pack('<II', zlib.crc32(data) if crc is None else crc,
                                       len(data) if length is None else length)


# --- the pack --------------------------------------------------------------------------------------------------------

def manifest_of(files, **said):
    static = sha(encoded(pairs(files, 'static/')))
    config = sha(encoded({path[7:]: json.loads(data) for path, data in files.items() if path.startswith('config/')}))
    manifest = {
        'schema': 'harness_pack.v1', 'id': 'harness', 'template_version': 'none', 'outputs': [], 'verification': None,
        'static_file_hashes': dict(pairs(files, 'static/')),
        'file_hashes': {path: value for path, value in pairs(files) if not path.startswith('static/')},
        'static_hash': static, 'config_hash': config,
        'tool_policy_hash': sha(files.get('config/tool-policy.json', b'')),
    }
    manifest.update(said)
    whole = bytes.fromhex(static) + bytes.fromhex(config) + manifest['template_version'].encode()
    manifest['pack_hash_b64u'] = base64.urlsafe_b64encode(hashlib.sha256(whole).digest()).decode().rstrip('=')
    return manifest


def with_manifest(files, **said):
    return {**files, 'manifest.json': encoded(manifest_of(files, **said))}


def changed(files, change, **said):
    """With a manifest that `change` was applied to, its hashes computed before."""
    manifest = manifest_of(files, **said)
    change(manifest)
    return {**files, 'manifest.json': encoded(manifest)}


def node(left, right):
    return hashlib.sha256(b'\1' + left + right).digest()


def split_of(leaves):
    """RFC 6962: the largest power of two below the number of leaves."""
    size = 1
    while size * 2 < len(leaves):
        size *= 2
    return leaves[:size], leaves[size:]


def merkle(leaves):
    if len(leaves) == 1:
        return leaves[0]
    left, right = split_of(leaves)
    return node(merkle(left), merkle(right))


def path_of(leaves, index):
    if len(leaves) == 1:
        return []
    left, right = split_of(leaves)
    if index < len(left):
        return path_of(left, index) + [merkle(right)]
    return path_of(right, index - len(left)) + [merkle(left)]


def leaves_of(files):
    return [hashlib.sha256(b'\0' + encoded(pair)).digest() for pair in pairs(files)]


def disclosure(files, path):
    leaves = leaves_of(files)
    index = [name for name, _ in in_order(files)].index(path)
    return {'schema': 'pack_disclosure.v1', 'root': merkle(leaves).hex(), 'path': path,
            'content_b64': base64.b64encode(files[path]).decode(), 'index': index, 'size': len(leaves),
            'hashes': [value.hex() for value in path_of(leaves, index)]}


# --- what is accepted ------------------------------------------------------------------------------------------------

POLICY = encoded({'arguments': [{'matches': 'curl *', 'tool': 'Bash'}], 'deny': ['WebFetch', 'mcp__github__*']})
NO_POLICY = encoded({'arguments': [], 'deny': []})
SMALL = {'config/tool-policy.json': NO_POLICY, 'static/AGENTS.md': b'Be brief.\n'}
TESTS = {'method': 'tests', 'command': ['node', '--test', '--test-reporter=tap'], 'report': 'tap', 'report_file': None,
         'tests': ['adds two numbers', 'subtracts'], 'timeout_seconds': 300}
RUBRIC = {'method': 'rubric', 'rubric': 'verification/rubric.md', 'model': 'a-model', 'votes': 3, 'threshold': 70}
EVERY = {
    **SMALL, 'config/tool-policy.json': POLICY,
    'config/.mcp.json': encoded({'mcpServers': {'github': {'command': 'github-mcp', 'env': ['GITHUB_TOKEN']}}}),
    'static/.claude/skills/review/SKILL.md': b'# Review\r\n\r\nRead the whole change.\r\n',
    'static/empty.md': b'', 'static/block.bin': bytes(range(256)) * 2,
    'template/prompts/task.md': 'Do {{task}}, please.\n'.encode(),
    'env/variables.json': encoded({'GITHUB_TOKEN': None, 'HOME': sha(b'a checksum')}),
    'verification/test/add.test.js': b"import test from 'node:test';\n",
}
LONG = {
    **SMALL,
    'static/' + 'n' * 93: b'name of 100 bytes',
    'static/' + 'n' * 94: b'101 bytes with a place to cut: the first slash leaves 94',
    'static/' + 'd' * 80 + '/' + 'e' * 58 + '/' + 'f' * 40: b'two places to cut',
    'static/' + 'p' * 147 + '/' + 'q' * 100: b'prefix of 154 bytes',
    'static/' + 'p' * 148 + '/' + 'q' * 100: b'prefix of 155 bytes',
    'static/' + 'p' * 149 + '/' + 'q' * 100: b'156 bytes would be in front',
    'static/' + 'r' * 101: b'101 bytes behind the only slash',
    '/'.join(['static'] + ['s' * 32] * 30 + ['t' * 27]): b'1,024 bytes and 32 segments',
    'static/\u00fc\u017f\u4f60\u597d/\U0001f9fe.md': 'umlaut, long s, two ideographs and a receipt'.encode(),
    'static/\ufb00.md': b'a ligature: compared in UTF-16 it is behind the receipt below',
    'static/\U0001f9fe.md': b'a character outside of the basic plane',
    'static/spaces and (signs) #1 %41 ~.md': b'printable ASCII',
}
ACCEPTED = {
    'small': (with_manifest(SMALL), 9),
    'stored': (with_manifest(SMALL), 0),
    'long-and-foreign-paths': (with_manifest(LONG, id='paths'), 6),
    'every-folder-with-tests': (with_manifest(
        EVERY, id='every', outputs=['src/**', '*.md'], verification=TESTS,
        template_version='sha256:' + sha(encoded(pairs(EVERY, 'template/')))), 9),
    'rubric': (with_manifest(
        {**SMALL, 'verification/rubric.md': b'Is it true?\n'}, outputs=['answer.md'], verification=RUBRIC), 1),
}

# --- what is refused -------------------------------------------------------------------------------------------------

FINE = with_manifest(SMALL)
STATIC = 'static/AGENTS.md'
BRIEF = SMALL[STATIC]


def odd(**fields):
    """The small pack, where one header of it is different."""
    return tar(FINE, {STATIC: header(STATIC.encode(), len(BRIEF), **fields) + padded(BRIEF)})


def named(*paths, **also):
    """The small pack with files of such names, which its manifest lists."""
    return tar(with_manifest({**SMALL, **{path: b'x' for path in paths}}), **also)


def manifest(change, files=SMALL, **said):
    return tar(changed(files, change, **said))


def member_set(name, value):
    return lambda manifest: manifest.update({name: value})


def verification(base, **said):
    files = {**SMALL, 'verification/rubric.md': b'Is it true?\n'}
    return tar(with_manifest(files, verification={**base, **said}))


TRUNCATED = tar(FINE)
SPECIAL = lambda kind, link=b'': tar(with_manifest({**SMALL, 'static/odd': b''}),
                                     {'static/odd': header(b'static/odd', 0, kind, link=link)})
TWO_RECORDS = record_of('static/\u00fc.md') + b'11 a=b 1 2\n'
UMLAUT = with_manifest({**SMALL, 'static/\u00fc.md': b'x'})
CUT = 'static/' + 'd' * 80 + '/' + 'e' * 58 + '/' + 'f' * 40
LATE_CUT = with_manifest({**SMALL, CUT: b'x'})
OTHER = sha(b'another')

TARS = [
    ('STRAY_FILE', 'beside-the-folders', named('notes.txt')),
    ('STRAY_FILE', 'in-another-folder', named('src/index.js')),
    ('BAD_PATH', 'climbs', named('static/../AGENTS.md')),
    ('BAD_PATH', 'absolute', named('/static/x.md')),
    ('BAD_PATH', 'dot-segment', named('static/./x.md')),
    ('BAD_PATH', 'empty-segment', named('static//x.md')),
    ('BAD_PATH', 'ends-in-a-slash', named('static/x/')),
    ('BAD_PATH', 'backslash', named('static/..\\x.md')),
    ('BAD_PATH', 'colon', named('static/C:x.md')),
    ('BAD_PATH', 'question-mark', named('static/x?.md')),
    ('BAD_PATH', 'control-character', named('static/x\x1b[1m.md')),
    ('BAD_PATH', 'control-character-c1', named('static/x\x9b1m.md')),
    ('BAD_PATH', 'right-to-left-override', named('static/x\u202edm.exe')),
    ('BAD_PATH', 'arabic-letter-mark', named('static/x\u061c.md')),
    ('BAD_PATH', 'decomposed', named('static/u\u0308.md')),
    ('BAD_PATH', 'ends-in-a-dot', named('static/folder./x.md')),
    ('BAD_PATH', 'ends-in-a-space', named('static/x.md ')),
    ('BAD_PATH', 'device-name', named('static/nul')),
    ('BAD_PATH', 'device-name-with-extension', named('static/Com1.md/x')),
    ('BAD_PATH', 'too-long', named('/'.join(['static'] + ['s' * 32] * 30 + ['t' * 28]))),
    ('BAD_PATH', 'too-deep', named('/'.join(['static'] + ['s'] * 32))),
    ('DOUBLED_PATH', 'the-same-twice', tar(FINE, {STATIC: member(STATIC, BRIEF) * 2})),
    ('DOUBLED_PATH', 'case', named('static/agents.MD')),
    ('DOUBLED_PATH', 'case-of-a-final-sigma', named('static/\u0391\u03a3', 'static/\u03b1\u03c3')),
    ('DOUBLED_PATH', 'compatibility-form', named('static/\ufb01.md', 'static/fi.md')),
    ('DOUBLED_PATH', 'file-and-folder', named('static/a', 'static/a/b')),
    ('DOUBLED_PATH', 'file-and-folder-in-another-case', named('static/A', 'static/a/b')),
    ('DOUBLED_PATH', 'folder-in-two-ways', named('static/A/x', 'static/a/y')),
    ('LINK', 'symbolic-link', SPECIAL(b'2', b'/etc/passwd')),
    ('LINK', 'hard-link', SPECIAL(b'1', STATIC.encode())),
    ('DEVICE', 'character-device', SPECIAL(b'3')),
    ('DEVICE', 'block-device', SPECIAL(b'4')),
    ('DEVICE', 'pipe', SPECIAL(b'6')),
    ('FOLDER', 'folder', tar(FINE, {'static/': header(b'static/', 0, b'5')})),
    ('ODD_HEADER', 'mode', odd(mode=b'0000755\0')),
    ('ODD_HEADER', 'owner', odd(uid=b'0001750\0')),
    ('ODD_HEADER', 'owner-name', odd(uname=b'root')),
    ('ODD_HEADER', 'time', odd(mtime=b'14712345670\0')),
    ('ODD_HEADER', 'gnu-magic', odd(magic=b'ustar  \0')),
    ('ODD_HEADER', 'link-name-of-a-file', odd(link=b'x')),
    ('ODD_HEADER', 'old-type', odd(kind=b'\0')),
    ('ODD_HEADER', 'contiguous-type', odd(kind=b'7')),
    ('ODD_HEADER', 'gnu-long-name', tar(FINE, {STATIC: header(b'././@LongLink', 17, b'L')
                                              + padded(STATIC.encode() + b'\0') + member(STATIC, BRIEF)})),
    ('ODD_HEADER', 'global-pax-header', tar(FINE, {'a': header(b'PaxHeader', 14, b'g') + padded(b'14 comment=hi\n')})),
    ('ODD_HEADER', 'wrong-checksum', odd(spoil=True)),
    ('ODD_HEADER', 'size-ends-in-a-space', odd(size_field=b'%011o ' % len(BRIEF))),
    ('ODD_HEADER', 'size-in-base-256', odd(size_field=b'\x80' + bytes(10) + bytes([len(BRIEF)]))),
    ('ODD_HEADER', 'needless-pax-header', tar(FINE, {STATIC: pax(record_of(STATIC), len(BRIEF)) + padded(BRIEF)})),
    ('ODD_HEADER', 'needless-prefix', tar(FINE, {STATIC: header(b'AGENTS.md', len(BRIEF), prefix=b'static') + padded(BRIEF)})),
    ('ODD_HEADER', 'cut-at-a-later-slash', tar(LATE_CUT, {CUT: header(b'f' * 40, 1, prefix=CUT[:-41].encode()) + padded(b'x')})),
    ('ODD_HEADER', 'two-pax-records', tar(UMLAUT, {'static/\u00fc.md': pax(TWO_RECORDS, 1) + padded(b'x')})),
    ('ODD_HEADER', 'wrong-length-in-pax', tar(UMLAUT, {'static/\u00fc.md': pax(b'99 path=static/\xc3\xbc.md\n', 1) + padded(b'x')})),
    ('ODD_HEADER', 'pax-not-utf-8', tar(UMLAUT, {'static/\u00fc.md': pax(b'20 path=static/\xfc.md\n', 1) + padded(b'x')})),
    ('ODD_HEADER', 'foreign-name-without-pax', tar(UMLAUT, {'static/\u00fc.md': header('static/\u00fc.md'.encode(), 1) + padded(b'x')})),
    ('ORDER', 'manifest-first', b''.join(member(path, FINE[path]) for path in
                                         ['manifest.json', 'config/tool-policy.json', STATIC]) + END),
    ('ORDER', 'by-code-points', b''.join(
        member(path, data) for path, data in sorted(with_manifest(LONG).items(), key=lambda f: f[0])) + END),
    ('CUT_SHORT', 'without-an-end', TRUNCATED[:-1024]),
    ('CUT_SHORT', 'half-an-end', TRUNCATED[:-512]),
    ('CUT_SHORT', 'in-a-content', TRUNCATED[:512 + 5]),
    ('CUT_SHORT', 'in-a-header', TRUNCATED[:1024 + 100]),
    ('TRAILING', 'behind-the-end', TRUNCATED + padded(b'hidden')),
    ('TRAILING', 'zeros-behind-the-end', TRUNCATED + bytes(9216)),
    ('TRAILING', 'file-behind-the-end', TRUNCATED + member('static/x', b'x') + END),
    ('TRAILING', 'in-the-padding', tar(FINE, {STATIC: heads(STATIC, len(BRIEF)) + padded(BRIEF, b'h')})),
    ('TRAILING', 'in-the-second-block-of-zeros', TRUNCATED[:-1] + b'h'),
    ('NOT_TAR', 'text', b'This is a text, and not an archive.\n' * 100),
    ('NO_MANIFEST', 'no-manifest', tar(SMALL)),
    ('NO_MANIFEST', 'nothing', END),
    ('BAD_MANIFEST', 'not-json', tar({**SMALL, 'manifest.json': b'harness'})),
    ('BAD_MANIFEST', 'not-canonical', tar({**SMALL, 'manifest.json': json.dumps(manifest_of(SMALL)).encode()})),
    ('BAD_MANIFEST', 'member-twice', tar({**SMALL, 'manifest.json': FINE['manifest.json'].replace(b'"id":"harness"', b'"id":"harness","id":"harness"')})),
    ('BAD_MANIFEST', 'added-member', manifest(member_set('author', 'x'))),
    ('BAD_MANIFEST', 'missing-member', manifest(lambda m: m.pop('outputs'))),
    ('BAD_MANIFEST', 'another-schema', manifest(member_set('schema', 'harness_pack.v2'))),
    ('BAD_MANIFEST', 'hash-in-capitals', manifest(lambda m: m.update(static_hash=m['static_hash'].upper()))),
    ('BAD_MANIFEST', 'static-file-among-the-others', manifest(lambda m: (
        m['file_hashes'].update(m['static_file_hashes']), m['static_file_hashes'].clear()))),
    ('BAD_MANIFEST', 'other-file-among-the-static', manifest(lambda m: (
        m['static_file_hashes'].update(m['file_hashes']), m['file_hashes'].clear()))),
    ('BAD_MANIFEST', 'outputs-not-a-list', manifest(member_set('outputs', 'src/**'))),
    ('BAD_MANIFEST', 'unknown-method', verification({'method': 'trust'})),
    ('BAD_MANIFEST', 'no-tests', verification(TESTS, tests=[])),
    ('BAD_MANIFEST', 'test-twice', verification(TESTS, tests=['adds', 'adds'])),
    ('BAD_MANIFEST', 'no-command', verification(TESTS, command=[])),
    ('BAD_MANIFEST', 'command-as-a-line', verification(TESTS, command='node --test')),
    ('BAD_MANIFEST', 'unknown-report', verification(TESTS, report='text')),
    ('BAD_MANIFEST', 'no-votes', verification(RUBRIC, votes=0)),
    ('BAD_MANIFEST', 'too-many-votes', verification(RUBRIC, votes=26)),
    ('BAD_MANIFEST', 'threshold-of-0', verification(RUBRIC, threshold=0)),
    ('BAD_MANIFEST', 'threshold-of-101', verification(RUBRIC, threshold=101)),
    ('BAD_MANIFEST', 'rubric-not-there', verification(RUBRIC, rubric='verification/other.md')),
    ('BAD_MANIFEST', 'tests-with-a-rubric', verification(TESTS, rubric='verification/rubric.md')),
    ('ADDED_FILE', 'added-static-file', tar({**with_manifest(SMALL), 'static/x.md': b'x'})),
    ('ADDED_FILE', 'added-test', tar({**with_manifest(SMALL), 'verification/x.js': b'x'})),
    ('MISSING_FILE', 'missing-static-file', manifest(lambda m: m['static_file_hashes'].update({'static/x.md': OTHER}))),
    ('MISSING_FILE', 'missing-test', manifest(lambda m: m['file_hashes'].update({'verification/x.js': OTHER}))),
    ('CHANGED_FILE', 'changed-static-file', manifest(lambda m: m['static_file_hashes'].update({STATIC: OTHER}))),
    ('CHANGED_FILE', 'changed-policy', manifest(lambda m: m['file_hashes'].update({'config/tool-policy.json': OTHER}))),
    ('WRONG_HASH', 'wrong-static-hash', manifest(member_set('static_hash', OTHER))),
    ('WRONG_HASH', 'wrong-config-hash', manifest(member_set('config_hash', OTHER))),
    ('WRONG_HASH', 'wrong-tool-policy-hash', manifest(member_set('tool_policy_hash', OTHER))),
    ('WRONG_HASH', 'wrong-pack-hash', manifest(member_set('pack_hash_b64u', 'A' * 43))),
    ('WRONG_HASH', 'pack-hash-with-padding', manifest(lambda m: m.update(pack_hash_b64u=m['pack_hash_b64u'][:-1] + '='))),
    ('WRONG_HASH', 'template-version-changed', manifest(member_set('template_version', '2'))),
    ('BAD_CONFIG', 'config-not-canonical', tar(with_manifest({**SMALL, 'config/x.json': b'{"b": 1}'}))),
    ('BAD_CONFIG', 'config-member-twice', tar(with_manifest({**SMALL, 'config/x.json': b'{"b":1,"b":1}'}))),
    ('BAD_CONFIG', 'tool-policy-is-a-text', tar(with_manifest({**SMALL, 'config/tool-policy.json': b'"nothing"'}))),
    ('BAD_CONFIG', 'tool-policy-not-sorted', tar(with_manifest({**SMALL, 'config/tool-policy.json': b'{"arguments":[],"deny":["b","a"]}'}))),
    ('BAD_CONFIG', 'tool-policy-rule-without-tool', tar(with_manifest({**SMALL, 'config/tool-policy.json': b'{"arguments":[{"matches":"x"}],"deny":[]}'}))),
    ('BAD_VARIABLES', 'a-value-among-the-variables', tar(with_manifest({**SMALL, 'env/variables.json': b'{"TOKEN":"a-plain-value"}'}))),
    ('BAD_VARIABLES', 'variables-as-a-list', tar(with_manifest({**SMALL, 'env/variables.json': b'["TOKEN"]'}))),
    ('NO_TOOL_POLICY', 'no-tool-policy', tar(with_manifest({STATIC: BRIEF}))),
]
WHOLE = tar(FINE)
NAMED_HEADER = bytes.fromhex('1f8b0808000000000003') + b'pack.tar\0'
FILES = [
    ('NOT_GZIP', 'empty', b''),
    ('NOT_GZIP', 'a-bare-tar', WHOLE),
    ('NOT_GZIP', 'gzip-with-a-name', gzip(WHOLE, head=NAMED_HEADER)),
    ('NOT_GZIP', 'gzip-with-a-time', gzip(WHOLE, head=bytes.fromhex('1f8b0800000000010003'))),
    ('NOT_GZIP', 'gzip-of-another-system', gzip(WHOLE, head=bytes.fromhex('1f8b08000000000000ff'))),
    ('NOT_GZIP', 'gzip-with-level-mark', gzip(WHOLE, head=bytes.fromhex('1f8b0800000000000203'))),
    ('NOT_GZIP', 'wrong-crc', gzip(WHOLE, crc=zlib.crc32(WHOLE) ^ 1)),
    ('NOT_GZIP', 'wrong-length', gzip(WHOLE, length=len(WHOLE) + 1)),
    ('NOT_GZIP', 'cut-in-the-stream', gzip(WHOLE)[:100]),
    ('NOT_GZIP', 'cut-in-the-trailer', gzip(WHOLE)[:-1]),
    ('NOT_GZIP', 'header-alone', GZIP_HEADER),
    ('TRAILING', 'byte-behind-gzip', gzip(WHOLE) + b'\0'),
    ('TRAILING', 'second-member', gzip(WHOLE) + gzip(b'')),
    ('TRAILING', 'second-member-with-a-file', gzip(WHOLE[:-1024]) + gzip(END)),
]
# Too large to be kept: the test builds them from these words.
MADE = [
    {'code': 'TOO_MANY_FILES', 'name': 'too-many-files', 'made': {'empty_files': 20001, 'named': 'static/00001 …'}},
    {'code': 'TOO_LARGE', 'name': 'too-large', 'made': {'path': 'static/zeros', 'zeros': 268435457}},
    {'code': 'BOMB', 'name': 'bomb', 'made': {'zeros': 536870913}},
]

# --- disclosures -----------------------------------------------------------------------------------------------------

def disclosures():
    every, small = ACCEPTED['every-folder-with-tests'][0], ACCEPTED['small'][0]
    for path in every:
        yield f'{path} of a pack with every folder', True, disclosure(every, path)
    for path in small:
        yield f'{path} of a small pack', True, disclosure(small, path)
    one = disclosure(every, STATIC)
    hashes = one['hashes']
    bad = {
        'another content': {'content_b64': base64.b64encode(b'Be long.\n').decode()},
        'another path': {'path': 'static/agents.md'},
        'the root of another pack': {'root': disclosure(small, STATIC)['root']},
        'another index': {'index': one['index'] + 1},
        'index behind the size': {'index': one['size']},
        'another size': {'size': one['size'] * 2},
        'size of 0': {'size': 0},
        'negative index': {'index': -1},
        'index with a fraction': {'index': one['index'] + 0.5},
        'a hash left out': {'hashes': hashes[1:]},
        'a hash more': {'hashes': [*hashes, OTHER]},
        'another hash': {'hashes': [OTHER, *hashes[1:]]},
        'hashes swapped': {'hashes': [hashes[1], hashes[0], *hashes[2:]]},
        'hash in capitals': {'hashes': [hashes[0].upper(), *hashes[1:]]},
        'hash cut short': {'hashes': [hashes[0][:-2], *hashes[1:]]},
        'hash that is a number': {'hashes': [1, *hashes[1:]]},
        'root in capitals': {'root': one['root'].upper()},
        'content without padding': {'content_b64': one['content_b64'].rstrip('=') + 'A'},
        'content in base64url': {'content_b64': '_-8='},
        'another schema': {'schema': 'pack_disclosure.v2'},
        'an added member': {'author': 'x'},
        'a path that is not Unicode': {'path': 'static/\ud800'},
    }
    for name, change in bad.items():
        yield name, False, {**one, **change}
    yield 'a member left out', False, {name: value for name, value in one.items() if name != 'size'}
    yield 'a proof for a pack of one file', False, {**one, 'index': 0, 'size': 1, 'hashes': []}


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    for folder in ('accepted', 'refused'):
        os.makedirs(os.path.join(OUT, folder))

    def write(name, data):
        with open(os.path.join(OUT, name), 'wb') as out:
            out.write(data)
        return name

    accepted, refused = [], []
    for name, (files, level) in ACCEPTED.items():
        said = json.loads(files['manifest.json'])
        accepted.append({
            'name': name, 'file': write(f'accepted/{name}.tar.gz', gzip(tar(files), level)),
            'root': merkle(leaves_of(files)).hex(),
            **{key: said[key] for key in ('pack_hash_b64u', 'static_hash', 'config_hash', 'tool_policy_hash')},
            'files': pairs(files),
        })
    for code, name, data in [(code, name, gzip(data)) for code, name, data in TARS] + FILES:
        refused.append({'code': code, 'name': name, 'file': write(f'refused/{name}.tar.gz', data)})
    index = {
        'about': 'spec/pack.md; written by scripts/pack-vectors.py. A refused pack has no other fault than that of its '
                 'code. Those with "made" are too large to be kept: an archive of so many empty files, one of a file of so many '
                 'zero bytes, and gzip of so many zero bytes.',
        'accepted': accepted, 'refused': refused + MADE,
        'disclosures': [{'name': name, 'valid': valid, 'disclosure': value} for name, valid, value in disclosures()],
    }
    names = [case['name'] for case in index['refused']]
    assert len(set(names)) == len(names)
    write('index.json', json.dumps(index, indent=1, ensure_ascii=True).encode() + b'\n')


main()
