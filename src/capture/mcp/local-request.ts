// Who may ask a proxy on this machine, and for which path.

/** Clients that are no pages say nothing. A page of this machine may be an inspector. */
export function isOfThisMachine(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
}

/** Of a request that names a path; whom it is for is not the client's to say. */
export function pathOf(target: string | undefined): URL | undefined {
  if (target === undefined || !/^\/(?!\/)/.test(target)) return undefined;
  // Two slashes at the beginning would be the name of a host, also where they come of dots.
  const url = URL.canParse(target, 'http://x') ? new URL(target, 'http://x') : undefined;
  return url === undefined || url.pathname.startsWith('//') ? undefined : url;
}
