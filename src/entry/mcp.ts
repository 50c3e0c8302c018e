// The package's module for MCP servers made with the official SDK, v1 or v2: two lines, and every call is on record before
// it runs, and its result before it is sent. A server that is not yours is wrapped by `foil mcp wrap` instead.
import { type AnyTransport, Conversation, decorate } from '../capture/mcp/index.ts';
import { locate } from '../ledger/index.ts';
import { openNotes, WireSession } from '../record/index.ts';
import { openRecording, type RecorderPlace } from './recorder.ts';

export type { AnyTransport } from '../capture/mcp/index.ts';

export interface AuditOptions extends Pick<RecorderPlace, 'place' | 'cwd' | 'role' | 'config'> {
  /** What the server is called in entries (`mcp-server`). */
  readonly name?: string;
}

/** As `McpServer` and `Server` of both versions are. */
export interface AnyServer {
  connect(transport: never, ...rest: never[]): Promise<void>;
}

interface Audit {
  readonly wire: WireSession;
  readonly conversations: Set<Conversation>;
}

/** One session for a server's process, however many connections it has. */
const audits = new Map<string, Audit>();
const decorated = new WeakSet<object>();

/**
 * Every transport that the server is connected to from now on is audited. Gives the server back.
 *
 *     import { auditServer } from 'counterfoil/mcp';
 *     auditServer(server);
 */
export function auditServer<S extends AnyServer>(server: S, options: AuditOptions = {}): S {
  const connect = server.connect.bind(server) as (
    transport: AnyTransport,
    ...rest: unknown[]
  ) => Promise<void>;
  const audited = (transport: AnyTransport, ...rest: unknown[]): Promise<void> =>
    connect(auditTransport(transport, options), ...rest);
  (server as { connect: unknown }).connect = audited;
  return server;
}

/** The transport, audited: hand it to `connect`. `side` is whose it is, the server's unless given. */
export function auditTransport<T extends AnyTransport>(
  transport: T,
  { side = 'server', ...options }: AuditOptions & { readonly side?: 'server' | 'client' } = {},
): T {
  if (decorated.has(transport)) return transport;
  decorated.add(transport);
  const { name = 'mcp-server' } = options;
  const { wire, conversations } = auditOf(name, options);
  const conversation = new Conversation(wire, { server: name });
  conversations.add(conversation);
  return decorate(transport, {
    conversation,
    side,
    closed() {
      void conversation
        .end(side === 'server' ? 'CLIENT_CLOSED' : 'SERVER_CLOSED')
        .finally(() => conversations.delete(conversation));
    },
  });
}

/** Ends the session of every audited server here, and seals. It happens by itself when nothing is left to do. */
export async function closeAudits(): Promise<void> {
  const all = [...audits.values()];
  audits.clear();
  const ends = await Promise.allSettled(
    all.map(async ({ wire, conversations }) => {
      for (const conversation of conversations) await conversation.end('CLIENT_CLOSED');
      await wire.end();
    }),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function auditOf(name: string, { place, cwd, role, config }: AuditOptions): Audit {
  const key = JSON.stringify([name, place?.directory, cwd ?? process.cwd(), role]);
  const known = audits.get(key);
  if (known !== undefined) return known;
  const wire = new WireSession(
    () =>
      openRecording({
        agent: name,
        source: 'mcp',
        ...(place === undefined ? {} : { place }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(role === undefined ? {} : { role }),
        ...(config === undefined ? {} : { config }),
      }),
    {},
    openNotes(() => (place ?? locate(cwd === undefined ? {} : { cwd })).directory),
  );
  const audit: Audit = { wire, conversations: new Set() };
  audits.set(key, audit);
  void wire.begin();
  // A session that could not be ended is told by the next that looks: it has no end.
  if (audits.size === 1)
    process.once('beforeExit', () => {
      closeAudits().catch((error: unknown) => {
        process.emitWarning(error instanceof Error ? error.message : String(error), 'CounterfoilWarning');
        process.exitCode ||= 1;
      });
    });
  return audit;
}
