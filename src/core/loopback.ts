/** Is this host, as a URL or a person writes it, the machine itself? By a name or an address that can't be anything else. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
