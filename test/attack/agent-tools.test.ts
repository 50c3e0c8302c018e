// Tools of MCP servers and hosts that no table knows: one that is not called a reader and is given a file of ours is
// refused, whatever the member is called; so is a command in a tool whose name does not say that it runs any.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { guardedProject } from './guarded-project.ts';

const FILE = '.claude/settings.json';

async function judge() {
  const { project, agent, tell } = await guardedProject();
  const denied = async (tool: string, args: JsonObject): Promise<boolean> =>
    (await tell(agent.call('t', args, tool))).stdout.includes('"deny"');
  return { project, denied };
}

describe('a tool that no table knows', () => {
  it('is refused a file of ours, whatever its member is called', async () => {
    const { project, denied } = await judge();
    const calls: readonly (readonly [string, JsonObject])[] = [
      ['mcp__fs__op', { kind: 'w', dest: FILE }],
      ['mcp__fs__sync', { from: 'a', to: [FILE] }],
      ['mcp__fs__transfer', { jobs: [{ out: join(project.work, FILE) }] }],
      ['mcp__x__apply', { target: join(project.directory, 'settings') }],
      ['mcp__y__do', { command: 'rm -rf .claude' }],
      ['mcp__y__task', { cmd: ['gzip', FILE] }],
      ['mcp__fs__move_file', { source: '.claude', destination: '.c2' }],
      ['mcp__fs__move_file', { destination: '.c2', source: '.claude' }],
      ['mcp__fs__rename', { old_path: join(project.work, '.claude'), new_path: 'x' }],
      ['mcp__fs__rename', { path: '.claude', index: 1 }],
      ['mcp__fs__delete_directory', { path: '.claude', recursive: true }],
      ['mcp__fs__remove', { paths: ['src', '.claude/'] }],
      ['mcp__sh__run', { program: 'foil', args: ['pause'] }],
      ['mcp__sh__launch', { program: 'foil', args: ['pause', '30m'] }],
      ['mcp__sh__launch', { command: 'foil', args: ['pause'] }],
      ['mcp__sh__start_process', { executable: 'rm', arguments: '-rf .claude' }],
      ['mcp__py__python', { source_text: `open('${FILE}', 'w').write('')` }],
      ['mcp__nb__run_cell', { code: `import os; os.remove('${FILE}')` }],
    ];
    for (const [tool, args] of calls)
      expect(await denied(tool, args), `${tool} ${JSON.stringify(args)}`).toBe(true);
  });

  it('is allowed where it reads, or is about something else', async () => {
    const { denied } = await judge();
    const calls: readonly (readonly [string, JsonObject])[] = [
      ['mcp__fs__read_file', { path: FILE }],
      ['mcp__fs__get_file_info', { path: FILE }],
      ['mcp__fs__list_directory', { path: '.claude' }],
      ['mcp__fs__search_files', { path: '.', pattern: FILE }],
      ['mcp__github__get_file_contents', { path: FILE }],
      ['mcp__fs__op', { dest: 'src/settings.json' }],
      ['mcp__x__ask', { text: `what stands in ${FILE}?` }],
      ['Task', { description: 'look', prompt: `Look at ${FILE}`, subagent_type: 'x' }],
      ['Grep', { pattern: FILE, path: '.' }],
      ['Glob', { pattern: '.claude/*.json' }],
      ['WebFetch', { url: 'https://x/.claude/settings.json', prompt: 'x' }],
      ['Skill', { command: 'pdf' }],
      ['SlashCommand', { command: '/review .claude/settings.json' }],
      ['TodoWrite', { todos: [{ content: `edit ${FILE}`, status: 'pending' }] }],
      ['mcp__db__query', { sql: 'delete from settings' }],
      ['mcp__fs__move_file', { source: 'dist', destination: '/tmp' }],
      ['mcp__fs__move_file', { source: 'a.md', destination: '.claude/agents/a.md' }],
      ['mcp__fs__delete_file', { path: '.claude/agents/a.md' }],
      ['mcp__http__delete_route', { path: '/' }],
      ['mcp__mem__delete_entities', { names: ['shop', 'claude'] }],
      ['mcp__sh__launch', { program: 'npm', args: ['test'] }],
      ['mcp__sh__launch', { program: 'foil', args: ['status'] }],
      ['mcp__sh__launch', { program: 'echo', args: ['x; foil pause'] }],
      ['mcp__browser__click', { element: 'Save', ref: 'e12' }],
    ];
    for (const [tool, args] of calls)
      expect(await denied(tool, args), `${tool} ${JSON.stringify(args)}`).toBe(false);
  });
});
