// Certificates of runs. What they say of a real run is held against it in test/cli/certify.test.ts.
import { utf8Encode } from '#platform';
import { canonicalize, type Json } from '../../../src/core/index.ts';
import { type BundleCase, failing, made } from '../make-bundles.ts';

const HASH = 'a'.repeat(64);
const UNTOLD = {
  ...{ result: 'unknown', replay_id: HASH, code: HASH, node: null, sandbox: null, from: null, events: null },
  ...{ final_state_hash: null, reason: 'nobody replayed it' },
};

export function certificates(): BundleCase[] {
  const wrong = (name: string, done: string, certificate: (session: string) => Json): BundleCase =>
    made(
      `certificate-${name}`,
      done,
      failing('CERTIFICATE_WRONG'),
      {},
      {
        change: ({ parts }, { session }) =>
          void parts.set('certificate.json', utf8Encode(canonicalize(certificate(session)))),
      },
    );
  return [
    wrong('of-no-run', 'A certificate of a session that has no events.', (session) => ({
      schema: 'run_certificate.v1',
      ...{ run_id: session, agent: 'counter', events: 3, final_state_hash: HASH },
      ...{ hashes: 'blake3', hash_key: null, patches: [], determinism: UNTOLD },
      capabilities: { hash: null, granted: [], root: '/', calls: 0, denials: 0 },
    })),
    wrong('malformed', 'A certificate that says nothing.', () => ({ schema: 'run_certificate.v1' })),
  ];
}
