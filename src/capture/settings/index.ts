// The door: hooks in the hosts' own settings files.

export { type Detected, detectAgents } from './detect.ts';
export { parseDocument, plainValue } from './document.ts';
export { type GatewaySettings, gatewaySettings } from './gateway-settings.ts';
export { type GivenSettings, givenSettings } from './given-settings.ts';
export { changedEvents, hooksAsWritten, missingEvents } from './hooks-as-written.ts';
export { DROPPED, type Host, type Places, SCOPES, type Scope, type Wiring } from './host.ts';
export { findOverrides, type Override, UNREAD } from './host-overrides.ts';
export { findRunning, isSharedByWorkTrees, mainCheckout } from './linked-worktree.ts';
export { managedPlaces } from './managed.ts';
export {
  applyMcpPlan,
  MCP_CLIENTS,
  type McpFile,
  type McpPlan,
  mcpFiles,
  planUnwrap,
  planWrap,
} from './mcp-clients.ts';
export type { PluginText } from './opencode.ts';
export {
  applyPlan,
  findInstalled,
  HOSTS,
  type Installed,
  type InstallOptions,
  type Plan,
  planInstall,
  planUninstall,
} from './plan.ts';
export { GEMINI_SYSTEM_SETTINGS, type RunOptions, type RunSettings, runSettings } from './run-settings.ts';
