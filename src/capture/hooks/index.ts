// The door: one adapter for each agent. A seventh is one more file and one more line here.
import type { HookAdapter } from './adapter.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

export type { HookAdapter, RegisteredEvent } from './adapter.ts';
export { type OpencodePluginOptions, opencodePlugin } from './opencode-plugin.ts';

export const ADAPTERS: readonly HookAdapter[] = [claudeCode, codex, gemini, copilot, cursor, opencode];

export function adapterOf(name: string): HookAdapter | undefined {
  return ADAPTERS.find((adapter) => adapter.agent === name);
}
