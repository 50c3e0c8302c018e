export const WEIGHTS: string;
export function digestOf(): Promise<string>;
