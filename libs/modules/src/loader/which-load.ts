/**
 * Which modules load where the configuration shuts some out: Salt's `disable_modules` and `whitelist_modules`.
 *
 * Diverges: both take names of modules and of Salt's files (compat/divergences.md).
 */

export interface LoadRules {
  readonly disable_modules: readonly string[];
  readonly whitelist_modules: readonly string[];
}

/**
 * What Salt's own files of such modules are called, since Salt compares `disable_modules` with the names of files. Whatever of them a
 * host would have used, here it is one module.
 */
const FILES: Readonly<Record<string, string>> = {
  aptpkg: 'pkg',
  cmdmod: 'cmd',
  debian_service: 'service',
  groupadd: 'group',
  rh_service: 'service',
  sysmod: 'sys',
  systemd: 'service',
  systemd_service: 'service',
  useradd: 'user',
  yumpkg: 'pkg',
};

/** @returns A test: whether the module of a name is loaded. */
export function whichLoad({
  disable_modules: disabled,
  whitelist_modules: only,
}: LoadRules): (name: string) => boolean {
  const [shutOut, letIn] = [namesOf(disabled), namesOf(only)];
  return (name) => !shutOut.has(name) && (letIn.size === 0 || letIn.has(name));
}

/** Names in the rules that no module of these has: a name that is misspelt shuts nothing out. */
export function unknownModules(rules: LoadRules, modules: Iterable<string>): readonly string[] {
  const known = new Set([...modules, ...Object.keys(FILES)]);
  return [...new Set([...rules.disable_modules, ...rules.whitelist_modules])].filter((name) => !known.has(name));
}

function namesOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((word) => (Object.hasOwn(FILES, word) ? [word, FILES[word] ?? word] : [word])));
}
