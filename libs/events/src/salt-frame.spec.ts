/** Rules of Salt's frames: they come cut anywhere, and hostile ones end the connection and nothing else. */
import { Float } from '@natrium/model';
import { dataProblem } from './data-problem.js';
import { MsgpackError, readMsgpack, writeMsgpack } from './msgpack.js';
import { FrameReader, frameOf } from './salt-frame.js';

const DATA = {
  text: 'ä',
  float: new Float(1),
  list: [1, -1, 300, 70_000, 2 ** 40, -(2 ** 40), 1.5, true, null],
  big: 2n ** 63n,
};
const MAX = 1 << 20;

it('what is written is read, whichever way it is cut', () => {
  const bytes = Buffer.concat([frameOf('a/b', DATA), frameOf('c', {}), frameOf('d', { long: 'x'.repeat(70_000) })]);
  for (const size of [1, 7, 64, 4096, bytes.length]) {
    const reader = new FrameReader(MAX);
    const read = [];
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.take(bytes.subarray(at, at + size)));
    expect(read.map(({ tag }) => tag)).toEqual(['a/b', 'c', 'd']);
    expect(read[0]?.data).toEqual(DATA);
  }
});

it('a tag may hold anything but two line feeds; the data may', () => {
  const [read] = new FrameReader(MAX).take(frameOf('a', { text: 'x\n\ny' }));
  expect(read).toMatchObject({ tag: 'a', data: { text: 'x\n\ny' } });
});

it.each([
  ['no map', Buffer.from([0x01])],
  ['a head that is none', Buffer.from([0xc1])],
  ['a body without data', writeMsgpack({ head: {}, body: 'tag' })],
  ['data that is a list', writeMsgpack({ head: {}, body: 'tag\n\n\x90' })],
  ['levels without end', Buffer.alloc(1000, 0x91)],
])('%s is refused', (_, bytes) => {
  expect(() => new FrameReader(MAX).take(bytes)).toThrow(MsgpackError);
});

it('a frame that is larger than it may be is refused before all of it has come', () => {
  const reader = new FrameReader(1000);
  expect(() => reader.take(frameOf('t', { text: 'x'.repeat(5000) }).subarray(0, 2000))).toThrow(/larger than 1000/);
});

it('bytes that are not UTF-8 become texts that can be stored', () => {
  const data = Buffer.from([0x82, 0xa1, 0xff, 0xa3, 0xed, 0xb3, 0xbf, 0xa1, 0x61, 0xc4, 0x01, 0xfe]);
  const body = Buffer.concat([Buffer.from('t\n\n'), data]);
  const head = writeMsgpack({ head: {}, body: '' }).subarray(0, -1);
  const [read] = new FrameReader(MAX).take(Buffer.concat([head, Buffer.from([0xc4, body.length]), body]));
  expect(read?.data).toMatchObject({ '\ufffd': expect.stringMatching(/^\ufffd+$/) as string, a: '\ufffd' });
  expect(dataProblem(read?.data ?? {})).toBeUndefined();
});

it('bytes and other keys of Python become texts; a value that is cut off is awaited', () => {
  const bytes = Buffer.from([0x82, 0xc4, 0x01, 0x61, 0xc4, 0x01, 0x62, 0x07, 0xc0]);
  expect(readMsgpack(bytes, 0, { bytes: false })).toEqual([{ a: 'b', 7: null }, bytes.length]);
  expect(readMsgpack(bytes.subarray(0, 5), 0, { bytes: false })).toBe(6);
});
