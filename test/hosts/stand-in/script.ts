// What a stand-in for a model says, step by step: one step answers one request of the host's main loop.

export type Step = (
  | { readonly say: string }
  /** Calls the host's shell tool. */
  | { readonly run: string }
  /** Calls any tool of the host. */
  | { readonly call: Call }
) & {
  /** Done right before the answer is sent, while the host waits for it. */
  readonly before?: () => void;
};

/** A call of a tool as the host knows it. */
export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How a host's shell tool is called. The model is offered `tools`, and the names differ between models. */
export type ShellCall = (command: string, tools: readonly string[]) => Call | undefined;

export type Reply = { readonly text: string } | Call;

/** A host that goes on past the end of its script is told this. It makes no claim, so it ends every turn. */
export const PAST_THE_END = 'There is nothing more in the script.';
