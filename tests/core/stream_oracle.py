# SPDX-License-Identifier: Apache-2.0
"""The random stream implemented again with plain Python integers and floats: the oracle for golden_stream.txt.

    stream_oracle.py golden_stream.txt           compares every line, exits 1 at a difference
    stream_oracle.py golden_stream.txt --write   writes the file, for a new stream_version

Value i of a distribution (0 <= i < 4096) has seed = (i // 1024) * 0x0123456789abcdef, purpose = 1 + i // 64 % 4,
row = (i // 64) * 0x9e3779b97f4a7c15 and column = i % 64, all modulo 2^64; chi has row = i * 0x9e3779b97f4a7c15 and the
degrees of CHI_DEGREES in turn, log_gamma the same rows and the shapes of GAMMA_SHAPES; cauchy and laplace are quantiles
of uniform. The file shows the first 64 values and the FNV-1a checksum of all 4096 bit patterns.
"""
import math
import struct
import sys

STREAM_VERSION = 1
MASK = (1 << 64) - 1
COUNT, SHOWN = 4096, 64
CHI_DEGREES = (1, 2, 3, 32, 33, 100, 1000)
GAMMA_SHAPES = (0.01, 0.5, 0.75, 1.0, 1.5, 2.5, 1000.25)

KNOWN_ANSWERS = (  # counter, key, words: philox4x64-10 in the known-answer file of Random123
    ((0, 0, 0, 0), (0, 0),
     (0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b)),
    ((MASK, MASK, MASK, MASK), (MASK, MASK),
     (0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0)),
    ((0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89),
     (0x452821e638d01377, 0xbe5466cf34e90c6c),
     (0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6)),
)

A = (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3)
B = (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3)
C = (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4)
D = (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9)
E = (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7)
F = (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15)


