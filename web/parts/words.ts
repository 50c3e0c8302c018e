// Texts of others, made safe to look at, and numbers as people write them.

/** What can't be seen, or turns the order of what can: controls, zero-width and bidirectional marks, unpaired surrogates. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\n\t])\p{Cc}/gu;

/** Letters and marks that show nothing by themselves. */
const BLANK = /\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\u115f\u1160\u2800\u3164\uffa0]/g;
/** More marks on one letter than any language has paint over what stands above and below. */
const PILED = /(\p{M}{6})\p{M}+/gu;

/** Most texts have nothing else. */
const PLAIN = /^[\n\t -~]*$/;

/** With what can't be seen written out, and no more marks on a letter than it can bear. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(BLANK, written).replace(PILED, '$1…').replace(UNSEEN, written);
}

function written(char: string): string {
  return `⟨${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}⟩`;
}

/** At most so many characters, and what can't be seen written out. */
export function brief(text: string, most = 300): string {
  return text.length > most ? `${visible(text.slice(0, most))}…` : visible(text);
}

// By hand: the first use of Intl takes a browser longer than all else that it does for the first rows.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** In the reader's time zone. */
export function moment(ts: string | null): string {
  const date = new Date(ts ?? Number.NaN);
  const time = date.getTime();
  return Number.isNaN(time)
    ? 'unknown'
    : `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}, ${clock(time)}`;
}

/** The time of day. */
export function clock(time: number): string {
  if (Number.isNaN(time)) return '?';
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** A whole number as the page's English writes it. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function lasted(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

export function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}
