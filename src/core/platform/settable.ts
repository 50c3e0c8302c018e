// The platform of files that browsers and Node both run: browser.ts, until Node's own is put in its place, which has the same
// names and the same results. The build uses it for the library, through the `library` condition of `#platform`, so that
// verify.js, which holds nothing of Node, is also the verifier of the library.
import * as browser from './browser.ts';

export { type Ed25519Signer, utf8Decode, utf8Encode } from './browser.ts';

type Platform = Pick<
  typeof browser,
  | 'ed25519Signer'
  | 'ed25519Verify'
  | 'hmacSha256'
  | 'sha1Hex'
  | 'sha256'
  | 'sha256Hex'
  | 'sha256Into'
  | 'sha256Stream'
  | 'utf8Into'
>;
let platform: Platform = browser;

export function setPlatform(other: Platform): void {
  platform = other;
}

export const sha256: Platform['sha256'] = (data) => platform.sha256(data);
export const sha256Hex: Platform['sha256Hex'] = (data) => platform.sha256Hex(data);
export const sha256Into: Platform['sha256Into'] = (data, out, at) => platform.sha256Into(data, out, at);
export const sha256Stream: Platform['sha256Stream'] = () => platform.sha256Stream();
export const hmacSha256: Platform['hmacSha256'] = (key, data) => platform.hmacSha256(key, data);
export const sha1Hex: Platform['sha1Hex'] = (data) => platform.sha1Hex(data);
export const ed25519Signer: Platform['ed25519Signer'] = (seed) => platform.ed25519Signer(seed);
export const ed25519Verify: Platform['ed25519Verify'] = (...given) => platform.ed25519Verify(...given);
export const utf8Into: Platform['utf8Into'] = (text, out, at) => platform.utf8Into(text, out, at);
