// The door: one adapter for each agent. A seventh is one more file, its name in agents.ts, and one more line here.
import type { HookAdapter } from './adapter.ts';
import { AGENTS, type AgentName, isAgent } from './agents.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

export type { HookAdapter, RegisteredEvent } from './adapter.ts';
export { AGENTS, isAgent } from './agents.ts';
export { type OpencodePluginOptions, opencodePlugin } from './opencode-plugin.ts';

const BY_NAME: Readonly<Record<AgentName, HookAdapter>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  copilot,
  cursor,
  opencode,
};

export const ADAPTERS: readonly HookAdapter[] = /* @__PURE__ */ AGENTS.map((name) => BY_NAME[name]);

export function adapterOf(name: string): HookAdapter | undefined {
  return isAgent(name) ? BY_NAME[name] : undefined;
}
