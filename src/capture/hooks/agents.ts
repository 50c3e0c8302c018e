// The agents whose hooks are understood, by the names that command lines and the service use.
export const AGENTS = ['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'] as const;
export type AgentName = (typeof AGENTS)[number];

export function isAgent(name: string): name is AgentName {
  return (AGENTS as readonly string[]).includes(name);
}
