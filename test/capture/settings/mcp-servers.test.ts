// Wrapping the servers of a client's configuration and back gives the same bytes, however the file is written.
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { unwrapServers, wrapServers } from '../../../src/capture/settings/mcp-servers.ts';
import { ParseError } from '../../../src/core/index.ts';

const OURS = ['/usr/bin/node', '/opt/foil.cjs', 'mcp', 'wrap'];
const words = (name: string): string[] => [...OURS, `--name=${name}`];
const wrap = (text: string): string => wrapServers(text, 'f', words).text;
const unwrap = (text: string): string => unwrapServers(text, 'f').text;

interface Entry {
  command?: string;
  args?: string[];
  url?: string;
}

describe('servers in a configuration', () => {
  it.each([
    [
      'Claude Code, pretty',
      '{\n  "mcpServers": {\n    "a": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "x"\n      ],\n      "env": {}\n    }\n  }\n}\n',
    ],
    ['compact', '{"mcpServers":{"a":{"command":"npx","args":["-y"]}}}'],
    ['no arguments', '{"mcpServers":{"a":{"command":"server"}}}'],
    ['no arguments, more members', '{"mcpServers":{"a":{ "command" : "server" , "env" : {"A":"1"} }}}'],
    ['empty arguments', '{"mcpServers":{"a":{"command":"server","args":[]}}}'],
    ['blank arguments', '{"mcpServers":{"a":{"command":"server","args":[ ]}}}'],
    ['arguments first', '{"mcpServers":{"a":{"args":["x"],"command":"server"}}}'],
    [
      'VS Code, with comments',
      '// mine\n{\n\t"servers": {\n\t\t"a": { // why\n\t\t\t"type": "stdio",\n\t\t\t"command": "node", /* c */\n\t\t\t"args": [ // first\n\t\t\t\t"a.js", // last\n\t\t\t],\n\t\t},\n\t},\n}\n',
    ],
    ['CRLF', '{\r\n  "mcpServers": {\r\n    "a": {\r\n      "command": "npx"\r\n    }\r\n  }\r\n}\r\n'],
    ['escapes', '{"mcpServers":{"a":{"command":"n\\u0070x","args":["\\u00e9"]}}}'],
    ['a byte order mark', '\ufeff{"mcpServers":{"a":{"command":"npx","args":["-y"]}}}'],
    [
      'projects',
      '{"projects":{"/w":{"mcpServers":{"a":{"command":"npx","args":["-y"]}}}},"mcpServers":{"b":{"command":"b"}}}',
    ],
  ])('are wrapped and come back byte for byte: %s', (_, text) => {
    const wrapped = wrap(text);
    expect(wrapped).not.toBe(text);
    const value = parse(wrapped, [], { allowTrailingComma: true }) as {
      mcpServers?: Record<string, Entry>;
      servers?: Record<string, Entry>;
    };
    for (const [name, { command, args = [] }] of Object.entries(value.mcpServers ?? value.servers ?? {}))
      expect([command, ...args].slice(0, 6)).toEqual([...OURS, `--name=${name}`, '--']);
    expect(wrap(wrapped)).toBe(wrapped);
    expect(unwrap(wrapped)).toBe(text);
    expect(unwrap(text)).toBe(text);
  });

  it('come back whatever they are and however they are written', () => {
    const server = fc.record(
      {
        command: fc.string(),
        args: fc.array(fc.string(), { maxLength: 3 }),
        url: fc.webUrl(),
        env: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const file = fc.record(
      {
        mcpServers: fc.dictionary(fc.string(), server),
        servers: fc.dictionary(fc.string(), server),
        other: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(file, fc.constantFrom(undefined, 1, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const wrapped = wrap(text);
        expect(unwrap(wrapped)).toBe(text);
        expect(wrap(wrapped)).toBe(wrapped);
        // What a server is started with is what it was, behind our words.
        const after = JSON.parse(wrapped) as typeof value;
        for (const [name, before] of Object.entries(value.mcpServers ?? {})) {
          if (before.command === undefined) continue;
          const { command, args = [] } = after.mcpServers?.[name] ?? {};
          expect([command, ...args]).toEqual([...words(name), '--', before.command, ...(before.args ?? [])]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are left alone where they are reached over HTTP, or are not understood', () => {
    const text = JSON.stringify({
      mcpServers: {
        h: { type: 'http', url: 'https://x' },
        n: {},
        c: { command: 1 },
        l: { command: 'a', args: 'b' },
      },
    });
    const { text: after, left, servers } = wrapServers(text, 'f', words);
    expect(after).toBe(text);
    expect(servers).toEqual([]);
    expect(left.map(({ name }) => name)).toEqual(['h', 'n', 'c', 'l']);
    const twice = '{"mcpServers":{"a":{"command":"a","command":"b"}}}';
    expect(wrapServers(twice, 'f', words)).toMatchObject({ text: twice, left: [{ name: 'a' }] });
  });

  it('keep arguments that were added after they were wrapped', () => {
    const wrapped = wrap('{"mcpServers":{"a":{"command":"server"}}}').replace(/\]/, ', "--more"]');
    expect(JSON.parse(unwrap(wrapped))).toEqual({
      mcpServers: { a: { command: 'server', args: ['--more'] } },
    });
  });

  it('nothing but a ParseError comes of what is no configuration', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          wrap(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});
