export { executeHere } from './validate-execute.ts';
