/** The runners that this version brings, for `natrium-call sys.runner_doc` and its like: no other call pays for them. */
export { runnerLibrary } from '@natrium/runners';
