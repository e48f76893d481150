# SPDX-License-Identifier: Apache-2.0
"""Reads the PNG files that a browser writes: 8 bits, RGB or RGBA, not interlaced. Standard library only."""

import struct
import zlib


def chunks_of(data):
    """Name -> contents of the chunks, each proved by its checksum."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG file")
    chunks, at = {}, 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        content = data[at + 8 : at + 8 + size]
        if struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] != zlib.crc32(kind + content):
            raise ValueError(f"chunk {kind} has a wrong checksum")
        chunks[kind] = chunks.get(kind, b"") + content
        at += 12 + size
    return chunks


class PngImage:
    def __init__(self, data):
        chunks = chunks_of(data)
        self.width, self.height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        if depth != 8 or colour not in (2, 6) or interlaced:
            raise ValueError("expected 8-bit RGB or RGBA without interlace")
        self.channels = 3 if colour == 2 else 4
        self.rows = self._unfilter(zlib.decompress(chunks[b"IDAT"]))

    def _unfilter(self, raw):
        step, length = self.channels, self.width * self.channels
        rows, above = [], bytearray(length)
        for i in range(self.height):
            start = i * (length + 1)
            kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + length])
            if kind == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, above))
            elif kind:
                for j in range(length):
                    left = row[j - step] if j >= step else 0
                    corner = above[j - step] if j >= step else 0
                    row[j] = (row[j] + self._predict(kind, left, above[j], corner)) & 255
            rows.append(row)
            above = row
        return rows

    @staticmethod
    def _predict(kind, left, up, corner):
        if kind == 1:
            return left
        if kind == 3:
            return (left + up) // 2
        estimate = left + up - corner
        return min((left, up, corner), key=lambda value: abs(estimate - value))

    def colours(self, left, top, right, bottom):
        """How often each colour occurs in a rectangle, cut to the image."""
        counts = {}
        for row in self.rows[max(0, int(top)) : min(self.height, int(bottom))]:
            for x in range(max(0, int(left)), min(self.width, int(right))):
                pixel = bytes(row[x * self.channels : x * self.channels + 3])
                counts[pixel] = counts.get(pixel, 0) + 1
        return counts
