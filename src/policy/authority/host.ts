// How a host is written: as it stands in a URL that was parsed, because that is what a call is held against. Every host has
// other spellings, such as `127.1`, `EXAMPLE.org.` and a port that goes without saying.

/** Null for what is no host. A port stays, unless it is the one of https. */
export function canonicalHost(text: string): string | null {
  const url = `https://${text}/`;
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(url)) return null;
  return writtenHost(new URL(url).host);
}

/** Of the host of a URL: without the dot at its end, and an IPv4 address as such, which `[::ffff:a9fe:a9fe]` is, too. */
export function writtenHost(host: string): string {
  const short = host.replace(/\.(?=$|:)/, '');
  const [, high, low, port = ''] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\](:\d+)?$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}${port}`;
}

/** Without the port of http or https, which a call does not name. */
export function isPlainHost(host: string): boolean {
  return !/:80$/.test(host) && canonicalHost(host) === host;
}

const NUMBERS = ['1', '1.1', '1.1.1'];
/** Numbers and wildcards, and at least one number: whoever writes it means addresses, and no names. */
const ADDRESS = /^(?=.*\d)(?:0x[\da-f*]*|[\d*]+)(?:\.(?:0x[\da-f*]*|[\d*]+))*$/;

/** Whether any host is written like this pattern. */
export function isPlainPattern(pattern: string): boolean {
  const [, host = '', port = ''] = /^(.*?)(?::(\d+|\*))?$/s.exec(pattern) ?? [];
  const end = port === '' || port === '*' ? '' : `:${port}`;
  const fillings = ADDRESS.test(host) ? NUMBERS : ['a', ...NUMBERS];
  return fillings.some((filling) =>
    isPlainHost(`${host.replace(/\*\*/g, filling).replace(/\*/g, filling.slice(0, 1))}${end}`),
  );
}
