/** A setting of the HTTP API that stops the start; where it stands is known to who has read the files. */
import { ConfigInvalid } from '@natrium/edge';

export class SettingInvalid extends ConfigInvalid {
  constructor(
    readonly path: readonly [key: string, ...below: (string | number)[]],
    what: string,
    options?: ErrorOptions,
  ) {
    super(`${path.join('.')} ${what}`, options);
  }
}
