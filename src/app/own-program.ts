// Where this program stands: the folder of foil.cjs, which every script is given the path of.
import { dirname } from 'node:path';

export const ownProgram = (): string => dirname(__filename);
