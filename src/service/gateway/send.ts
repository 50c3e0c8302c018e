// Sends a request to its upstream, byte for byte as the client wrote it, over connections that are kept. One that lay
// idle may be dead already: a request that was reset on such a one, before anything of an answer came, is sent once more.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { hasCode } from '../../store/files/index.ts';
import type { CutOff } from './cut-off.ts';

export interface Answered {
  readonly response: IncomingMessage;
  readonly attempts: number;
}

export interface Outgoing {
  readonly base: URL;
  /** Instead of host and port. */
  readonly socketPath?: string;
  /** Instead of the certificates that the system trusts, in PEM. */
  readonly ca?: string;
  readonly target: string;
  readonly method: string;
  readonly headers: readonly string[];
  /** Null for a request without one. */
  readonly body: Uint8Array | null;
  readonly cutOff: CutOff;
}

export class Sender {
  readonly #plain = new Agent({ keepAlive: true, scheduling: 'lifo' });
  readonly #secure = new SecureAgent({ keepAlive: true, scheduling: 'lifo' });

  /** Rejects with the system's error, or why it was cut off. */
  async send(outgoing: Outgoing): Promise<Answered> {
    try {
      return { response: await this.#try(outgoing), attempts: 1 };
    } catch (error) {
      if (!(error instanceof DeadConnection) || outgoing.cutOff.reason !== undefined) throw error;
      return { response: await this.#try(outgoing), attempts: 2 };
    }
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #try({ base, socketPath, ca, target, method, headers, body, cutOff }: Outgoing): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const isPlain = base.protocol === 'http:';
      const sent: ClientRequest = (isPlain ? request : secureRequest)({
        agent: isPlain ? this.#plain : this.#secure,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port === '' ? undefined : Number(base.port),
        ...(socketPath === undefined ? {} : { socketPath }),
        ...(ca === undefined ? {} : { ca }),
        path: target,
        method,
        headers: headers as string[],
        setHost: false,
      });
      sent.setNoDelay(true);
      sent.on('response', (response) => {
        cutOff.hear(undefined);
        resolve(response);
      });
      // A protocol that nobody asked for, and whatever else ends it without a word.
      sent.on('upgrade', (_, socket) => {
        socket.destroy();
        reject(new Error('the upstream switched to another protocol'));
      });
      sent.on('close', () => reject(new Error('the upstream closed the connection')));
      sent.on('error', (error) => {
        cutOff.hear(undefined);
        const isDead =
          sent.reusedSocket && cutOff.reason === undefined && hasCode(error, 'ECONNRESET', 'EPIPE');
        reject(
          isDead ? new DeadConnection('a reused connection was already closed', { cause: error }) : error,
        );
      });
      cutOff.hear(() => void sent.destroy(cutOff.reason));
      sent.end(body ?? undefined);
    });
  }
}

class DeadConnection extends Error {
  override readonly name = 'DeadConnection';
  readonly code = 'ECONNRESET';
}
