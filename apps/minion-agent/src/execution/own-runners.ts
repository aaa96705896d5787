/** The runners that this version brings, for `sys.runner_doc` and its like: no agent holds them before it is asked. */
export { runnerLibrary } from '@natrium/runners';
