// Trusted Types: a page may start a worker only by a policy. There is one, for our own worker.
interface TypesPolicy {
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: TypesPolicy): TypesPolicy } | undefined;

const RULES: TypesPolicy = { createScriptURL: (text) => text };

export const scriptUrls: TypesPolicy =
  typeof trustedTypes === 'undefined' ? RULES : trustedTypes.createPolicy('counterfoil', RULES);
