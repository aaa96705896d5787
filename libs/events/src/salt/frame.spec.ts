/** Rules of Salt's frames: they come cut anywhere, and one that is no event takes none of its neighbours with it. */
import { Float, type ValueMap } from '@natrium/model';
import { dataProblem } from '../event/data-problem.js';
import type { Heard } from '../event/event.js';
import { FrameReader, frameFor, frameOf } from './frame.js';
import { MsgpackError, readMsgpack, writeMsgpack } from './msgpack.js';

const DATA = {
  text: 'ä',
  float: new Float(1),
  list: [1, -1, 300, 70_000, 2 ** 40, -(2 ** 40), 1.5, true, null],
  big: 2n ** 63n,
};
const MAX = 1 << 20;

/** Python 2 writes the body as a text, since it knows no other bytes. */
function pythonTwoFrame(body: Buffer): Buffer {
  const start = writeMsgpack({ head: {}, body: '' }).subarray(0, -1);
  const length = Buffer.alloc(5);
  length[0] = 0xdb;
  length.writeUInt32BE(body.length, 1);
  return Buffer.concat([start, length, body]);
}

const refused: string[] = [];
const readerOf = (maxBytes = MAX) => new FrameReader(maxBytes, ({ message }) => refused.push(message));
const taken = (bytes: Buffer, reader = readerOf()) => [...reader.take(bytes)];

beforeEach(() => refused.splice(0));

it('what is written is read, whichever way it is cut', () => {
  const bytes = Buffer.concat([frameOf('a/b', DATA), frameOf('c', {}), frameOf('d', { long: 'x'.repeat(70_000) })]);
  for (const size of [1, 7, 64, 4096, bytes.length]) {
    const reader = readerOf();
    const read = [];
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.take(bytes.subarray(at, at + size)));
    expect(read.map(({ tag }) => tag)).toEqual(['a/b', 'c', 'd']);
    expect(read[0]?.data).toEqual(DATA);
  }
  expect(refused).toEqual([]);
});

it('a tag may hold anything but two line feeds; the data may', () => {
  expect(taken(frameOf('a', { text: 'x\n\ny' }))).toMatchObject([{ tag: 'a', data: { text: 'x\n\ny' } }]);
});

it('what Python 2 writes is read, whatever bytes its data has', () => {
  const data = writeMsgpack({ n: 200, long: 'é'.repeat(200) });
  const frame = pythonTwoFrame(Buffer.concat([Buffer.from('t\n\n'), data]));
  expect(taken(Buffer.concat([frame, frameOf('u', {})]))).toEqual([
    { tag: 't', data: { n: 200, long: 'é'.repeat(200) } },
    { tag: 'u', data: {} },
  ]);
});

it.each([
  ['a body without data', writeMsgpack({ head: {}, body: 'tag' }), 'it has no tag and data'],
  ['data that is a list', pythonTwoFrame(Buffer.from('t\n\n\x90', 'latin1')), 'its data is no map'],
  ['data that is cut off', pythonTwoFrame(Buffer.from('t\n\n\x81', 'latin1')), 'its data is no map'],
  ['data of too many levels', pythonTwoFrame(Buffer.from(`t\n\n${'\x91'.repeat(50)}`, 'latin1')), 'nested too deeply'],
  ['a frame that is too large', frameOf('t', { text: 'x'.repeat(2 * MAX) }), 'it is larger than 1048576 bytes'],
])('%s is refused by itself: what stands before and after it is read', (_, frame, reason) => {
  const bytes = Buffer.concat([frameOf('before', {}), frame, frameOf('after', {})]);
  for (const size of [5, 1000, bytes.length]) {
    const [reader, read] = [readerOf(), [] as string[]];
    for (let at = 0; at < bytes.length; at += size)
      read.push(...taken(bytes.subarray(at, at + size), reader).map(({ tag }) => tag));
    expect(read).toEqual(['before', 'after']);
    expect(refused.splice(0)).toEqual([expect.stringContaining(reason)]);
  }
});

it.each([
  ['a head that is none', Buffer.from([0xc1])],
  ['text', Buffer.from('GET / HTTP/1.1')],
  ['zeros', Buffer.alloc(100)],
  ['maps without a body', Buffer.alloc(100, 0x80)],
  ['a list', Buffer.from([0x91, 0xc4, 0x00])],
  ['levels without end', Buffer.alloc(1000, 0x91)],
])('%s ends the connection, after what stands before it', (_, bytes) => {
  const read: string[] = [];
  expect(() => {
    for (const { tag } of readerOf().take(Buffer.concat([frameOf('before', {}), bytes]))) read.push(tag);
  }).toThrow(MsgpackError);
  expect(read).toEqual(['before']);
});