def philox4x64_10(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0 = 0xD2E7470EE14C6C93 * c0
        p1 = 0xCA5A826395121157 * c2
        c0, c1, c2, c3 = (p1 >> 64) ^ c1 ^ k0, p1 & MASK, (p0 >> 64) ^ c3 ^ k1, p0 & MASK
        k0 = (k0 + 0x9E3779B97F4A7C15) & MASK
        k1 = (k1 + 0xBB67AE8584CAA73B) & MASK
    return c0, c1, c2, c3


def unit_interval(word):
    return ((word >> 12) + 0.5) * 2.0**-52


def exact_log(x):
    m, k = math.frexp(x)  # exact: x = m 2^k, 1/2 <= m < 1
    if m < math.sqrt(0.5):
        m, k = 2.0 * m, k - 1
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    r = 2.0 / 23.0
    for odd in range(21, 1, -2):
        r = 2.0 / odd + z * r
    r = z * r
    half_square = 0.5 * f * f
    high, low = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
    return k * high - ((half_square - (s * (half_square + r) + k * low)) - f)


def horner(coefficients, r):
    value = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = value * r + c
    return value


def normal_quantile(u):
    q = u - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * horner(A, r) / horner(B, r)
    r = math.sqrt(-exact_log(min(u, 1.0 - u)))
    if r <= 5.0:
        upper = horner(C, r - 1.6) / horner(D, r - 1.6)
    else:
        upper = horner(E, r - 5.0) / horner(F, r - 5.0)
    return -upper if q < 0.0 else upper


def taylor_tail(signed_factorials, z):
    """sum z^i / factorial, highest power given first."""
    value = 0.0
    for sign, n in signed_factorials:
        value = sign / math.factorial(n) + z * value
    return value


def tan_pi(r):
    y = math.pi * r
    z = y * y
    sine = taylor_tail([(1.0 if n % 4 == 1 else -1.0, n) for n in range(17, 2, -2)], z)
    cosine = taylor_tail([(1.0 if n % 4 == 0 else -1.0, n) for n in range(18, 1, -2)], z)
    return (y + y * (z * sine)) / (1.0 + z * cosine)


def cauchy_quantile(u):
    q = u - 0.5
    side = min(u, 1.0 - u)
    return math.copysign(1.0 / tan_pi(side) if side < 0.25 else tan_pi(abs(q)), q)


def laplace_quantile(u):
    return exact_log(2.0 * u) if u < 0.5 else -exact_log(2.0 * (1.0 - u))


class Stream:
    rejections = 0

    def __init__(self, seed, purpose):
        self.key, self.purpose = (seed, STREAM_VERSION), purpose

    def bits(self, row, column):
        return philox4x64_10((row, column // 4, self.purpose, 0), self.key)[column % 4]

    def uniform(self, row, column):
        return unit_interval(self.bits(row, column))

    def normal(self, row, column):
        return normal_quantile(self.uniform(row, column))

    def exponential(self, row, column):
        return -exact_log(self.uniform(row, column))

    def rademacher(self, row, column):
        return 1.0 if self.bits(row, column) < 1 << 63 else -1.0

    def chi(self, row, degrees):
        if degrees <= 32:
            total = 0.0
            for column in range(degrees):
                x = self.normal(row, column)
                total += x * x
            return math.sqrt(total)
        return math.sqrt(2.0 * self.gamma(row, 0.5 * degrees)[0])

    def gamma(self, row, shape):
        """Gamma(shape) and a random word that the draw did not use."""
        d = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9.0 * d)
        attempt = 0
        while True:
            words = philox4x64_10((row, 0, self.purpose, attempt), self.key)
            x, u = normal_quantile(unit_interval(words[0])), unit_interval(words[1])
            base = 1.0 + c * x
            v = base * base * base
            if v > 0.0 and (u < 1.0 - 0.0331 * (x * x) * (x * x)
                            or exact_log(u) < 0.5 * (x * x) + d * (1.0 - v + exact_log(v))):
                return d * v, words[2]
            Stream.rejections += 1
            attempt += 1

    def log_gamma(self, row, shape):
        if shape >= 1.0:
            return exact_log(self.gamma(row, shape)[0])
        gamma, spare = self.gamma(row, shape + 1.0)
        return exact_log(gamma) + exact_log(unit_interval(spare)) / shape

    def cauchy(self, row, column):
        return cauchy_quantile(self.uniform(row, column))

    def laplace(self, row, column):
        return laplace_quantile(self.uniform(row, column))


def value(name, i):
    stream = Stream((i // 1024 * 0x0123456789ABCDEF) & MASK, 1 + i // 64 % 4)
    if name == "chi":
        return stream.chi((i * 0x9E3779B97F4A7C15) & MASK, CHI_DEGREES[i % len(CHI_DEGREES)])
    if name == "log_gamma":
        return stream.log_gamma((i * 0x9E3779B97F4A7C15) & MASK, GAMMA_SHAPES[i % len(GAMMA_SHAPES)])
    return getattr(stream, name)((i // 64 * 0x9E3779B97F4A7C15) & MASK, i % 64)


def pattern(x):
    return struct.pack("<Q", x) if isinstance(x, int) else struct.pack("<d", x)


def fnv1a(values):
    state = 0xCBF29CE484222325
    for x in values:
        for byte in pattern(x):
            state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def golden_lines():
    yield f"stream_version {STREAM_VERSION}"
    for name in ("bits", "uniform", "normal", "exponential", "rademacher", "chi", "cauchy", "laplace", "log_gamma"):
        values = [value(name, i) for i in range(COUNT)]
        for first in range(0, SHOWN, 4):
            shown = (f"{x:#018x}" if isinstance(x, int) else x.hex() for x in values[first:first + 4])
            yield f"{name} {' '.join(shown)}"
        yield f"checksum {name} {fnv1a(values):#018x}"


def main(path, *options):
    for counter, key, words in KNOWN_ANSWERS:
        if philox4x64_10(counter, key) != words:
            return f"philox4x64-10 of {counter}, {key} is not the known answer"
    lines = list(golden_lines())
    if Stream.rejections == 0:
        return "no gamma was rejected: attempts above 0 are not covered"
    if options == ("--write",):
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        return 0
    with open(path, encoding="ascii") as file:
        stored = file.read().splitlines()
    if len(stored) != len(lines):
        return f"{path} has {len(stored)} lines; expected {len(lines)}"
    for number, (expected, found) in enumerate(zip(lines, stored), 1):
        if expected != found:
            return f"{path}:{number}: found '{found}'; expected '{expected}'"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
