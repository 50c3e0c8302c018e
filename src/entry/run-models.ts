// The models of a run: the program's own clients, each audited in the session of the run.
import type { Session } from '../record/index.ts';
import { type Models, RunError } from '../runtime/index.ts';
import { audited, type FetchingClient } from './llm.ts';

/** A client as those of Anthropic and OpenAI are. */
export interface ModelClient extends FetchingClient {
  post(path: string, options: { readonly body: unknown; readonly signal: AbortSignal }): PromiseLike<unknown>;
}

/** Clients by the names that model tools have for them, or the answers of another run. */
export type RunModels = Readonly<Record<string, ModelClient>> | Models;

export function modelsOf(given: RunModels, session: Session): Models {
  if (typeof given.ask === 'function') return given as Models;
  const clients = new Map(
    Object.entries(given as Readonly<Record<string, ModelClient>>).map(([name, client]) => [
      name,
      audited(client, { session }),
    ]),
  );
  return {
    async ask({ client: name, path, body }, signal) {
      const client = clients.get(name);
      if (client === undefined)
        throw new RunError(
          'NO_MODEL',
          `the run was started without the client ${name}. Pass it in as models.`,
        );
      return client.post(path, { body, signal });
    },
  };
}
