/** Why a folder of keys is none of a cluster to this account: nothing is there, or it may not look. */
import { statSync } from 'node:fs';
import type { MasterKeys } from '@natrium/keystore';
import { codeOf } from '@natrium/model';

export interface NoCluster {
  readonly sentence: string;
  readonly mend: string;
}

export function noCluster({ folder, rolesPath }: Pick<MasterKeys, 'folder' | 'rolesPath'>): NoCluster {
  if (mayLook(rolesPath))
    return {
      sentence: `there is no cluster in ${folder}`,
      mend: 'natriumctl init founds one; where there is one elsewhere, name its folder with -c',
    };
  return {
    sentence: `this account may not look into ${folder}`,
    mend: 'run this as root or as its owner; natriumctl accounts sync, as root, lets other accounts in',
  };
}

/** Where it may not, what is there looks as if it were not. */
function mayLook(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return codeOf(error) !== 'EACCES';
  }
}
