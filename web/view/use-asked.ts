import { useLayoutEffect, useState } from 'preact/hooks';

export type Asked<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'here'; readonly value: T };

/** What a question gave, asked anew when one of `about` changes. An answer that comes too late is not taken. Null asks nothing. */
export function useAsked<T>(question: (() => Promise<T>) | null, about: readonly unknown[]): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ state: 'waiting' });
  // It needn't wait until what stands on the page is painted.
  useLayoutEffect(() => {
    let isWanted = true;
    question?.().then(
      (value) => isWanted && setAsked({ state: 'here', value }),
      (error: unknown) =>
        isWanted &&
        setAsked({ state: 'failed', why: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, about);
  return asked;
}
