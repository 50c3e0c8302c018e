// `foil mcp install` as a command: what it changes, that a client can start what it wrote, and that all goes back.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../e2e/mcp-script.ts';
import { Sandbox } from './foil.ts';

const EVERYTHING = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

function newSandbox(): Sandbox {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  return sandbox;
}

function put(path: string, value: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  const text = `// kept\n${JSON.stringify(value, null, 2)}\n`;
  writeFileSync(path, text);
  return text;
}

describe('foil mcp install', () => {
  it('wraps the servers of every client that is there, and uninstall puts the files back as they were', () => {
    const box = newSandbox();
    const server = { command: 'npx', args: ['-y', 'x'] };
    const files = [
      box.path('.mcp.json'),
      box.path('.cursor/mcp.json'),
      box.path('.vscode/mcp.json'),
      join(box.root, '.claude.json'),
      join(box.root, 'config/Claude/claude_desktop_config.json'),
    ];
    const before = files.map((path) =>
      put(
        path,
        path.includes('vscode') ? { servers: { s: server } } : { mcpServers: { s: server, h: { url: 'u' } } },
      ),
    );
    chmodSync(files[0] ?? '', 0o640);
    const plan = box.json(['mcp', 'install', '--dry-run']) as {
      files: { path: string; servers: string[] }[];
    };
    expect(plan.files.map(({ path }) => path).sort()).toEqual([...files].sort());
    expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(before);
    expect(box.ok(['mcp', 'install'])).toMatch(/s wrapped/);
    for (const path of files) expect(readFileSync(path, 'utf8')).toContain('"mcp", "wrap"');
    // Claude Desktop starts its servers from nowhere in particular.
    expect(readFileSync(files[4] ?? '', 'utf8')).toContain('"--ledger"');
    expect(readFileSync(files[0] ?? '', 'utf8')).not.toContain('"--ledger"');
    expect(statSync(files[0] ?? '').mode & 0o777).toBe(0o640);
    expect(box.ok(['mcp', 'install'])).toMatch(/wrapped already/);
    box.ok(['mcp', 'uninstall']);
    expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(before);
  });

  it('writes what a client can start, and what it does is on record', async () => {
    const box = newSandbox();
    const path = box.path('.mcp.json');
    put(path, { mcpServers: { all: { command: process.execPath, args: [EVERYTHING] } } });
    box.ok(['mcp', 'install', path]);
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8').replace(/^.*\n/, '')) as {
      mcpServers: { all: { command: string; args: string[] } };
    };
    const { command, args } = mcpServers.all;
    const env = Object.fromEntries(Object.entries(box.env).map(([name, value]) => [name, String(value)]));
    const client = await connect('v2', { words: [command, ...args], cwd: box.work, env });
    await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    await client.close();
    expect(box.ok(['log'])).toMatch(/tool\.result .*echo {2}ok/);
  });

  it('names foil alone with --portable, for what a team commits', () => {
    const box = newSandbox();
    put(box.path('.mcp.json'), { mcpServers: { a: { command: 'x' } } });
    box.ok(['mcp', 'install', 'claude-code', '--portable']);
    expect(box.read('.mcp.json')).toContain('"command": "foil"');
    expect(box.read('.mcp.json')).not.toContain(process.execPath);
  });

  it('leaves a file alone that is no JSON, says so, and does the others', () => {
    const box = newSandbox();
    writeFileSync(box.path('.mcp.json'), '{');
    put(box.path('.cursor/mcp.json'), { mcpServers: { a: { command: 'x' } } });
    const { code, stdout } = box.run(['mcp', 'install']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/a wrapped[\s\S]*not changed: .*\.mcp\.json:1:2/);
    expect(box.read('.mcp.json')).toBe('{');
    expect(box.run(['mcp', 'install', 'nobody']).code).toBe(2);
    expect(box.run(['mcp', 'install', './none.json']).code).toBe(3);
    expect(box.run(['mcp', 'frob']).code).toBe(2);
  });
});
