// Where a process runs: its folder and its environment.
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}
