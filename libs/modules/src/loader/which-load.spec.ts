/** Rules of what `disable_modules` and `whitelist_modules` shut out. */
import { unknownModules, whichLoad } from './which-load.js';

const MODULES = ['cmd', 'file', 'pkg', 'service', 'test', 'ours', '__proto__'];

const loaded = (disable_modules: readonly string[], whitelist_modules: readonly string[] = []) =>
  MODULES.filter(whichLoad({ disable_modules, whitelist_modules }));

it('all load where nothing is said', () => {
  expect(loaded([])).toEqual(MODULES);
});

it('what is disabled does not load, and all else does', () => {
  expect(loaded(['cmd', 'ours'])).toEqual(['file', 'pkg', 'service', 'test', '__proto__']);
});

it.each([
  ['cmdmod', 'cmd'],
  ['aptpkg', 'pkg'],
  ['yumpkg', 'pkg'],
  ['systemd_service', 'service'],
])('Salt’s file %s is the module %s', (file, name) => {
  expect(loaded([file])).toEqual(MODULES.filter((one) => one !== name));
  expect(loaded([], [file])).toEqual([name]);
});

it('of a whitelist only what it names loads, and none of that which is disabled too', () => {
  expect(loaded([], ['test', 'cmd'])).toEqual(['cmd', 'test']);
  expect(loaded(['cmdmod'], ['test', 'cmd'])).toEqual(['test']);
  expect(loaded([], ['tset'])).toEqual([]);
});

it('names that no module has are told, each once', () => {
  const rules = { disable_modules: ['cmd.run', 'cmd', 'toString'], whitelist_modules: ['tset', 'cmd.run', 'cmdmod'] };
  expect(unknownModules(rules, MODULES)).toEqual(['cmd.run', 'toString', 'tset']);
});
