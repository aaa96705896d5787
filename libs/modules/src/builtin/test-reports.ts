/** What `test.versions*` and `test.get_opts` report. */
import { isList, isMap, type Value, type ValueMap, VERSION } from '@natrium/model';
import { arch, platform, release } from 'node:os';
import { isSecretName } from './secret-names.js';

export function versions(): Readonly<Record<string, ValueMap>> {
  const { node, v8, uv, openssl } = process.versions;
  return {
    'Natrium Version': { Natrium: VERSION },
    'Dependency Versions': { node, v8, uv, openssl },
    'System Versions': { system: platform(), release: release(), machine: arch() },
  };
}

/** Whoever may test is not whoever may read secrets: their values are hidden, however deep they stand. */
export function configWithoutSecrets(config: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, isSecretName(key) ? '******' : hidden(value)]),
  );
}

function hidden(value: Value): Value {
  if (isMap(value)) return configWithoutSecrets(value);
  return isList(value) ? value.map(hidden) : value;
}
