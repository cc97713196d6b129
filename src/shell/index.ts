/**
 * threepass/shell: run_command, a Bash over the workspace. Needs the package `just-bash`, which is loaded
 * when the first command runs.
 * @module
 */
export { isReadOnlyCommand, isReadOnlyScript } from './read-only.ts'
export { type RunCommandOptions, runCommandTool } from './run-command.ts'
