// Claude Code, `claude -p`. It needs no trust there. As root it skips permissions only where it believes in a sandbox.
import { type Host, onCommandLine } from '../host.ts';

export const claudeCode: Host = {
  agent: 'claude-code',
  name: 'Claude Code, claude -p',
  hooksFile: '.claude/settings.local.json',
  headless: true,
  served: true,
  holds: true,
  model: 'claude-sonnet-4-5-20250929',
  shell: (command, tools) =>
    tools.includes('Bash') ? { name: 'Bash', args: { command, description: 'Runs it' } } : undefined,
  setUp: () => {},
  drive: onCommandLine('claude-code', (prompt) => [
    '-p',
    prompt,
    '--model',
    claudeCode.model,
    '--dangerously-skip-permissions',
  ]),
  env: (api) => ({
    ANTHROPIC_BASE_URL: api,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    IS_SANDBOX: '1',
  }),
};
