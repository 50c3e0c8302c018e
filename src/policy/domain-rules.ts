// Rules about hosts, compared with the addresses among a call's arguments.
import { matchesText } from '../core/index.ts';

/** As browsers cut an address: `\\` is as good as `/` or nothing, and names before `@` are not the host. */
const ADDRESS = /^(?:(?:https?|wss?|ftp):[\\/]*|[a-z][a-z0-9+.-]*:[\\/]+)(?:[^\\/?#]*@)?([^\\/?#@]*)/i;
/** Browsers drop blanks and control characters at both ends. */
const AROUND = /^[^!-\uffff]+|[^!-\uffff]+$/g;

/** Is the text an address at that host? Null where the host is written in a way that hides it. */
export function isAtHost(domain: string, text: string): boolean | null {
  // Browsers drop these wherever they stand.
  const written = text.replace(AROUND, '').replace(/[\t\n\r]/g, '');
  const host = ADDRESS.exec(written)?.[1];
  // A tool may add the scheme by itself.
  if (host === undefined && !written.includes(' '))
    return isAtHost(domain, `https://${written.normalize('NFKC')}`) === true ? null : false;
  // No address has a blank in its host: the text is a sentence that begins with one.
  if (host === undefined || host.includes(' ')) return false;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return /^[a-z0-9._-]*$|^\[[0-9a-f:.]*\]$/.test(name) ? matchesText(domain.toLowerCase(), name) : null;
}
