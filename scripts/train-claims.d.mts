export function digestOf(): Promise<string>;
