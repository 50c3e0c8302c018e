// What a call of a tool needs that is known by its name alone: the tool of an MCP server is named by its server, where the host
// tells it or its name may say so, and every other tool by its own name.
import { isObject, type Json } from '../../core/index.ts';
import { ALL_BELOW, type Need } from './need.ts';

export interface NamedTool {
  readonly tool: string;
  /** The host that calls it; none where nobody knows. */
  readonly agent?: string;
  /** What Gemini tells of the server, in `mcp_context`. */
  readonly server?: Json;
}

const LONGEST_NAME = 256;
const MCP = 'mcp__';
const ANY_MCP_TOOL: Need = { domain: 'mcp', action: 'call', segments: [ALL_BELOW] };
/** Gemini's `mcp_SERVER_TOOL`, earlier `SERVER__TOOL`; OpenCode's `SERVER_TOOL`; Copilot's `SERVER-TOOL`; Cursor tells no server. */
const OTHER_NAMES: ReadonlyMap<
  string,
  readonly { readonly begins: string; readonly joint: string | null }[]
> = new Map([
  [
    'gemini',
    [
      { begins: 'mcp_', joint: '_' },
      { begins: '', joint: '__' },
    ],
  ],
  ['opencode', [{ begins: '', joint: '_' }]],
  ['copilot', [{ begins: '', joint: '-' }]],
  [
    'cursor',
    [
      { begins: 'MCP:', joint: null },
      { begins: 'CallMcpTool', joint: null },
    ],
  ],
]);
/** OpenCode's own tools that read like one of a server. */
const OWN = new Set(['apply_patch', 'plan_enter', 'plan_exit']);

/**
 * `mcp__server__tool`, as Claude Code and Codex call them, or the tool's own name. Both names may have `__` in them, so that there
 * are several readings: whatever the host takes it for is then granted, and not denied. Without a server or a tool in it, such a
 * name may stand for any of them. What another host calls like the tool of a server may also be a tool of its own: it needs both.
 * Where the host tells the server, that is the one reading.
 */
export function namedNeeds(use: NamedTool): readonly Need[] {
  const { tool, agent = '', server } = use;
  const named = callNeed('tool', tool);
  if (server !== undefined) return [...toldNeeds(server), named];
  if (!OTHER_NAMES.has(agent) && tool.startsWith(MCP)) {
    const readings = readingsOf(tool.slice(MCP.length), '__');
    return readings.length === 0 ? [ANY_MCP_TOOL, named] : readings;
  }
  return [...serverReadings(use), named];
}

/** Every tool of a server that another host may mean by this name; none where only its own tools are called so. */
export function serverReadings({ tool, agent = '' }: NamedTool): readonly Need[] {
  if (OWN.has(tool)) return [];
  for (const { begins, joint } of OTHER_NAMES.get(agent) ?? []) {
    if (!tool.startsWith(begins)) continue;
    const readings = joint === null ? [] : readingsOf(tool.slice(begins.length), joint);
    if (readings.length > 0) return readings;
    if (begins !== '') return [ANY_MCP_TOOL];
  }
  return [];
}

/** By each place at which the name may be cut. */
function readingsOf(name: string, joint: string): readonly Need[] {
  if (name.length > LONGEST_NAME) return [ANY_MCP_TOOL];
  const readings: Need[] = [];
  const { length } = joint;
  for (let at = name.indexOf(joint, 1); at > 0 && at + length < name.length; at = name.indexOf(joint, at + 1))
    readings.push(...mcpNeeds(name.slice(0, at), name.slice(at + length)));
  return readings;
}

function toldNeeds(told: Json): readonly Need[] {
  const { server_name: server, tool_name: tool } = isObject(told) ? told : {};
  const isWhole = typeof server === 'string' && typeof tool === 'string' && server !== '' && tool !== '';
  return isWhole ? mcpNeeds(server, tool) : [ANY_MCP_TOOL];
}

/** With a slash in its server's name, a tool reads like one of another server. So it needs every tool besides. */
export function mcpNeeds(server: string, tool: string): readonly [Need, ...Need[]] {
  const named = callNeed('mcp', `${server}/${tool}`);
  return server.includes('/') ? [named, ANY_MCP_TOOL] : [named];
}

/** Of a message to a server that may call any tool of it. */
export function unclearNeed(server: string): Need {
  const { segments, ...need } = callNeed('mcp', server);
  return { ...need, segments: segments.at(-1) === ALL_BELOW ? segments : [...segments, ALL_BELOW] };
}

/** A name that can't be told from a pattern, or is too long, matches no grant but `**`. */
function callNeed(domain: string, name: string): Need {
  const segments = name.length > LONGEST_NAME ? [ALL_BELOW] : name.split('/');
  return { domain, action: 'call', segments: segments as Need['segments'] };
}
