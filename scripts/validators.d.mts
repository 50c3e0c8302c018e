export function validatorTable(directory?: string): string;
export function writeValidatorTable(directory?: string): void;
