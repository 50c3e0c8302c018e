export function digestOf(): string;
