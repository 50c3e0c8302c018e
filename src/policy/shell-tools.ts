// The tools by which hosts give something to a shell. One list, for what a call needs and for what a pack denies.

const TAKES_LINE =
  /^(?:bash|monitor|shell|shell_command|exec|local_shell|run_shell_command|exec_command|run_in_terminal|powershell|pwsh)$/i;
/** OpenCode's `batch` makes other calls, and those may be of its shell. */
const TYPES_INTO = /^(?:write_bash|write_powershell|write_stdin|js_repl|batch)$/i;
const POWERSHELL = /^(?:powershell|pwsh)$/i;

/** A tool that takes a line for a shell. */
export const isShellTool = (tool: string): boolean => TAKES_LINE.test(tool);

/** Such a tool, or one that writes into a shell or an interpreter that runs already. */
export const givesToShell = (tool: string): boolean => isShellTool(tool) || TYPES_INTO.test(tool);

/** Its lines are not in the words of bash. */
export const isPowerShell = (tool: string): boolean => POWERSHELL.test(tool);
