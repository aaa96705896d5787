import { decode, encode, type Wire } from './encoding.js';
import { aRequest, CLUSTER, identityOf } from './parties.spec-support.js';
import { MAX_LIFETIME } from '@natrium/model';
import { encodeRequest, readRequest, type Request, requestDigest, signRequest } from './request.js';
import { verify } from './signing.js';
import { blake2b, sodiumReady } from './sodium.js';

await sodiumReady();

const request = aRequest();

const many = (count: number, text: string): readonly string[] => Array.from({ length: count }, () => text);
const lists = (count: number): readonly (readonly Wire[])[] => Array.from({ length: count }, () => []);

describe('a request', () => {
  it('is read as it was written', () => {
    expect(readRequest(encodeRequest(request))).toEqual({ ok: true, value: request });
  });

  it('is named by the digest of its bytes, and signed over them verbatim', () => {
    const object = signRequest(identityOf('web1').signing, CLUSTER(), request);
    expect(object.bytes).toEqual(encodeRequest(request));
    expect(requestDigest(object.bytes)).toEqual(blake2b(32, null, object.bytes));
    expect(verify('request', CLUSTER(), identityOf('web1').publicKey, object.bytes, object.signature)).toBe(true);
  });

  it.each<[string, Partial<Request>]>([
    ['64 functions', { funs: many(64, 'f'), args: lists(64) }],
    ['a function of 256 characters', { funs: ['f'.repeat(256)], args: [[]] }],
    ['256 arguments', { funs: ['f'], args: [many(256, 'a')] }],
    ['a target of 65,536 characters', { tgt: 't'.repeat(65_536) }],
    ['10,000 ids', { tgt: many(10_000, 'id'), tgtType: 'list' }],
    ['an id of 255 characters', { tgt: ['i'.repeat(255)] }],
    ['a type of target and a returner of 256 characters', { tgtType: 'w'.repeat(256), returner: 'w'.repeat(256) }],
    ['a timeout of 86,400 seconds', { timeout: 86_400 }],
    ['a life of 24 hours', { lifetime: MAX_LIFETIME }],
    ['no function, where none is asked for', { what: 'token', funs: [], args: [] }],
  ])('may have %s', (_name, change) => {
    expect(readRequest(encodeRequest({ ...request, ...change })).ok).toBe(true);
  });

  it.each<[string, Partial<Request>]>([
    ['65 functions', { funs: many(65, 'f'), args: lists(65) }],
    ['a function of 257 characters', { funs: ['f'.repeat(257)], args: [[]] }],
    ['an empty function', { funs: [''], args: [[]] }],
    ['no function in a job', { funs: [], args: [] }],
    ['257 arguments', { funs: ['f'], args: [many(257, 'a')] }],
    ['a list of arguments too few', { args: [[]] }],
    ['a target of 65,537 characters', { tgt: 't'.repeat(65_537) }],
    ['10,001 ids', { tgt: many(10_001, 'id') }],
    ['an id of 256 characters', { tgt: ['i'.repeat(256)] }],
    ['a type of target of 257 characters', { tgtType: 'w'.repeat(257) }],
    ['a returner of 257 characters', { returner: 'w'.repeat(257) }],
    ['a timeout of 86,401 seconds', { timeout: 86_401 }],
    ['a life beyond 24 hours', { lifetime: MAX_LIFETIME + 1 }],
    ['no life', { lifetime: 0 }],
    ['half a second of timeout', { timeout: 0.5 }],
    ['a short id', { id: new Uint8Array(15) }],
  ])('with %s is neither written nor read', (_name, change) => {
    const wrong = { ...request, ...change };
    expect(() => encodeRequest(wrong)).toThrow(RangeError);
    expect(readRequest(encode(Object.values(wrong)))).toEqual({ ok: false, error: 'shape' });
  });

  it('has exactly twelve parts, of the right kinds', () => {
    const parts: readonly Wire[] = Object.values(request);
    expect(decode(encodeRequest(request))).toEqual(parts);
    expect(readRequest(encode([...parts, null])).ok).toBe(false);
    expect(readRequest(encode(parts.slice(0, -1))).ok).toBe(false);
    expect(readRequest(encode(parts.with(1, 'destroy'))).ok).toBe(false);
    expect(readRequest(encode(parts.with(9, []))).ok).toBe(false);
    expect(readRequest(Uint8Array.of(0xc1)).ok).toBe(false);
  });
});
