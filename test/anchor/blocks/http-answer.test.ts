// Answers in every form of HTTP/1.1 that a server may choose, come in pieces of every size; and those that are none.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ANSWER, readAnswer } from '../../../src/anchor/blocks/http-answer.ts';
import { SourceError } from '../../../src/anchor/blocks/source.ts';

const WHOLE: readonly [string, string, boolean][] = [
  ['HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n900002', '900002', true],
  ['HTTP/1.1 200 OK\r\ncontent-length:6\r\nConnection: Close\r\n\r\n900002', '900002', false],
  ['HTTP/1.0 200 OK\r\ncontent-length: 6\r\n\r\n900002', '900002', false],
  ['HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', '', true],
  [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\n900\r\n3;x=y\r\n002\r\n0\r\n\r\n',
    '900002',
    true,
  ],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n06\r\n900002\r\n0\r\nx: y\r\n\r\n', '900002', true],
  ['HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n9', '9', true],
];

describe('an answer', () => {
  it.each(WHOLE)('is read when it is whole, and not before: %j', (text, body, isKept) => {
    const bytes = Buffer.from(text, 'latin1');
    const first = bytes.findIndex((_, i) => readAnswer(bytes.subarray(0, i), false) !== undefined);
    // The trailer of chunks is nothing that anybody need wait for.
    expect(first === -1 || text.includes('chunked')).toBe(true);
    expect(readAnswer(bytes, false)).toEqual({ status: 200, body, isKept });
  });

  it.each(WHOLE)('that is cut short is never a whole one: %j', (text, body) => {
    const bytes = Buffer.from(text, 'latin1');
    for (let i = 0; i < bytes.length; i++) {
      try {
        expect(readAnswer(bytes.subarray(0, i), true)?.body).toBe(body);
      } catch (error) {
        expect(error).toBeInstanceOf(SourceError);
      }
    }
  });

  it('may go on to the end of the connection', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\n\r\n900002');
    expect(readAnswer(bytes, false)).toBeUndefined();
    expect(readAnswer(bytes, true)).toEqual({ status: 200, body: '900002', isKept: false });
  });

  it.each([301, 404, 500, 101])('of %i is told by its head alone', (status) => {
    const bytes = Buffer.from(`HTTP/1.1 ${status} X\r\ncontent-length: 999999\r\n\r\n`);
    expect(readAnswer(bytes, false)).toEqual({ status, body: '', isKept: false });
  });

  it.each([
    ['another protocol', 'SSH-2.0', 'UNREACHABLE'],
    ['a newer one', 'HTTP/2 200\r\n\r\n', 'UNREACHABLE'],
    ['no status', 'HTTP/1.1 ok\r\n\r\n', 'UNREACHABLE'],
    ['a long head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(9000)}`, 'TOO_LONG'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'MALFORMED'],
    ['two lengths in one', 'HTTP/1.1 200 OK\r\ncontent-length: 6, 6\r\n\r\n', 'MALFORMED'],
    ['a great length', `HTTP/1.1 200 OK\r\ncontent-length: ${MAX_ANSWER + 1}\r\n\r\n`, 'TOO_LONG'],
    ['a great chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n', 'TOO_LONG'],
    ['a chunk without length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n', 'MALFORMED'],
    [
      'a chunk of another length',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc',
      'MALFORMED',
    ],
    ['a coding we do not know', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n', 'UNREACHABLE'],
    ['a body without end', `HTTP/1.1 200 OK\r\n\r\n${'9'.repeat(MAX_ANSWER + 1)}`, 'TOO_LONG'],
  ])('is refused: %s', (_, text, code) => {
    expect(() => readAnswer(Buffer.from(text), false)).toThrow(expect.objectContaining({ code }));
  });

  it('of any bytes is read, waited for or refused', () => {
    const pieces = fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 100 Go on\r\n\r\n',
      'content-length: 3\r\n',
      'transfer-encoding: chunked\r\n',
      '\r\n',
      '3\r\nabc\r\n',
      '0\r\n\r\n',
      ':',
      '\0\xff',
      'f'.repeat(500),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.boolean(), (list, isEnded) => {
        try {
          const answer = readAnswer(Buffer.from(list.join(''), 'latin1'), isEnded);
          return answer === undefined ? !isEnded : answer.body.length <= MAX_ANSWER;
        } catch (error) {
          return error instanceof SourceError;
        }
      }),
    );
  });
});
