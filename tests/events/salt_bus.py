"""Salt's event sockets by hand, with nothing but the standard library: what an independent script writes and reads.

salt_bus.py listen PUB COUNT    prints COUNT events as lines of JSON
salt_bus.py fire PULL TAG JSON  fires one event
"""
import json
import socket
import struct
import sys


def pack(value):
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return bytes([value]) if 0 <= value < 128 else b"\xd3" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return b"\xc6" + struct.pack(">I", len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return b"\xdb" + struct.pack(">I", len(text)) + text
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    parts = b"".join(pack(key) + pack(item) for key, item in value.items())
    return b"\xdf" + struct.pack(">I", len(value)) + parts


class Reader:
    def __init__(self, read):
        self.read = read

    def number(self, form):
        return struct.unpack(form, self.read(struct.calcsize(form)))[0]

    def text(self, size):
        return self.read(size).decode()

    def map(self, size):
        return {self.value(): self.value() for _ in range(size)}

    def value(self):
        head = self.read(1)[0]
        if head < 0x80:
            return head
        if head < 0x90:
            return self.map(head & 15)
        if head < 0xA0:
            return [self.value() for _ in range(head & 15)]
        if head < 0xC0:
            return self.text(head & 31)
        if head >= 0xE0:
            return head - 256
        simple = {0xC0: None, 0xC2: False, 0xC3: True}
        if head in simple:
            return simple[head]
        numbers = {0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
        if head in numbers:
            return self.number(numbers[head])
        sizes = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}
        size = self.number(sizes[head])
        if head <= 0xC6:
            return self.read(size)
        if head <= 0xDB:
            return self.text(size)
        return [self.value() for _ in range(size)] if head <= 0xDD else self.map(size)


def connected(path):
    bus = socket.socket(socket.AF_UNIX)
    bus.connect(path)
    return bus


def listen(path, count):
    stream = connected(path).makefile("rb")
    print("listening", flush=True)
    frames = Reader(stream.read)
    for _ in range(count):
        frame = frames.value()
        assert frame["head"] == {}, frame
        tag, _, data = frame["body"].partition(b"\n\n")
        whole = memoryview(data)
        at = 0

        def read(size):
            nonlocal at
            part = bytes(whole[at : at + size])
            at += size
            return part

        print(json.dumps({"tag": tag.decode(), "data": Reader(read).value()}), flush=True)


def fire(path, tag, data):
    body = tag.encode() + b"\n\n" + pack(data)
    connected(path).sendall(pack({"head": {}, "body": body}))


if sys.argv[1] == "listen":
    listen(sys.argv[2], int(sys.argv[3]))
else:
    fire(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
