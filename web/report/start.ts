// The one script of a report that a browser runs by itself. It unpacks the page, whose hash the policy of the file allows.
import { unpack } from './packed.ts';

interface ScriptPolicy {
  createScript(text: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy } | undefined;

const RULES: ScriptPolicy = { createScript: (text) => text };
const scripts =
  typeof trustedTypes === 'undefined' ? RULES : trustedTypes.createPolicy('counterfoil-page', RULES);

async function start(): Promise<void> {
  const script = document.createElement('script');
  script.text = scripts.createScript(await (await unpack('counterfoil-page')).text());
  document.head.append(script);
}

start().catch(() => {
  const root = document.getElementById('app');
  if (root !== null)
    root.textContent =
      'This report can’t be checked: its page is damaged. Don’t rely on anything in it. Ask whoever sent it for a new copy.';
});
