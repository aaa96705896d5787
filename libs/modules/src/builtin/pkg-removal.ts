/** Which packages a removal is about: those that are there. Of another there is nothing to do, and that is no failure, as in Salt. */
import type { CallContext } from '../call-context.js';
import { leftPackages, listedName, type Packages, presentPackages, removedPackages } from './dpkg-status.js';
import { installed, isOfRpm } from './installed.js';
import { packageName } from './package-managers.js';

/** A package, and the version of it that is meant, where one is. */
export type Wanted = readonly [name: string, version?: string];

/** What is there before and after. */
export interface Present {
  readonly installed: Packages;
  /** With what is installed by half, and must go all the more. */
  readonly there: Packages;
  /** What left its configuration files, where the manager knows that (dpkg). */
  readonly removed: Packages | undefined;
  /** The same, and what a purge that broke off has left. */
  readonly left: Packages | undefined;
}

export async function present(context: CallContext): Promise<Present> {
  const whole = await installed(context);
  if (await isOfRpm(context)) return { installed: whole, there: whole, removed: undefined, left: undefined };
  return {
    installed: whole,
    there: (await presentPackages()) ?? whole,
    removed: await removedPackages(),
    left: await leftPackages(),
  };
}

const RPM_ARCH = /\.(noarch|x86_64|i[3-6]86|aarch64|armv7hl|ppc64le|s390x|riscv64)$/;

/**
 * The words for the manager. A version that is given has to be among those that rpm has of it, and goes alone; dpkg has one of each,
 * and as in Salt that one goes.
 */
export function removalWords(
  list: readonly Wanted[],
  { there, left }: Pick<Present, 'there' | 'left'>,
  purge: boolean,
): readonly string[] {
  if (left === undefined) return list.flatMap((one) => rpmWords(one, there));
  const isMeant = (name: string): boolean => there.has(name) || (purge && left.has(name));
  return list.map(([word]) => packageName(word)).filter((word) => isMeant(listedName(word)));
}

function rpmWords([word, wanted = '']: Wanted, packages: Packages): readonly string[] {
  const version = wanted.replace(/^\d+:/, ''); // no list of rpm's has the epoch
  const name = packageName(word).replace(RPM_ARCH, '');
  const versions = packages.get(name) ?? packages.get(word) ?? [];
  if (version === '') return versions.length === 0 ? [] : [word];
  return versions.includes(version) ? [`${name}-${version}${RPM_ARCH.exec(word)?.[0] ?? ''}`] : [];
}
