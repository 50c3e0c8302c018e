// What is kept for a replay, there and back; what is not of its form comes out as a ParseError and nothing else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  encodeKeptAnswer,
  encodeKeptCommand,
  encodeKeptTree,
  encodeReplayAnswer,
  encodeReplayPolicy,
  encodeReplayStart,
  type KeptFile,
  parseKeptAnswer,
  parseKeptCommand,
  parseKeptTree,
  parseReplayAnswer,
  parseReplayPolicy,
  parseReplayStart,
} from '../../src/format/index.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const file = (path: string, text = ''): KeptFile => ({ path, type: 'file', modified: 1, bytes: bytes(text) });
const HASH = 'a'.repeat(64);
const REF = { algorithm: 'keyed-sha256', hash: HASH, bytes: 3 } as const;

describe('documents that are kept', () => {
  it('come back as they were', () => {
    const command = { argv: ['claude', '-p', 'é\n'], agent: 'claude-code', cwd: '/w' };
    expect(parseKeptCommand(encodeKeptCommand(command))).toEqual(command);
    const files = [
      file('a', 'one\n{"two":'),
      { ...file('d/b', '../a'), type: 'link' as const },
      { ...file('d/run', '#!'), type: 'program' as const },
    ];
    expect(parseKeptTree(encodeKeptTree(files))).toEqual(files);
    const answer = {
      ...{ status: 200, headers: ['content-type', 'text/plain'] },
      chunks: [bytes('da'), bytes(''), bytes('ta')],
      parts: [['model', HASH] as const],
    };
    expect(parseKeptAnswer(encodeKeptAnswer(answer))).toEqual(answer);
  });

  it.each(['../a', '/a', 'a/../b', 'a//b', './a', '', 'a\0b'])('a tree has no file at %j', (path) => {
    expect(() => parseKeptTree(encodeKeptTree([file(path)]))).toThrow(ParseError);
  });

  it.each([[['a', 'a']], [['a', 'a/b']], [['a/b', 'a']]])('a tree does not have %j', (paths) => {
    expect(() => parseKeptTree(encodeKeptTree(paths.map((path) => file(path))))).toThrow(ParseError);
  });

  it('are refused where a byte is missing or too many, or a member is another', () => {
    const whole = encodeKeptTree([file('a', 'text')]);
    expect(() => parseKeptTree(whole.subarray(0, -1))).toThrow(ParseError);
    expect(() => parseKeptTree(Buffer.concat([whole, bytes('x')]))).toThrow(ParseError);
    const heads = [
      '{"v":2,"files":[]}\n',
      '{"v":1,"files":[],"x":1}\n',
      '{"v":1}\n',
      '[]\n',
      '',
      '{"v":1,"files":[]}',
    ];
    for (const head of heads) expect(() => parseKeptTree(bytes(head))).toThrow(ParseError);
    expect(() => parseKeptCommand(bytes('{"v":1,"argv":[],"agent":null,"cwd":"/"}\n'))).toThrow(ParseError);
    const odd = '{"v":1,"status":200,"headers":["a"],"chunks":[],"parts":[]}\n';
    expect(() => parseKeptAnswer(bytes(odd))).toThrow(ParseError);
  });

  it('are nothing but a ParseError where they are anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => bytes(`${text}\n`)),
        ),
        (given) => {
          for (const parse of [parseKeptTree, parseKeptCommand, parseKeptAnswer])
            try {
              parse(given);
            } catch (error) {
              if (!(error instanceof ParseError)) throw error;
            }
        },
      ),
    );
  });
});

describe('entries of a replay', () => {
  const start = {
    ...{
      command: REF,
      tree: REF,
      files: 2,
      bytes: 9,
      root: '/w',
      home: null,
      temporary: '/tmp',
      terminal: false,
    },
  };
  const answer = { requestHash: HASH, kept: REF, problem: null };
  const signature = Buffer.alloc(64).toString('base64');
  const policy = (by: string) => ({ replay: 'keep', accepted_by: by, signature });

  it('come back as they were', () => {
    expect(parseReplayStart(encodeReplayStart(start))).toEqual(start);
    expect(parseReplayAnswer(encodeReplayAnswer(answer))).toEqual(answer);
    const lost = { requestHash: HASH, kept: null, problem: 'too-large' } as const;
    expect(parseReplayAnswer(encodeReplayAnswer(lost))).toEqual(lost);
  });

  it('have exactly their members', () => {
    const cases: [(payload: JsonObject) => unknown, JsonObject][] = [
      [parseReplayStart, encodeReplayStart(start)],
      [parseReplayAnswer, encodeReplayAnswer(answer)],
    ];
    for (const [parse, payload] of cases) {
      expect(() => parse({ ...payload, x: 1 })).toThrow(ParseError);
      for (const name of Object.keys(payload)) {
        const { [name]: _, ...rest } = payload;
        expect(() => parse(rest), name).toThrow(ParseError);
        expect(() => parse({ ...payload, [name]: { $content: 1 } }), name).toThrow(ParseError);
      }
    }
    expect(() => parseReplayPolicy(policy('nobody'))).toThrow(ParseError);
    expect(() => parseReplayPolicy({ ...policy('nobody'), replay: 'all' })).toThrow(ParseError);
    expect(encodeReplayPolicy({ replay: 'none', accepted: { by: 'k', signature } })).toEqual({
      ...{ replay: 'none', accepted_by: 'k', signature },
    });
  });
});
