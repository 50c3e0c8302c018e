"""BLAKE3, plain and keyed, of 32 bytes: the hashes of a run's payloads and states (run.md).

Written from the BLAKE3 paper, sections 2.1 to 2.5. Slow, and plain to read.
"""
import struct

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
ROUNDS = 7
BLOCK = 64
CHUNK = 1024
CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED_HASH = 1, 2, 4, 8, 16
MASK = 0xFFFFFFFF
# Which words of the state each of the eight mixes of a round takes: the columns, then the diagonals.
MIXES = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
         (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def rotated(word, bits):
    return (word >> bits | word << (32 - bits)) & MASK


def mix(state, places, x, y):
    a, b, c, d = places
    for word, first, second in ((x, 16, 12), (y, 8, 7)):
        state[a] = (state[a] + state[b] + word) & MASK
        state[d] = rotated(state[d] ^ state[a], first)
        state[c] = (state[c] + state[d]) & MASK
        state[b] = rotated(state[b] ^ state[c], second)


def compress(chain, block, length, counter, flags):
    """The first eight words of the output: a chaining value, or the hash itself at the root."""
    words = struct.unpack('<16I', block.ljust(BLOCK, b'\0'))
    state = [*chain, *IV[:4], counter & MASK, counter >> 32, length, flags]
    for _ in range(ROUNDS):
        for at, places in enumerate(MIXES):
            mix(state, places, words[2 * at], words[2 * at + 1])
        words = [words[place] for place in PERMUTATION]
    return [state[i] ^ state[i + 8] for i in range(8)]


def last_of_chunk(data, counter, key, mode):
    """What is left to compress of a chunk once all its blocks but the last are: whether it is the root decides the flags."""
    chain, flags = key, mode | CHUNK_START
    blocks = [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)] or [b'']
    for block in blocks[:-1]:
        chain, flags = compress(chain, block, BLOCK, counter, flags), mode
    return chain, blocks[-1], len(blocks[-1]), counter, flags | CHUNK_END


def parent(left, right, key, mode):
    return key, struct.pack('<16I', *left, *right), BLOCK, 0, mode | PARENT


def blake3(data, key=None):
    """64 hex digits. `key` has 32 bytes."""
    words = IV if key is None else struct.unpack('<8I', key)
    mode = 0 if key is None else KEYED_HASH
    chunks = [data[at:at + CHUNK] for at in range(0, len(data), CHUNK)] or [b'']
    # Chaining values of whole subtrees, the largest first: after n chunks there is one for each bit that is set in n.
    stack = []
    for counter, chunk in enumerate(chunks[:-1]):
        value = compress(*last_of_chunk(chunk, counter, words, mode))
        done = counter + 1
        while done % 2 == 0:
            value = compress(*parent(stack.pop(), value, words, mode))
            done //= 2
        stack.append(value)
    last = last_of_chunk(chunks[-1], len(chunks) - 1, words, mode)
    while stack:
        last = parent(stack.pop(), compress(*last), words, mode)
    chain, block, length, counter, flags = last
    return struct.pack('<8I', *compress(chain, block, length, counter, flags | ROOT)).hex()