it('a frame that is larger than it may be is refused before all of it has come, and not kept', () => {
  const reader = readerOf(1000);
  const frame = frameOf('t', { text: 'x'.repeat(5000) });
  expect(taken(frame.subarray(0, 2000), reader)).toEqual([]);
  expect(refused).toEqual([expect.stringContaining('larger than 1000')]);
  expect(taken(Buffer.concat([frame.subarray(2000), frameOf('after', {})]), reader)).toMatchObject([{ tag: 'after' }]);
});

describe('what a value cannot say (bytes, times, keys that are no texts)', () => {
  const heard = (data: ValueMap): Heard => {
    const origin = { kind: 'local', name: 'minion' } as const;
    return { tag: 't', data, stamp: '2026-01-02T03:04:05.000006', cursor: '', origin, id: 'i.1' };
  };
  const stamp = Buffer.concat([writeMsgpack('_stamp'), writeMsgpack('2026-01-02T03:04:05.000006')]);
  const bodyOf = (data: Buffer) => Buffer.concat([Buffer.from('t\n\n'), data]);
  const port = Buffer.from([80, 0xc0]); // 80: None

  it('goes to the listeners of Salt’s sockets as its script wrote it', () => {
    const body = bodyOf(Buffer.concat([Buffer.from([0x82]), stamp, port]));
    const [read] = taken(pythonTwoFrame(body));
    expect(read?.data).toEqual({ 80: null });
    const sent = frameFor(heard(read?.data ?? {}));
    expect(sent.subarray(-body.length)).toEqual(body);
  });

  it('is as everybody reads it when the script says no time, or more than its data', () => {
    const unstamped = bodyOf(Buffer.concat([Buffer.from([0x81]), port]));
    const longer = bodyOf(Buffer.concat([Buffer.from([0x82]), stamp, port, Buffer.from([0xc0])]));
    for (const body of [unstamped, longer]) {
      const [read] = taken(pythonTwoFrame(body));
      const sent = frameFor(heard(read?.data ?? {}));
      expect(sent).toEqual(frameOf('t', { 80: null, _stamp: '2026-01-02T03:04:05.000006' }));
    }
  });
});

it('bytes that are not UTF-8 become texts that can be stored', () => {
  const data = Buffer.from([0x82, 0xa1, 0xff, 0xa3, 0xed, 0xb3, 0xbf, 0xa1, 0x61, 0xc4, 0x01, 0xfe]);
  const [read] = taken(pythonTwoFrame(Buffer.concat([Buffer.from('t\n\n'), data])));
  expect(read?.data).toMatchObject({ '\ufffd': expect.stringMatching(/^\ufffd+$/) as string, a: '\ufffd' });
  expect(dataProblem(read?.data ?? {})).toBeUndefined();
});

it('bytes and other keys of Python become texts; a value that is cut off is awaited', () => {
  const bytes = Buffer.from([0x82, 0xc4, 0x01, 0x61, 0xc4, 0x01, 0x62, 0x07, 0xc0]);
  const read = { value: { a: 'b', 7: null }, end: bytes.length, isExact: false };
  expect(readMsgpack(bytes, 0, { bytes: false })).toEqual(read);
  expect(readMsgpack(bytes.subarray(0, 5), 0, { bytes: false })).toBe(6);
  expect(readMsgpack(writeMsgpack(DATA), 0, { bytes: false })).toMatchObject({ isExact: true });
});

it('keys of Python that are no texts become those of JSON', () => {
  const keys = [[0xc0], [0xc3], [0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], [0xff]];
  const bytes = Buffer.from([0x84, ...keys.flatMap((key) => [...key, 1])]);
  const read = { value: { null: 1, true: 1, '1.0': 1, '-1': 1 }, end: bytes.length, isExact: false };
  expect(readMsgpack(bytes, 0, { bytes: false })).toEqual(read);
});

it.each([
  [-1, 'ff'],
  [-32, 'e0'],
  [-33, 'd0df'],
  [-128, 'd080'],
  [-129, 'd1ff7f'],
  [-32_768, 'd18000'],
  [-32_769, 'd2ffff7fff'],
  [-2_147_483_648, 'd280000000'],
  [-2_147_483_649, 'd3ffffffff7fffffff'],
  [127, '7f'],
  [255, 'ccff'],
  [65_536, 'ce00010000'],
  [4_294_967_296, 'cf0000000100000000'],
])('%i is written in as few bytes as Python takes', (number, hex) => {
  expect(writeMsgpack(number).toString('hex')).toBe(hex);
});
