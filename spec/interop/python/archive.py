"""The archive of spec/pack.md: POSIX ustar with exactly one encoding, and gzip around it.

The reader takes what the headers say and then writes the same files again: bytes that differ from what a writer
would have written are refused. It raises Malformed with the code of spec/pack.md that comes first.
"""
import re
import struct
import unicodedata
import zlib

from encoding import Malformed, units

MOST_FILES = 20_000
MOST_BYTES = 268_435_456
MOST_UNPACKED = 536_870_912
GZIP_HEADER = bytes.fromhex('1f8b0800000000000003')
DEVICES = re.compile(r'(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(?:\..*)?', re.I)
DIRECTION = '\u061c\u200e\u200f' + ''.join(map(chr, [*range(0x202a, 0x202f), *range(0x2066, 0x206a)]))


def header(name, size, kind=b'0', prefix=b''):
    block = bytearray(512)
    fields = {0: name, 100: b'0000644\0', 108: b'0000000\0', 116: b'0000000\0', 124: b'%011o\0' % size,
              136: b'00000000000\0', 148: b' ' * 8, 156: kind, 257: b'ustar\x0000', 329: b'0000000\0',
              337: b'0000000\0', 345: prefix}
    for at, data in fields.items():
        block[at:at + len(data)] = data
    block[148:156] = b'%06o\0 ' % sum(block)
    return bytes(block)


def padding(size):
    return bytes(-size % 512)


def pax_record(path):
    body = b' path=' + path + b'\n'
    length = len(body) + 1
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def heads(path, size):
    """What stands before the content of a file of this path."""
    if all(0x20 <= byte <= 0x7e for byte in path):
        if len(path) <= 100:
            return header(path, size)
        for at, byte in enumerate(path):
            if byte == ord('/') and len(path) - at - 1 <= 100 and at <= 155:
                return header(path[at + 1:], size, prefix=path[:at])
    record = pax_record(path)
    return header(b'PaxHeader', len(record), b'x') + record + padding(len(record)) + header(b'file', size)


def field(block, at, length):
    return block[at:at + length].split(b'\0')[0]


def size_of(block):
    digits = block[124:136]
    if re.fullmatch(rb'[0-7]{11}\0', digits) is None:
        raise Malformed('ODD_HEADER')
    return int(digits[:11], 8)


def refuse_kind(kind):
    code = {b'1': 'LINK', b'2': 'LINK', b'3': 'DEVICE', b'4': 'DEVICE', b'6': 'DEVICE', b'5': 'FOLDER'}.get(kind)
    if code is not None:
        raise Malformed(code)


def bytes_at(data, at, length):
    if at + length > len(data):
        raise Malformed('CUT_SHORT')
    return data[at:at + length]


def next_file(data, at):
    """Path, content and end of the file whose headers begin here."""
    start, block = at, bytes_at(data, at, 512)
    if block[257:262] != b'ustar':
        raise Malformed('NOT_TAR')
    refuse_kind(block[156:157])
    at += 512
    if block[156:157] == b'x':
        length = size_of(block)
        if length > 2048:
            raise Malformed('ODD_HEADER')
        record = re.fullmatch(rb'[0-9]+ path=(.*)\n', bytes_at(data, at, length), re.DOTALL)
        if record is None:
            raise Malformed('ODD_HEADER')
        raw, at = record[1], at + length + len(padding(length))
        block = bytes_at(data, at, 512)
        refuse_kind(block[156:157])
        at += 512
    else:
        prefix = field(block, 345, 155)
        raw = (prefix + b'/' if prefix else b'') + field(block, 0, 100)
    size = size_of(block)
    if heads(raw, size) != data[start:at]:
        raise Malformed('ODD_HEADER')
    try:
        path = raw.decode('utf-8')
    except UnicodeDecodeError:
        raise Malformed('ODD_HEADER') from None
    content = bytes_at(data, at, size)
    at += size
    if bytes_at(data, at, len(padding(size))) != padding(size):
        raise Malformed('TRAILING')
    return path, content, at + len(padding(size))


def read_tar(data, most_files=MOST_FILES, most_bytes=MOST_BYTES):
    """From path to content, in order."""
    files, names, before, total, at = {}, Names(), None, 0, 0
    while True:
        if not any(bytes_at(data, at, 512)):
            break
        path, content, at = next_file(data, at)
        check_path(path)
        if path == before:
            raise Malformed('DOUBLED_PATH')
        if before is not None and units(path) < units(before):
            raise Malformed('ORDER')
        names.add(path)
        total += len(content)
        if total > most_bytes:
            raise Malformed('TOO_LARGE')
        files[path], before = content, path
        if len(files) > most_files:
            raise Malformed('TOO_MANY_FILES')
    if any(bytes_at(data, at, 1024)) or len(data) > at + 1024:
        raise Malformed('TRAILING')
    return files


def ungzip(data):
    if data[:10] != GZIP_HEADER:
        raise Malformed('NOT_GZIP')
    stream = zlib.decompressobj(-15)
    try:
        plain = stream.decompress(data[10:], MOST_UNPACKED + 1)
    except zlib.error:
        raise Malformed('NOT_GZIP') from None
    if len(plain) > MOST_UNPACKED:
        raise Malformed('BOMB')
    rest = stream.unused_data
    if not stream.eof or len(rest) < 8 or rest[:8] != struct.pack('<II', zlib.crc32(plain), len(plain) & 0xffffffff):
        raise Malformed('NOT_GZIP')
    if len(rest) > 8:
        raise Malformed('TRAILING')
    return plain


# --- paths -----------------------------------------------------------------------------------------------------------

def check_path(path):
    segments = path.split('/')
    if len(path.encode()) > 1024 or len(segments) > 32 or unicodedata.normalize('NFC', path) != path:
        raise Malformed('BAD_PATH')
    if any(unicodedata.category(sign) == 'Cc' or sign in '<>:"\\|?*' or sign in DIRECTION for sign in path):
        raise Malformed('BAD_PATH')
    for segment in segments:
        if segment in ('', '.', '..') or segment[-1] in '. ' or DEVICES.fullmatch(segment) is not None:
            raise Malformed('BAD_PATH')


def folded(text):
    nfkc = lambda value: unicodedata.normalize('NFKC', value)
    # Python's lower() puts a final sigma at the end of a word, which no mapping of single characters does.
    return ''.join(sign.lower() for sign in nfkc(nfkc(text).upper()))


class Names:
    """Paths that are the same when case and compatibility forms are ignored, and files that are folders."""

    def __init__(self):
        self.files, self.folders = set(), {}

    def add(self, path):
        parts, key = path.split('/'), folded(path)
        if key in self.files or key in self.folders:
            raise Malformed('DOUBLED_PATH')
        for count in range(1, len(parts)):
            folder = '/'.join(parts[:count])
            name = folded(folder)
            if name in self.files or self.folders.setdefault(name, folder) != folder:
                raise Malformed('DOUBLED_PATH')
        self.files.add(key)
