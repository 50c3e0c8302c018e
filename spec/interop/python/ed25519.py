"""Ed25519 verification (RFC 8032) as strict as spec/checkpoint.md asks, in plain Python.

y is below p, no point of small order, S below the order of the group, no cofactor, and R is compared byte for byte.
"""
import hashlib

P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def add(a, b):
    """In extended coordinates (RFC 8032, section 5.1.4)."""
    k, l = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    m, n = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = l - k, n - m, n + m, l + k
    return e * f % P, g * h % P, f * g % P, e * h % P


def double(a):
    x, y = a[0] * a[0] % P, a[1] * a[1] % P
    h = x + y
    e = h - (a[0] + a[1]) ** 2
    g = x - y
    f = 2 * a[2] * a[2] + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def decode(data):
    """The point, or None where the bytes are no canonical encoding of one."""
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & (2 ** 255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def encode(a):
    inverse = pow(a[2], P - 2, P)
    x, y = a[0] * inverse % P, a[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, 'little')


def of_small_order(a):
    eight = double(double(double(a)))
    return eight[0] % P == 0 and (eight[1] - eight[2]) % P == 0


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))


def is_public_key(data):
    point = decode(data) if len(data) == 32 else None
    return point is not None and not of_small_order(point)


def verify(public_key, message, signature):
    if len(signature) != 64 or not is_public_key(public_key):
        return False
    s = int.from_bytes(signature[32:], 'little')
    if s >= L:
        return False
    x, y, z, t = decode(public_key)
    minus = (P - x, y, z, P - t)
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), 'little') % L
    both, point = add(BASE, minus), IDENTITY
    for bit in range(252, -1, -1):
        point = double(point)
        pick = (s >> bit & 1, k >> bit & 1)
        if pick != (0, 0):
            point = add(point, both if pick == (1, 1) else BASE if pick == (1, 0) else minus)
    return encode(point) == signature[:32] and not of_small_order(point)
