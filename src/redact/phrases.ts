// Secrets of several words: a wallet's twelve or twenty-four, a passphrase of four. A sentence has the same form, so
// each word must be lower-case letters, and none one that only sentences have.

const FEWEST = 4;
const MOST = 32;
const WORD = /[a-z]{3,16}(?![\w'-])/y;
const OF_SENTENCES =
  /^(?:the|and|that|this|with|from|for|you|your|are|was|were|has|have|had|not|when|then|than|must|should|will|would|can|could|may|use|used|uses|into|which|who|its|our|they|them|been|being|only|also|here|there|keep|write|enter|asked|please|words|phrase|word|backup|somewhere)$/;

/** The end of the phrase that begins at `start` and goes on to the end of its line or string; 0 if there is none. */
export function phraseEnd(text: string, start: number): number {
  let at = start;
  for (let words = 1; words <= MOST; words++) {
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0] ?? '';
    if (word === '') return 0;
    const isShort = words <= 8;
    if (isShort && OF_SENTENCES.test(word)) return 0;
    at += word.length;
    if (text.charCodeAt(at) === 32 && /[a-z]/.test(text[at + 1] ?? '')) at++;
    else return words >= FEWEST && /^[.,]?(?:["'`\\<\r\n]|$)/.test(text.slice(at, at + 2)) ? at : 0;
  }
  return 0;
}

/** Is the whole text such a phrase? */
export function isPhrase(text: string): boolean {
  return text.includes(' ') && phraseEnd(text, 0) === text.length;
}
