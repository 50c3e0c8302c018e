// Lines of a stream of server-sent events (HTML standard, section 9.2) that are neither data nor the name of an event:
// comments, ids, times to retry, fields that nobody knows. Most say nothing. Those that do reach whoever looks.

/** As servers make them. */
const PLAIN_ID = /^[\w.:/+=~@-]{0,128}$/;
const PLAIN_RETRY = /^\d{0,10}$/;

/** Does such a line say anything? Of a comment the field is empty. */
export function saysMore(field: string, value: string): boolean {
  if (field === 'id') return !PLAIN_ID.test(value);
  if (field === 'retry') return !PLAIN_RETRY.test(value);
  return field !== '' || value.trim() !== '';
}
